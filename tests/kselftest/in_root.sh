#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# in_root.sh - run a command in the root folder of another Debian, on a folder of this one
#
#	tests/kselftest/in_root.sh ROOT COMMAND... [M=FOLDER]...
#
# FOLDER is there by the same name, and can be written.  Needs no more rights than user
# namespaces, where they are allowed.
root=$1
shift
share=
for a; do case $a in M=*) share=${a#M=} ;; esac; done
as=
[ "$(id -u)" = 0 ] || as=-r
export root share
exec unshare -m $as sh -c '
	mount --make-rprivate / && mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" || exit
	[ -z "$share" ] || { mkdir -p "$root$share" && mount --bind "$share" "$root$share" || exit; }
	PATH=/usr/sbin:/usr/bin:/sbin:/bin exec chroot "$root" "$@"' in_root "$@"
