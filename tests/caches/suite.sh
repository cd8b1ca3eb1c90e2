#!/bin/sh
# suite.sh - the tests of whole guests, of the command line and of the debugger with the build that
# drops its caches at random; each of its runs is repeated by the release build (tests/caches/rvftrace),
# and must be the same to the byte. Takes about a quarter of an hour. With TWICE=engines it is the release
# build, once with native code and once interpreted.
#
#     [TWICE=engines] suite.sh [TEST...]
. "$(dirname "$0")/../claims.sh"
twice=$BUILD/twice
rm -rf "$twice"
mkdir -p "$twice"
for entry in "$BUILD"/*; do
    [ "$entry" = "$twice" ] || ln -s "../$(basename "$entry")" "$twice/"
done
ln -sf "$PWD/tests/caches/rvftrace" "$twice/rvftrace"

# `timeout` is against hanging, and what runs twice takes longer.
mkdir "$twice/bin"
cat >"$twice/bin/timeout" <<SCRIPT
#!/bin/sh
[ "\$1" -ge 20 ] 2>/dev/null && { seconds=\$((\$1 * 10)); shift; set -- "\$seconds" "\$@"; }
exec $(command -v timeout) "\$@"
SCRIPT
chmod +x "$twice/bin/timeout"
PATH=$(realpath "$twice")/bin:$PATH
export PATH

# Those that compare builds themselves, or run none, have nothing to do here; those about terminals,
# recordings, signals, the host's time and its memory need the emulator itself and not a program around it.
[ "$#" -gt 0 ] || set -- $(grep -lE 'rvftrace|common\.inc|truth|soak' \
    tests/guest/*.sh tests/machine/*.sh tests/cli/*.sh tests/debug/*.sh |
    grep -vE '/(lib|bounds|many-sites|native|caches|stress|console|input|output|replay|guest-terminal|virtio-flood)\.sh$|/qemu-')

try env BUILD="$twice" tests/run "$@"
[ "$status" -eq 0 ] || failed=1
same=$(grep -c '^same: ' "$twice/log")
different=$(grep -c '^different: ' "$twice/log")
grep '^different: ' "$twice/log" | cut -c 1-300 | sed 's/^/# /'
[ "$TWICE" = engines ] && what='with either engine' || what='without their caches'
claim "$same runs are the same $what" test "$same" -gt 0 -a "$different" -eq 0
finish
