#!/bin/sh
# shellcheck disable=SC2317 # check and exits call by name
#
# speed.sh - what tools/bench-speed promises. How fast it finds the emulator is
# no claim: the host has other things to do.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/bench/lib.sh

speed() {
    tools/bench-speed --build "$BUILD" --emulator "$rvftrace" --runs 1 --iterations 40000 "$@"
}

check "it measures and ends well" speed --json "$work/speed.json"
check "three machines did the same work" python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert list(j["speeds"]) == ["rvftrace", "rvftrace, accounting and audit off",
                             "qemu-system-riscv64"]
assert all(s["min"] <= s["median"] <= s["max"] for s in j["speeds"].values())
assert all(abs(s["mips"][0] * s["user_seconds"][0] * 1e6 - j["instructions"]) < 1000
           for s in j["speeds"].values())' "$work/speed.json"
exits 64 "runs too short to measure" speed --iterations 1
exits 66 "an emulator that is not there" speed --emulator "$work/nowhere"
exits 66 "a QEMU that is not there" speed --qemu "$work/nowhere"
printf '#!/bin/sh\necho "work calls: n=1 result=0 calls=1 cycles=1 insns=1"\n' >"$work/liar"
chmod +x "$work/liar"
exits 70 "a QEMU with another result" speed --qemu "$work/liar"

exit $failed
