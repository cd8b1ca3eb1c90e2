#!/bin/sh
# litmus.sh - `rvftrace litmus`: the tests in tests/litmus show no outcome that is forbidden, malformed tests are refused with
# a line number, and each outcome's schedule runs to that outcome.
. "$(dirname "$0")/../machine/common.inc"

tests=$(dirname "$0")/../litmus

run litmus
claim 'no test is refused' refused 64 '.*no litmus test'
run litmus "$work/nothing.litmus"
claim 'so is one that does not exist' has_status 66

run litmus --quiet --expect "$tests/expected" "$tests"
claim 'the tests of this folder show nothing that is forbidden' has_status 0
claim 'all of them are run' has_line '^Tests [0-9]*: [0-9]* run$' "$out"
grep 'but not seen' "$out" >"$work/not_seen" || :
claim 'all that may be seen is seen' cmp /dev/null "$work/not_seen"

# The axioms of RVWMO say which states of these tests are permitted: tools/rvwmo, which shares nothing with the machine.
claim 'the states are those that the axioms permit' "$tests/../long/litmus_suite.py" --results "$work/axioms" "$tests"
few="$tests/both-late.litmus $tests/post-and-flag.litmus $tests/relay.litmus"
# shellcheck disable=SC2086 # three words
claim_status 1 'which those of a machine without late stores are not' "$tests/../long/litmus_suite.py" --results "$work/prompt" --machine=--stores=prompt $few
# shellcheck disable=SC2086
claim_status 1 'and RVWMO is not TSO' "$tests/../long/litmus_suite.py" --results "$work/tso" --ztso $few

claim 'with Ztso they are those that its axioms permit' "$tests/../long/litmus_suite.py" --results "$work/ztso" --ztso --machine=--isa --machine=rv64gc_ztso_zalasr "$tests"

"$tests/../long/litmus_random.py" --seed 25 --count 6 "$work/random"
claim 'and those of tests of random accesses' "$tests/../long/litmus_suite.py" --seconds 5 --results "$work/axioms" "$work/random"

# A wrong expectation: each direction is told.
echo 'two-spots Forbid' >"$work/wrong"
run litmus --expect "$work/wrong" "$tests/two-spots.litmus"
claim 'an outcome that is expected never fails the run' has_status 80
claim 'and is named' has_line '^Expected two-spots Forbid: FORBIDDEN, but seen' "$out"
printf 'Test two-spots Allowed\nStates 2\n1:x8=1; 1:x9=1;\n5:>1:s1=7; 1:s0=1;\nNo\n\n' >"$work/log"
run litmus --expect "$work/log" "$tests/two-spots.litmus"
claim 'states that a log does not have fail the run' has_status 80
claim 'each of them is named' has_line '^Forbidden and seen: 1:x8=7; 1:x9=1;' "$out"
printf 'Test two-spots Allowed\nStates 5\n1:x8=1; 1:x9=1;\n1:x8=1; 1:x9=7;\n1:x8=7; 1:x9=1;\n1:x8=7; 1:x9=7;\n1:x8=9; 1:x9=9;\nOk\n\n' >"$work/log"
run litmus --expect "$work/log" "$tests/two-spots.litmus"
claim 'a state that is only in the log does not' has_status 0
claim 'and is named, too' has_line '^Allowed and not seen: 1:x8=9; 1:x9=9;' "$out"

(cd "$tests" && sed -n 's/^\([a-z][^ ]*\) .*/\1.litmus/p' expected-ztso) >"$work/total"
# shellcheck disable=SC2046 # names without blanks
run litmus --quiet --isa rv64gc_ztso --expect "$tests/expected-ztso" $(sed "s,^,$tests/," "$work/total")
claim 'with Ztso the plain shapes show what TSO permits, and all of it' has_status 0
claim '... each as expected' has_line "^Expected 9: 9 as seen; forbidden and seen 0$" "$out"
run litmus --isa rv64gc_frob "$tests/two-spots.litmus"
claim 'an extension that does not exist is refused' refused 64 '.*frob is not implemented'

run litmus --fetch ordered "$tests/two-spots.litmus"
claim 'fetches in program order do not see the new instruction, then the old' has_line 'Observation two-spots Never' "$out"
claim 'which is no error of ours, and status 1' has_status 1
run litmus --fetch ordered "$tests/publish-code.litmus"
claim 'but code behind a flag may be old' has_line 'Observation publish-code Sometimes' "$out"
run litmus --fetch coherent --stores prompt "$tests/patch-own.litmus"
claim 'coherent fetch sees the new instruction' has_line 'Observation patch-own Never' "$out"

run litmus --near "$tests/reserved-elsewhere.litmus"
claim 'an sc may succeed elsewhere where locations share a line' has_line 'Observation reserved-elsewhere Sometimes' "$out"

# Without Variant=self fetches are no accesses, unless code is written: even if nothing at the start names it.
cat >"$work/unnamed.litmus" <<'END'
RISCV unnamed
{ 0:t1=0x00700413; }
 P0          ;
 auipc t0,0  ;
 sw t1,8(t0) ;
 li s0,1     ;
exists (0:s0=1)
END
run litmus "$work/unnamed.litmus"
claim 'code that is written may be fetched as it was, in any test' has_line 'Observation unnamed Sometimes' "$out"

# malformed NAME PATTERN: the test on standard input is refused with that message, and the next one is run all the same.
malformed() {
    cat >"$work/$1.litmus"
    run litmus "$work/$1.litmus" "$tests/counter.litmus"
    has_status 65 && grep -q "Cannot be run: .*$2" "$out" && grep -q '^Test counter' "$out"
}
claim 'a start without its end is refused' malformed start ':[0-9]*: ' <<'END'
RISCV start
{ 0:x5=1;
 P0 ;
 nop ;
exists (0:x5=1)
END
claim 'so is a register that does not exist' malformed register ':2: .*x32.* is no integer register' <<'END'
RISCV register
{ 0:x32=1; }
 P0 ;
 nop ;
exists (0:x5=1)
END
claim 'so is an instruction that does not' malformed insn ':4: the assembler: .*frob' <<'END'
RISCV insn
{ }
 P0 ;
 frob x1,x2 ;
exists (0:x5=1)
END
claim 'so is a label that no program has' malformed label ':4: an instruction names a label that no program has' <<'END'
RISCV label
{ }
 P0 ;
 j nowhere ;
exists (0:x5=1)
END
claim 'so is a condition with an open parenthesis' malformed condition ':5: expected' <<'END'
RISCV condition
{ }
 P0 ;
 nop ;
exists (0:x5=1
END
printf 'AArch64 other\n{ }\n P0 ;\n NOP ;\nexists (0:X1=0)\n' >"$work/other.litmus"
run litmus "$work/other.litmus"
claim 'a test for another architecture is passed over' has_line '^Tests 1: 0 run, 1 not of RISC-V' "$out"
claim 'a file that is no test is not, and its first word is named' malformed notes ':1: no litmus test: it begins with .Some' <<'END'
Some notes about RISCV
{ }
END

cat >"$work/endless.litmus" <<'END'
RISCV endless
{ 0:a0=x; }
 P0                 ;
 again:             ;
 amoadd.w x5,x6,(a0);
 addi x6,x6,1       ;
 j again            ;
exists (0:x5=1)
END
run litmus --steps 100 "$work/endless.litmus"
claim 'a test without an end is cut, and says so' has_status 75
claim 'in words' has_line '^Not complete' "$out"

# Each outcome of two tests, run again in the debugger: the registers are those of the outcome.
replays() { # NAME HARTS REGISTER...: registers of the last hart
    name=$1 harts=$2 last=$(($2 - 1))
    shift 2
    run litmus --save "$work/saved" "$tests/$name.litmus"
    { echo "break *P${last}_end"; echo continue; for r; do echo "print/d \$$r"; done; } >"$work/commands"
    grep '>' "$out" | sed 's/^[^>]*>//' >"$work/outcomes"
    n=0
    while read -r outcome; do
        n=$((n + 1))
        command=$(sed -n 's/^# rvftrace //p' "$work/saved/$name.$n.schedule")
        # shellcheck disable=SC2086 # the command is words
        run $command --audit off --commands "$work/commands" --batch --quiet
        for r; do
            value=$(sed -n 's/^\$[0-9]* = //p' "$out" | head -1)
            sed -i '0,/^\$[0-9]* = /{/^\$[0-9]* = /d}' "$out"
            case $outcome in
            *"$last:x$(register "$r")=$value;"*) ;;
            *) echo "$outcome, but $r is $value" && return 1 ;;
            esac
        done
    done <"$work/outcomes"
    [ "$n" -ge 3 ]
}
register() { case $1 in s0) echo 8 ;; s1) echo 9 ;; s2) echo 18 ;; esac; }
claim 'the schedules of late fetches run to their outcomes' replays two-spots 2 s0 s1
claim 'so do those of orders of the harts' replays two-witnesses 4 s0 s1
claim 'so do those of late stores and loads' replays post-and-flag-fence-i 2 s0 s1
claim 'so do those of stores that leave in another order' replays overwritten-then-blind-fenced 2 s0
claim 'so do those of translations' replays remap-other 2 s0 s2
finish
