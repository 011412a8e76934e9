#!/bin/busybox sh
# pid 1 of the virtual machine: what a distribution sets up, then the commands of the port, for ever.
export PATH=/bin:/usr/local/bin:/usr/bin HOME=/tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
for module in /modules/*.ko; do insmod "$module"; done
ip link set lo up
mdev -s
# As udev leaves them; mdev gives all to root.
chmod 666 /dev/null /dev/zero /dev/random /dev/urandom
chmod 644 /dev/kmsg
if [ -b /dev/vda ]; then mount -t ext4 /dev/vda /data; fi
until port=$(grep -lx commands /sys/class/virtio-ports/*/name); do sleep 1; done
port=/dev/$(basename "$(dirname "$port")")
cd /tmp
# It can be opened once at a time.
while :; do sh <>"$port" >&0 2>&1; done
