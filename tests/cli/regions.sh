#!/bin/sh
# regions.sh - regions of interest: marks of the guest, texts of its console, and `report' on them.
. "$(dirname "$0")/../machine/common.inc"

kernel=$BUILD/guest-kernel/pfe8/kernel.elf
initrd=$BUILD/guest-kernel/initrd.cpio
mark=$BUILD/guest-kernel/user/bin/mark
objdump=${CROSS:-riscv64-unknown-elf-}objdump
guest() { # SCRIPT OPTION...
    script=$1
    shift
    run run --audit=off --memory 64M --initrd "$initrd" --append "script=\"$script; poweroff\"" "$@" "$kernel"
}

hints() { "$objdump" -d "$mark" | grep -E 'slti	zero,(a0,1|zero,2)' | sed 's/.*slti//' | sort -u | wc -l; }
claim 'the marks are the hints that the manual says, in the words of objdump' [ "$(hints)" -eq 2 ]

two='mark file sysbench file 3; mark getpid sysbench getpid 20; mark file sysbench file 1'
guest "$two" --timing c906 --report "$work/plain"
claim 'marks cost nothing where nobody looks for them' has_status 0
guest "$two" --timing c906 --region-marks --report "$work/a"
claim 'a run with regions ends as without' has_status 0
claim 'the text has a table of them' has_line '^file  *2 ' "$err"
guest "$two" --timing inorder --region-marks --report "$work/b"
begun='sysbench getpid 2; mark getpid; sysbench getpid 20; sysbench getpid 5; mark; sysbench getpid 3'
guest "$begun" --timing unit --itrace "$work/trace" --function '__riscv_sys_getpid' --region-marks --report "$work/unit"
claim 'the two marks can stand apart' has_status 0

claims_of python3 - "$work" "$BUILD" <<'PY'
import json, subprocess, sys
from claims import claim, finish

work, build = sys.argv[1:]
plain, a, b, unit = (json.load(open(f"{work}/{name}")) for name in ("plain", "a", "b", "unit"))
PARTS = ("issue", "fetch", "data", "branch")
busy = lambda r: [(h["instructions"], h["cycles"], h["parts"]) for h in r["harts"]]
claim("regions change no cycle of the run", busy(plain) == busy(a) and "regions" not in plain)
claim("each region is there once, in order of time", [(r["name"], r["times"]) for r in a["regions"]] == [("file", 2), ("getpid", 1)])
for r in a["regions"]:
    sums = {p: sum(f["parts"][p] for f in r["functions"]) for p in PARTS}
    claim(f"{r['name']}: the functions have all its cycles, by part", sums == r["parts"] and sum(sums.values()) == r["busy_cycles"], (sums, r["parts"]))
    claim(f"{r['name']}: and all entries of sites", sum(f["entries"] for f in r["functions"]) == r["sites"]["entries"] > 50)
for r in b["regions"]:
    claim(f"{r['name']}: the same without a core model", sum(f["cycles"] for f in r["functions"]) == r["busy_cycles"] and "parts" not in r)
symbols = {line.split()[-1]: int(line.split()[0], 16)
           for line in subprocess.run(["nm", f"{build}/guest-kernel/pfe8/kernel.elf"], capture_output=True, text=True).stdout.splitlines()}
getpid = [f for f in unit["regions"][0]["functions"] if f["function"] == "__riscv_sys_getpid"]
claim("a function has the address that nm says", [int(f["address"], 16) for f in getpid] == [symbols["__riscv_sys_getpid"]], getpid)
# All calls have the same path: 2 are before the region, 25 and two of getpid's own for each start within, 3 after it.
lines = [l for l in open(f"{work}/trace") if l.startswith("core")]
calls = sum(f"0x{symbols['__riscv_sys_getpid']:016x}" in l for l in lines)
inside = getpid[0]["entries"]
claim("of a cycle an instruction, a function has as many as the trace has of its calls in the region",
      getpid[0]["cycles"] * calls == len(lines) * inside and 25 <= inside < calls, (getpid, calls, len(lines)))
finish()
PY

guest 'echo one; sysbench getpid 9; echo two; echo one' --timing unit --region-from one --region-to two --report "$work/text" --rows 1
claim 'the text of --region-to ends the run, with status 0' has_status 0
claim '... and what follows is not run' sh -c "[ \$(grep -c '^one' '$out') = 1 ]"
claim '... which the report says' has_line '"ended":"region-over"' "$work/text"
claim '... and has the region' has_line '"name":"console","times":1' "$work/text"
guest 'echo one' --region-from four
claim 'a text that does not come is warned of' has_line "warning: --region-from: the guest has not written .four'" "$err"
run run --region-to x "$kernel"
claim '--region-to wants --region-from' refused 64 '--region-to ends what --region-from begins'
run run --region-marks --region-from x "$kernel"
claim 'marks or a text, not both' refused 64 '--region-marks takes regions from the guest'

run report --diff "$work/b" "$work/a"
claim '--diff shows the regions first' has_line '^region getpid  *A  *B' "$out"
claim '... and then functions, with all cycles of the regions' has_line '^total ' "$out"
run report --diff --json --region getpid "$work/b" "$work/a"
claim_json() { claims_of python3 - "$out" "$work/a" <<'PY'
import json, sys
from claims import claim, finish

d, a = (json.load(open(p)) for p in sys.argv[1:])
region = a["regions"][1]
claim("--json has the same figures as the report", d["of"] == "functions" and [r["b"]["fetch"] for r in d["regions"]] == [region["parts"]["fetch"]])
claim("... of each function", sum(r["b"]["cost"] for r in d["rows"]) == region["busy_cycles"])
changes = [abs(r["b"]["cost"] - r["a"]["cost"]) for r in d["rows"]]
claim("... the greatest change first", changes == sorted(changes, reverse=True) and changes[0] > 0)
finish()
PY
}
claim_json
run report --region nowhere "$work/a"
claim 'a region that is not there is refused' refused 64 '--region: .* has no region .nowhere'
finish
