#!/bin/sh
# flow.sh - return addresses beside a shadow stack, and landing pads, in a kernel that has both (tests/machine/flow):
# what the audit says of each mistake, and that it is silent without one. Then a tracer that uses vector registers.
. "$(dirname "$0")/common.inc"

march=rv64g source=flow isa=rv64gc_zimop_zcmop_zicfilp_zicfiss
# kernel NAME [FLAGS...]: builds it.
kernel() {
    name=$1
    shift
    "${CROSS}gcc" -nostdlib -march=$march -mabi=lp64d -mcmodel=medany -Wl,--no-relax,--build-id=none,-Ttext=0x80200000 \
        -Wl,--no-warn-rwx-segments "$@" -o "$work/$name.elf" tests/machine/flow/$source.S
}
# trace NAME [OPTIONS...]
trace() {
    kernel=$work/$1.elf
    shift
    run run --quiet --firmware builtin --isa "$isa" --max-insns 1M "$@" "$kernel"
}
has_fact() { has_line "^ *$1 .*$2" "$err"; }

kernel sound
for stores in prompt delayed random:1 any:2; do
    trace sound --stores "$stores"
    claim "a tracer that replaces the entry, too, is not noticed, stores $stores" has_status 0 and says_nothing
done

kernel keep -DKEEP_ENTRY
trace keep
claim 'a return address that is replaced in the frame alone is found' rules_are shadow-stack-mismatch
claim '... with the site, the return handler, and the address that was expected' has_fact site work and \
    has_fact returns return_to_handler and has_fact expected _start and has_fact why 'was not'
kernel lose -DLOSE_ENTRY
trace lose
claim 'so is an entry of the shadow stack that is replaced alone' rules_are shadow-stack-mismatch and \
    has_fact expected return_to_handler

kernel pad -DNO_PAD
trace pad
claim 'a tracer without a landing pad is found' rules_are missing-landing-pad and has_fact reached tracer and \
    has_fact why 'not lpad'
kernel over -DOVER_PAD
trace over
claim 'a landing pad that is patched is found, with the store' rules_are missing-landing-pad and has_fact written _start and \
    has_fact executed nop and has_fact why 'last store'

march=rv64gv_zifencei source=vectors isa=rv64gcv
kernel vectors
trace vectors
claim 'a tracer that saves the vector registers that it uses is not noticed' has_status 0 and says_nothing
kernel clobber -DCLOBBER
trace clobber
claim '... and one that does not is found, by those that a call must keep' rules_are clobbered-register and \
    has_fact before 'v24 = 0x706050403020100' and has_fact after 'v24 = 0xffffffffffffffff'

isa=rv64gc_zimop_zcmop
trace keep
claim 'a machine without them runs the same code' has_status 7
finish
