#!/bin/sh
# written.sh - code that a debugger writes: by gdb's load, set and restore, and by the debugger's set. All harts run it at
# once, and the auditor has nothing to say, unless autofence is off.
. "$(dirname "$0")/common.inc"

for value in 1 5; do
    compile "$work/$value.elf" -march=rv64ima_zicsr_zifencei -mabi=lp64 -DVALUE=$value tests/debug/written.S
done
"${CROSS}objcopy" -O binary -j .text "$work/5.elf" "$work/5.bin"
five=0x00500513 # li a0,5

# ---- gdb ----

# What both harts have from the function before and after gdb's COMMANDS, and after their own fence.i.
in_gdb() { # OPTIONS COMMANDS...
    server="exec $rvftrace debug --quiet --harts 2 --audit=fail $1 --gdb - $work/1.elf"
    shift
    for command in 'stepi 200' 'thread 2' 'stepi 200' 'thread 1' 'print {long[2]}&results' "$@" \
        'set {long[2]}&go = {0, 0}' 'stepi 200' 'thread 2' 'stepi 200' 'print {long[2]}&results' \
        'monitor findings' 'set {long[2]}&go = {1, 1}' 'stepi 200' 'thread 1' 'stepi 200' 'print {long[2]}&results'; do
        echo "$command"
    done >"$work/commands"
    timeout 300 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' -ex "target remote | $server" \
        -x "$work/commands" "$work/1.elf" >"$out" 2>&1
    sed -n 's/^\$[0-9]* = {\(.*\), \(.*\)}$/\1\2/p' "$out" | xargs >"$work/values"
}
values_are() { [ "$(cat "$work/values")" = "$1" ]; }

in_gdb '' "load $work/5.elf" 'set $pc = loop' 'thread 2' 'set $pc = loop' 'thread 1'
claim 'after a load both harts run the new code' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb '' "set {unsigned}&patch = $five"
claim 'after a set, too' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb '' "restore $work/5.bin binary 0x80000000"
claim '... and after a restore' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb --history-max=0 "set {unsigned}&patch = $five"
claim '... and without a history' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb --fetch=random:7 "set {unsigned}&patch = $five"
claim '... and in all modes of fetching' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb --audit=warn 'monitor autofence off' "set {unsigned}&patch = $five" 'monitor autofence'
claim 'with autofence off they run the old code until their fence.i' values_are '11 11 55' and has_line '^autofence is off' "$out"
claim_line '... and the auditor says so' 'stale-fetch' "$out"
in_gdb --audit=warn 'monitor autofence off' "set {unsigned}&patch = $five" 'monitor autofence on' "set {unsigned}&patch = $five"
claim 'code that is written again with autofence on is new, though memory had it already' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb '' "set {unsigned}&patch = $five" 'monitor checkpoint' 'stepi 300' 'monitor restart 1' \
    'maintenance flush register-cache'
claim 'a checkpoint after the write has the new code for all harts' values_are '11 55 55' and has_line 'no findings' "$out"
in_gdb '' 'monitor checkpoint' "set {unsigned}&patch = $five" 'stepi 300' 'monitor restart 1' \
    'maintenance flush register-cache'
claim '... and one before it the old code' values_are '11 11 11' and has_line 'no findings' "$out"

# ---- the built-in debugger ----

cat >"$work/session" <<S
# Code that the debugger writes.
> show autofence
^.autofence is on
> stepi 200
> hart 1
> stepi 200
> set *(int *)patch = $five
> icache patch
li +a0,5
hart 0 +as memory
hart 1 +as memory
! stale
> stepi 10
> print *(long *)((char *)&results + 8)
= 5
> stepi 200
> reverse-stepi 150
> print *(long *)((char *)&results + 8)
= 5
> reverse-continue
> print *(long *)((char *)&results + 8)
= 1
> stepi 200
> print *(long *)((char *)&results + 8)
= 5
> save $work/written.rvs
> findings
no findings
> set autofence off
> show autofence
^.autofence is off
> set *(int *)patch = 0x00700513
> icache patch
li +a0,7
stale
> stepi 200
> print *(long *)((char *)&results + 8)
= 5
> set autofence maybe
expected
> set autofence on
> show autofence
^.autofence is on
S
in_each_build "$work/session" --harts 2 "$work/1.elf"

# ---- a site that is made to call a function which is no trampoline ----

wrong_call() { # AUTOFENCE
    cat >"$work/commands" <<S
set autofence $1
tbreak drop_caches
continue
set \$site = (long)&drop_caches + 12
set \$far = (long)&ksys_sync - \$site
set *(unsigned *)\$site = 0x97 + ((\$far + 0x800) & 0xfffff000)
set *(unsigned *)(\$site + 4) = 0x80e7 + ((\$far & 0xfff) << 20)
patches drop_caches 1
tbreak ksys_sync
continue
continue
findings
S
    try "$rvftrace" debug --quiet --harts 2 --append 'script="echo 1 > /proc/sys/vm/drop_caches; poweroff"' \
        --commands "$work/commands" "$BUILD/guest-kernel/mcount/kernel.elf" >"$out" 2>"$err" </dev/null
}
wrong_call on
claim 'what a debugger writes to a site is no finding' has_status 0 and has_line 'breakpoint 2, hart' "$out" and \
    has_line '^no findings' "$out" and has_line 'fenced: all harts, by the debugger' "$out"
wrong_call off
claim '... and with autofence off it is one' has_line 'stale-fetch' "$out" and has_line 'fenced: hart 0 not yet' "$out"

try "$rvftrace" run --quiet --audit=fail --restore "$work/written.rvs" --max-insns 8000 >"$out" 2>"$err" </dev/null
claim 'a run from a file that was saved after the write has no finding' has_status 75 and no_line stale-fetch "$err"
finish
