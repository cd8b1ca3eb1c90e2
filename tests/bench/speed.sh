#!/bin/sh
# shellcheck disable=SC2317 # check and exits call by name
#
# speed.sh - what tools/bench-speed promises. How fast it finds the emulator is
# no claim: the host has other things to do.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/bench/lib.sh

speed() {
    tools/bench-speed --build "$BUILD" --emulator "$rvftrace" --runs 1 --scale 0.4 "$@"
}

check "it measures and ends well" speed --workload mix --workload kernel \
    --only qemu-system-riscv64 --only again \
    --peer "again=$rvftrace run --quiet --memory 256M --append '{append}' {image}" \
    --json "$work/speed.json"
check "three emulators did the same work" python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert list(j["workloads"]) == ["mix", "kernel"]
for w in j["workloads"].values():
    assert list(w["speeds"]) == ["rvftrace", "qemu-system-riscv64", "again"]
    assert all(s["min"] <= s["median"] <= s["max"] for s in w["speeds"].values())
    assert all(abs(s["mips"][0] * s["user_seconds"][0] * 1e6 - w["instructions"]) < 1000
               for s in w["speeds"].values())' "$work/speed.json"
check "it compares eight harts with one" speed --workload harts-calls --json "$work/harts.json"
check "eight did as much as one, in all" python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert not j["workloads"] and list(j["growths"]) == ["harts-calls"]
one = j["growths"]["harts-calls"]
small, large = one["forms"]["1 hart"], one["forms"]["8 harts"]
assert abs(large["instructions"] / small["instructions"] - 1) < 0.1
assert one["ratio"]["median"] == large["median"] / small["median"]' "$work/harts.json"
exits 64 "runs too short to measure" speed --workload calls --scale 0.001
exits 64 "an unknown placeholder" speed --workload calls --peer "odd=true {what}"
exits 64 "a workload that is not there" speed --workload nothing
exits 64 "an emulator to look at that is not there" speed --only nothing
exits 66 "an emulator that is not there" speed --emulator "$work/nowhere"
exits 66 "a QEMU that is not there" speed --qemu "$work/nowhere"
exits 70 "a peer with another result" speed --workload calls --only liar \
    --peer "liar=echo 'bench calls: scale=8 checksum=0'"

exit $failed
