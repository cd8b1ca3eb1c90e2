#!/bin/sh
# shellcheck disable=SC2317 # claim and exits call by name
#
# speed.sh - tests of tools/bench-speed. The speeds are not tested: the host may be busy.
. "$(dirname "$0")/lib.sh"

speed() {
    tools/bench-speed --build "$BUILD" --emulator "$rvftrace" --runs 1 --scale 0.4 "$@"
}

claim "it measures and ends well" exits 0 speed --workload mix --workload kernel \
    --only qemu-system-riscv64 --only again --only "rvftrace --timing c906" \
    --peer "again=$rvftrace run --quiet --memory 256M --append '{append}' {image}" \
    --json "$work/speed.json"
cp "$out" "$work/table"
claim "it names the emulator's version" has_line "^rvftrace $("$rvftrace" --version | sed -n '1s/^rvftrace \([^ ]*\) .*/\1/p'), 1 run each" "$work/table"
claim "four emulators did the same work" python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert list(j["workloads"]) == ["mix", "kernel"]
for w in j["workloads"].values():
    assert list(w["speeds"]) == ["rvftrace", "rvftrace --timing c906", "qemu-system-riscv64", "again"]
    timed, qemu = w["speeds"]["rvftrace --timing c906"]["median"], w["speeds"]["qemu-system-riscv64"]["median"]
    assert list(w["timed_ratios"]) == ["c906"] and w["timed_ratios"]["c906"]["median"] == timed / qemu
    assert all(s["min"] <= s["median"] <= s["max"] for s in w["speeds"].values())
    assert all(abs(s["mips"][0] * s["user_seconds"][0] * 1e6 - w["instructions"]) < 1000
               for s in w["speeds"].values())' "$work/speed.json"
claim "a core model is beside QEMU, with its aim" has_line '^rvftrace --timing c906  *0\.' "$work/table" and has_line '^aim, of a core model  *0.200' "$work/table"
claim "and so does the host, where it can" exits 0 speed --workload mix --workload float --scale 1 \
    --only "native code" --json "$work/native.json"
claim "who has no native code is left out" python3 -c 'import json, sys
w = json.load(open(sys.argv[1]))["workloads"]
assert [list(one["speeds"]) for one in w.values()] == [["rvftrace", "native code"], ["rvftrace"]]
assert 0 < w["mix"]["ratios"]["native code"]["median"] < 10' "$work/native.json"
claim "it compares rvftrace with itself, and boots" exits 0 speed --scale 0.4 --workload harts-calls \
    --workload sites --workload startup --workload demo --workload syscall --workload reuse \
    --only qemu-system-riscv64 --json "$work/itself.json"
claim "the larger form did as much as the small one" python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert list(j["workloads"]) == ["reuse", "syscall"]
assert list(j["growths"]) == ["harts-calls", "sites"]
for growth in j["growths"].values():
    small, large = growth["forms"].values()
    assert abs(large["instructions"] / small["instructions"] - 1) < 0.1
    assert growth["ratio"]["median"] == large["median"] / small["median"]
    assert large["peak_bytes"] > small["peak_bytes"]
    assert all(len(s["start_seconds"]) == 1 for s in (small, large))' "$work/itself.json"
claim "a system call and a switch were done as QEMU does them" python3 -c 'import json, sys
w = json.load(open(sys.argv[1]))["workloads"]["syscall"]
assert "getpid: n=160000 " in w["result"] and "pipe: n=1600 " in w["result"]
assert list(w["speeds"]) == ["rvftrace", "qemu-system-riscv64"]' "$work/itself.json"
claim "boots are on the clock" python3 -c 'import json, sys
b = json.load(open(sys.argv[1]))["boots"]
assert list(b) == ["startup", "demo"]
assert list(b["startup"]["times"]) == ["rvftrace"] and not b["startup"]["ratio"]
for one in b["demo"]["times"].values():
    assert one["seconds"][0] == one["min"] == one["max"] > 0' "$work/itself.json"
sites() {
    "$rvftrace" run --quiet --memory 256M --report "$work/report" --append scale=0 \
        "$BUILD/guest/bench/sites-100.elf" &&
        python3 -c 'import json, sys; sys.exit(len(json.load(open(sys.argv[1]))["sites"]) != 100)' \
            "$work/report"
}
claim "a hundred sites are a hundred" sites
# The report of a hundred thousand sites has 45 MB, which must not be in memory at once.
claim "a report of many sites takes little memory" python3 -c 'import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "tools")
import benchlib
run = (sys.argv[1], "run", "--quiet", "--memory", "256M", "--report", sys.argv[2],
       "--append", "scale=0", sys.argv[3])
assert 0 < benchlib.peak_memory(run) < 100e6' "$rvftrace" "$work/report" "$BUILD/guest/bench/sites-100000.elf"
claim "a Linux that is not there: exit status 66" exits 66 speed --workload linux --linux "$work/nowhere"
mkdir -p "$work/linux/debian-13"
cp "$BUILD/guest/fail.elf" "$work/linux/debian-13/Image"
: >"$work/linux/initramfs.cpio"
claim "a Linux that does not come to its end: exit status 70" exits 70 speed --workload linux --linux "$work/linux"
claim "runs too short to measure: exit status 64" exits 64 speed --workload calls --scale 0.001
claim "an unknown placeholder: exit status 64" exits 64 speed --workload calls --peer "odd=true {what}"
claim "a peer by the name of another: exit status 64" exits 64 speed --workload calls --peer "native code=true"
claim "a workload that is not there: exit status 64" exits 64 speed --workload nothing
claim "an emulator to look at that is not there: exit status 64" exits 64 speed --only nothing
claim "an emulator that is not there: exit status 66" exits 66 speed --emulator "$work/nowhere"
claim "a QEMU that is not there: exit status 66" exits 66 speed --qemu "$work/nowhere"
claim "a plugin that is not there: exit status 66" exits 66 speed --cache-plugin "$work/nowhere"
claim "a peer with another result: exit status 70" exits 70 speed --workload calls --only liar \
    --peer "liar=echo 'bench calls: scale=8 checksum=0'"

finish
