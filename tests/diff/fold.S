# fold.S - the hash of what became of a case, which vector.S and cfi.S keep: its value and the number of
# the case at S_HASH and S_NUMBER of the state, to which s0 points; `dump' and `print' are theirs.

# Folds a0 into the hash; s0 is the state. Prints it, too, if this case is dumped.
fold:
    ld t0, S_HASH(s0)
    xor t0, t0, a0
    li t1, 0x9e3779b97f4a7c15
    mul t0, t0, t1
    srli t1, t0, 29
    xor t0, t0, t1
    sd t0, S_HASH(s0)
    ld t0, S_NUMBER(s0)
    la t1, dump
    ld t1, 0(t1)
    bne t0, t1, 1f
    j print
1:  ret

# Folds the doublewords from s2 to s3; the state is in s0.
fold_all:
    mv s4, ra
    ld t0, S_NUMBER(s0)
    la t1, dump
    ld t1, 0(t1)
    beq t0, t1, 2f
    ld t0, S_HASH(s0)
    li t1, 0x9e3779b97f4a7c15
1:  ld t2, 0(s2)
    addi s2, s2, 8
    xor t0, t0, t2
    mul t0, t0, t1
    srli t2, t0, 29
    xor t0, t0, t2
    bne s2, s3, 1b
    sd t0, S_HASH(s0)
    mv ra, s4                       # a jump by another register might need a landing pad
    ret
2:  ld a0, 0(s2)
    jal fold
    addi s2, s2, 8
    bne s2, s3, 2b
    mv ra, s4
    ret
