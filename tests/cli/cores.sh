#!/bin/sh
# cores.sh - core models on the command line, and the files that come with rvftrace.
. "$(dirname "$0")/../machine/common.inc"

run cores
claim 'cores lists what --timing takes' has_status 0
for core in c906 c910 cva6 rocket u74; do
    claim_line "... $core" "^$core " "$out"
done
claim '... with what each is worth' has_line 'held against RTL' "$out" and has_line 'from documents' "$out"

for core in c906 c910 cva6 rocket u74; do
    run cores $core
    claim "... cores $core shows it" has_status 0 and has_line "^$core " "$out"
done

run cores nosuch
claim 'a name that no core has is refused' has_status 64
claim '... in one line' says_one_line "cores: no core model .nosuch.: expected a name that .rvftrace cores. lists"
run run --timing nosuch "$programs/hello.elf"
claim '... also of a run' has_status 64 and says_one_line "--timing: no core model .nosuch.: expected inorder, unit, a name"
run run --timing c9o6 "$programs/hello.elf"
claim '... with the name that was meant, where one is near' says_one_line "--timing: no core model .c9o6. .did you mean .c906...: expected"
run run --timing ./nosuch.core "$programs/hello.elf"
claim 'a file that is not there is another matter' has_status 66
run cores c906 cva6
claim 'one core at a time' has_status 64

echo 'latency.load = fast' >"$work/bad.core"
run run --timing "$work/bad.core" "$programs/hello.elf"
claim 'a bad core file is refused' has_status 65
claim '... with file, line and key' says_one_line ".*/bad.core:1: latency.load: invalid value .fast.: expected a number"
printf 'latency.load = 2\n\0' >"$work/zero.core"
run cores "$work/zero.core"
claim 'a file with a zero byte is no core file' has_status 65

cycles() { sed -n 's/^hart 0 .* instructions *\([0-9,]*\) cycles busy.*/\1/p' "$err"; }
printf 'latency.load = 2\n' >"$work/my.core"
run run --timing "$work/my.core" "$programs/hello.elf"
first=$(cycles)
printf 'latency.load = 9\n' >"$work/my.core"
run run --timing "$work/my.core" "$programs/hello.elf"
claim 'a core file decides cycles' test "$first" != "$(cycles)" -a -n "$first"

run run --timing "$work/my.core" --record "$work/recording" --input /dev/null "$programs/hello.elf"
printf 'latency.load = 8\n' >"$work/my.core"
run run --timing "$work/my.core" --replay "$work/recording" "$programs/hello.elf"
claim 'a recording is of the core file that was used' refused 65 '.*recording'

# As a line has it, without a letter that docs/cores.md explains.
unsourced() { grep -hE '^[a-z0-9_.-]+ *=' cores/*.core | grep -v '^core\.' | grep -v '# \[[A-Z]\]'; }
claim 'every figure of a core has its source' test -z "$(unsourced)"
keys() { sed -n 's/^[NW]([a-z0-9_.]*, "\([^"]*\)".*/\1/p' emu/timing/core.def; sed -n 's/^C(\([a-z_]*\), .*/\1/p' emu/timing/class.def; }
undocumented() { keys | while read -r key; do grep -q "\`$key\`" docs/cores.md || echo "$key"; done; }
claim 'docs/cores.md has every key' test -z "$(undocumented)" -a -n "$(keys)"
finish
