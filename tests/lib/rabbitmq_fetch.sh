#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rabbitmq_fetch.sh - Debian's RabbitMQ to test with, where it is not installed
#	tests/lib/rabbitmq_fetch.sh BUILD_DIR
# The packages of the server and of the Erlang libraries that it depends on are unpacked in
# BUILD_DIR/rabbitmq.  They are not installed: a broker of the system's would start at once, and at each boot.
set -u
dir=${1:-build}/rabbitmq
for d in /usr/lib "$dir/usr/lib"; do
	ls -d "$d"/rabbitmq/lib/rabbitmq_server-* >/dev/null 2>&1 && exit 0
done
rm -rf "$dir" "$dir.new"
mkdir -p "$dir.new/debs"
dir=$(cd "$dir.new" && pwd)
log=$dir/log
packages() {
	apt-cache depends --recurse --important rabbitmq-server 2>>"$log" |
		sed -n '/^erlang-base/d; /^erlang-/p; /^rabbitmq-server$/p' | sort -u
}
download() { [ -n "$(packages)" ] && (cd "$dir/debs" && apt-get download -q $(packages)) >>"$log" 2>&1; }
echo "unpacking Debian's rabbitmq-server in ${dir%.new}"
# A machine's package lists may be old or absent: fetch them when the first try fails.
if ! download; then
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -q >>"$log" 2>&1
	if ! download; then
		cat "$log" >&2
		echo "rabbitmq_fetch.sh: could not download rabbitmq-server; install it, or try again" >&2
		exit 1
	fi
fi
for deb in "$dir"/debs/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" ./usr/lib || exit 1
done
rm -rf "$dir/debs"
mv "$dir" "${dir%.new}"
