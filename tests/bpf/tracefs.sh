# SPDX-License-Identifier: Apache-2.0
# tracefs.sh - sourced first, with the script's arguments: /sys/kernel/tracing is there
#
# Where it is not mounted, as in fresh containers and virtual machines, the script runs in a mount
# namespace of its own, so that nothing stays mounted.  no_tracefs says why it could not be had.
no_tracefs=
if [ ! -d /sys/kernel/tracing/events/sched ]; then
	if [ "$(id -u)" != 0 ]; then
		no_tracefs="only root may"
	elif [ -z "${TRACEFS_NS:-}" ] && unshare -m true 2>/dev/null; then
		TRACEFS_NS=1 exec unshare -m "$0" "$@"
	elif [ -z "${TRACEFS_NS:-}" ] || ! mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; then
		no_tracefs="tracefs cannot be mounted"
	fi
fi
