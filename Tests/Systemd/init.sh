#!/bin/bash
# Runs inside boot.sh: builds the root, and executes systemd.
set -eu
directory=$1
top=$directory/top
mkdir -p "$top"
mount -t tmpfs -o mode=755,size=2g tmpfs "$top"
mkdir -p "$top/up" "$top/work" "$top/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$top/up,workdir=$top/work" "$top/root"
root=$top/root
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t sysfs -o nosuid,nodev,noexec,ro sysfs "$root/sys"
mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$root/run"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp"
mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
for device in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
  set -- $device
  mknod -m 666 "$root/dev/$1" c "$2" "$3"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/dev/shm"

# Only the units that the test installs, none of this machine's.
rm -rf "$root/etc/systemd/system" "$root/etc/systemd/system-generators"
mkdir -p "$root/etc/systemd/system" "$root/etc/systemd/system-generators"
for unit in systemd-udevd.service systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-timesyncd.service \
  systemd-update-utmp.service systemd-hwdb-update.service systemd-udev-trigger.service systemd-modules-load.service \
  systemd-binfmt.service systemd-pcrphase.service systemd-pcrphase-sysinit.service sys-kernel-debug.mount \
  sys-kernel-tracing.mount proc-sys-fs-binfmt_misc.automount dev-hugepages.mount dev-mqueue.mount \
  systemd-sysctl.service systemd-journal-flush.service; do
  ln -s /dev/null "$root/etc/systemd/system/$unit"
done
for generator in /lib/systemd/system-generators/*; do
  ln -s /dev/null "$root/etc/systemd/system-generators/$(basename "$generator")"
done
: >"$root/etc/fstab"
rm -f "$root/etc/machine-id"
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
cp -a "$directory/install/." "$root/"

cd "$root"
mkdir -p .old
pivot_root . .old
umount -l /.old
exec env -i container=unshare PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  /lib/systemd/systemd --system --unit=basic.target --log-target=journal --log-level=info --show-status=no </dev/null
