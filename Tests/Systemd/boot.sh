#!/bin/bash
# Boots a real systemd as PID 1 in separate namespaces, on a temporary overlay of this machine's root with DIR/install on
# top. None of this machine's units runs, and nothing is left behind.
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
