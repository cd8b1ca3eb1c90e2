# landing.S - an indirect jump to a landing pad, and one to another instruction; for landing.sh.
    .globl _start
_start:
    la t0, stuck
    csrw mtvec, t0
    li t0, 1 << 10                  # MLPE: M-mode enforces landing pads
    csrs 0x747, t0                  # mseccfg
    la a0, pad
jump:
    jr a0
    .balign 4
pad:
    .word 0x00000017                # lpad 0
    la a0, other
    jr a0
other:
    nop
    .balign 4
stuck:
    .word 0x00000017
    j stuck
