#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# plant.sh - copy the module's sources, with a leak in them
#
#	tests/kselftest/plant.sh page|reader|strings DIR SOURCE...
set -eu
leak=$1 dir=$2
shift 2
case $leak in
page) # the first page of each region: the module's own count does not see it
	file=kmod/region.c
	change='s/for (i = 0; r->pages && i < r->nr_pages/for (i = 1; r->pages \&\& i < r->nr_pages/' ;;
reader) # a region that had a reader, now and then
	file=kmod/region.c
	change='/^void btap_region_detach/,/^}/s/	btap_region_put(r);/	if (r->id % 16)\n		btap_region_put(r);/' ;;
strings) # the buckets of its strings
	file=kmod/strtab.c
	change='s/kvfree(t->bucket);/(void)t;/' ;;
*)
	echo "plant.sh: no leak $leak" >&2
	exit 1 ;;
esac
rm -rf "$dir"
mkdir -p "$dir"
cp -a --parents "$@" "$dir"
sed -i "$change" "$dir/$file"
if cmp -s "$file" "$dir/$file"; then
	echo "plant.sh: $leak: its line is not in $file any more" >&2
	exit 1
fi
