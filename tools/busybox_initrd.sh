#!/bin/sh
# busybox_initrd.sh [FILE] - makes an initrd for the guest kernel with Debian's static busybox, which is fetched once
# (tests/linux/guests.sh: LINUX_CACHE, DEBIAN_MIRROR). FILE: build/busybox.cpio. In the guest, the command `bb` links busybox's
# commands into /bin and starts its shell.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/busybox.cpio}
cache=${LINUX_CACHE:-.cache/linux}
tests/linux/guests.sh busybox
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$(dirname "$out")"
install -m 755 "$cache/busybox" "$root/bin/busybox"
printf '#!/bin/sh\n/bin/busybox --install -s /bin\nexec /bin/ash\n' >"$root/bin/bb"
chmod 755 "$root/bin/bb"
(cd "$root" && find bin | LC_ALL=C sort | cpio --quiet -o -H newc) >"$out"
echo "$out: rvftrace run --initrd $out KERNEL, then: bb"
