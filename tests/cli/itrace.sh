#!/bin/sh
# itrace.sh - `run --itrace' writes what Spike's commit log has, and `check-trace' judges the fetches of such a log.
. "$(dirname "$0")/../machine/common.inc"

trace=$work/run.trace

verdict() { # LINE...: the image of three instructions with a log of these lines, each without its `core'
    log=$work/hand.log
    for line in "$@"; do echo "core   $line"; done >"$log"
    try "$rvftrace" check-trace "$log" "$work/image" >"$out" 2>"$err"
}
counts_are() { has_line "^fresh $1, stale and permitted $2, wrong $3, unknown $4\$" "$out"; }

# ---- the trace of a run ----
run run -q --audit=off --itrace "$trace" "$programs/selfpatch.elf"
claim 'a run with --itrace ends as without' has_status 0
claim_calls() { claims_of python3 - "$trace" <<'PY'
import re, sys
from claims import claim, finish

lines = open(sys.argv[1]).read().splitlines()
form = re.compile(r"core +\d+: [013] 0x[0-9a-f]{16} \((0x[0-9a-f]{4}|0x[0-9a-f]{8})\)"
                  r"( [xf]\d\d? +0x[0-9a-f]{16}| c\d+_\w+ 0x[0-9a-f]{16})*"
                  r"( mem 0x[0-9a-f]{16}( 0x([0-9a-f]{2}){1,8})?)*$")
claim("each line has the form of Spike's commit log", all(map(form.match, lines)), [l for l in lines if not form.match(l)][:3])
claim("the first one is the first instruction of the image, which reads mhartid",
      lines[0] == "core   0: 3 0x0000000080000000 (0xf1402573) x10 0x0000000000000000", lines[0])
claim("a CSR is named by number and name", any("c773_mtvec 0x" in l for l in lines))
claim("a load has its address, a store the address and the bytes",
      any(re.search(r"x\d+ +0x\w{16} mem 0x\w{16}$", l) for l in lines) and any(re.search(r"\) mem 0x0{8}10000000 0x62$", l) for l in lines))
pcs = [l.split()[3] for l in lines]
claim("a jump has its link, and is followed by its target",
      any(" x1  0x" in l and int(l.split()[6], 16) == int(l.split()[3], 16) + len(l.split()[4]) // 2 - 2 for l in lines))
stored = [l for l in lines if l.endswith(" mem 0x0000000080000302 0x0020")]
claim("the store to the code is there, and the stale word after it",
      len(stored) == 1 and any("(0x00100513)" in l for l in lines[lines.index(stored[0]):]), stored)
finish()
PY
}
claim_calls
run check-trace "$trace" "$programs/selfpatch.elf"
claim 'the old instruction that a hart runs without a fence is stale, and permitted' counts_are 309 1 0 0
claim '... with the status 0' has_status 0
claim '... and with who has changed it' has_line '^  changed    by core 0 in line 167, at 0x800000b6 .main.0x3a.$' "$out"
run run -q --audit=off --fetch coherent --itrace "$trace" "$programs/selfpatch.elf"
run check-trace "$trace" "$programs/selfpatch.elf"
claim 'what a coherent machine fetches is fresh' counts_are 310 0 0 0
run run -q --audit=off --harts 2 --itrace - --console none "$programs/crosspatch-fence.elf"
cp "$out" "$trace"
run check-trace "$trace" "$programs/crosspatch-fence.elf"
claim 'two harts, of which one has the other fence, are fresh' counts_are "$(grep -c ': [013] 0x' "$trace")" 0 0 0
claim 'an interrupt is a line as spike -l has it' has_line '^core   1: exception interrupt #3, epc 0x0000000080' "$trace"
run run -q --harts 2 --itrace - --console none "$programs/sv39.elf"
cp "$out" "$trace"
run check-trace "$trace" "$programs/sv39.elf"
claim 'addresses are translated by the page tables of the trace' has_line 'wrong 0, unknown 0$' "$out"
for engine in '--stores delayed' '--timing c906'; do
    # shellcheck disable=SC2086 # options
    run run -q --audit=off $engine --itrace - --console none "$programs/hello.elf"
    cp "$out" "$work/engine.trace"
    run run -q --audit=off --itrace - --console none "$programs/hello.elf"
    claim "$engine: the same instructions" cmp "$out" "$work/engine.trace"
done

# ---- parts of a trace ----
run run -q --itrace - --console none "$programs/hello.elf"
cp "$out" "$trace"
run run -q --itrace - --console none --from step:11 --until step:20 "$programs/hello.elf"
claim 'from step 11 to step 20, the instructions before counted, are ten lines' cmp "$out" - <<X
$(sed -n 12,21p "$trace")
X
run run -q --itrace - --console none --function 'put*' "$programs/hello.elf"
claim 'the instructions of a function are those at its addresses' eval '[ -s "$out" ] && ! grep -v -x -F -f "$trace" "$out" && ! grep -q " 0x0000000080000000 (" "$out"'
run run -q --harts 2 --only-hart 1 --itrace - --console none "$programs/crosspatch-fence.elf"
claim 'one hart of two' eval '[ -s "$out" ] && ! grep -v "^core   1: " "$out"'
run run --from 5 "$programs/hello.elf"
claim 'without --log, --trace and --itrace there is nothing to select' refused 64 '--from, --until, --function, --only-hart and --task select'

# ---- logs of other machines, by hand: li a0,1; li a0,2 is stored over it ----
printf '\023\005\020\000\023\005\020\000\202\200' >"$work/image"
store='0: 3 0x0000000080000100 (0x00d72023) mem 0x0000000080000000 0x00200513'
verdict '0: 3 0x0000000080000000 (0x00100513) x10 0x0000000000000001'
claim 'by hand: what the image has is fresh' counts_are 1 0 0 0
verdict "$store" '0: 3 0x0000000080000000 (0x00100513) x10 0x0000000000000001'
claim 'by hand: the former word without a fence is stale' counts_are 0 1 0 1
verdict "$store" '0: 3 0x0000000080000000 (0x00200513) x10 0x0000000000000002'
claim 'by hand: the new one is fresh' counts_are 1 0 0 1
verdict "$store" '0: 3 0x0000000080000104 (0x0000100f)' '0: 3 0x0000000080000000 (0x00100513)'
claim 'by hand: the former word after a fence.i is wrong' counts_are 0 0 1 2
claim '... with the status 80' has_status 80
claim '... and its evidence' has_line '^wrong: line 3: core 0 at 0x80000000: former bytes, which had gone' "$out"
claim '... the fence' has_line 'the last one before is in line 2$' "$out"
verdict "$store" '0: 3 0x0000000080000104 (0x0000100f)' '1: 3 0x0000000080000000 (0x00100513)'
claim 'by hand: a fence.i of another hart does not count' counts_are 0 1 0 2
verdict "$store" '1: >>>>  fence.i' '1: 3 0x0000000080000000 (0x00100513)'
claim 'by hand: one that firmware has executed for the hart does' counts_are 0 0 1 1
verdict '0: 3 0x0000000080000000 (0x00300513)'
claim 'by hand: a word that was never there is wrong' counts_are 0 0 1 0
claim '... and says so' has_line 'these bytes were never there$' "$out"
verdict '0: 3 0x0000000080000100 (0x00d71023) mem 0x0000000080000000 0x0593' \
    '0: 3 0x0000000080000104 (0x00d71023) mem 0x0000000080000002 0x0020' '0: 3 0x0000000080000000 (0x00200513)'
claim 'by hand: halves of an aligned word that were never together are wrong' has_line '^torn: line 3' "$out"
try "$rvftrace" check-trace --torn=allowed "$log" "$work/image" >"$out" 2>"$err"
claim '... but not without Ziccif' has_status 0
verdict '0: 3 0x0000000080000100 (0x00d71023) mem 0x0000000080000006 0x0020' \
    '0: 0x0000000080000004 (0x00100513) li a0, 1' '0: 3 0x0000000080000004 (0x00200513) x10 0x2 mem 0x0000000090000000' \
    '0: exception trap_breakpoint, epc 0x0000000080000004'
claim 'by hand: disassembly and exceptions of spike -l are passed over' counts_are 1 0 0 1
printf 'not a log\n' >"$work/text"
try "$rvftrace" check-trace "$work/text" "$work/image" >"$out" 2>"$err"
claim 'a file without commits is refused' refused 65 '.*text: has no commits'
try "$rvftrace" check-trace "$work/none" "$work/image" >"$out" 2>"$err"
claim 'a missing file is refused' refused 66 '.*none: '
run check-trace "$log" "$mcount"
cp "$out" "$work/by-path"
run check-trace "$log" guest:mcount
claim 'guest:NAME is the kernel of that layout' test ! -s "$err" and cmp "$out" "$work/by-path" and test -s "$out"
run run guest:
claim 'without a name, guest: is answered with all names' refused 66 'guest:: no name; .* has .*mcount'
try "$rvftrace" check-trace "$log" >"$out" 2>"$err"
claim 'a missing image is refused' refused 64 'no image'
finish
