#!/bin/bash
# Boots a real systemd as PID 1 of namespaces of its own, on a throw-away overlay of this machine's root. DIR/install is
# laid over it; nothing of this machine's units runs, and nothing is left behind.
#
#   boot.sh DIR
#
# Needs root, overlayfs and a writable cgroup2 tree.
set -eu
directory=$1
groups=/sys/fs/cgroup/unified
[ -d $groups ] || groups=/sys/fs/cgroup
group=$groups/storehub-test.$$
mkdir "$group"
echo "$group" >"$directory/cgroup"
echo $$ >"$group/cgroup.procs"
exec unshare --fork --kill-child --pid --mount --uts --ipc --net --cgroup --propagation private \
  /bin/bash "$(dirname "$0")/init.sh" "$directory"
