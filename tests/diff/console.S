# console.S - what the programs of this folder share: how they print, how they end, and what two of them may reach.
# Each has UART and FINISHER.

# a0 as a line of hex. Changes t0, t1, t2 and \free.
    .macro print_hex free
    li t0, UART
    li t1, 60
1:  srl t2, a0, t1
    andi t2, t2, 15
    li \free, 10
    bltu t2, \free, 2f
    addi t2, t2, 39
2:  addi t2, t2, 48
    sb t2, 0(t0)
    addi t1, t1, -4
    bgez t1, 1b
    li t2, 10
    sb t2, 0(t0)
    .endm

    .macro power_off
    li t0, FINISHER
    li t1, 0x5555
    sw t1, 0(t0)
1:  j 1b
    .endm

# Locked: RAM, the two devices, nothing else, since QEMU has more of them. Changes t0.
    .macro permit_memory
    li t0, 0x20ffffff
    csrw pmpaddr0, t0
    li t0, (UART >> 2) | 0x1ff
    csrw pmpaddr1, t0
    li t0, (FINISHER >> 2) | 0x1ff
    csrw pmpaddr2, t0
    li t0, -1
    csrw pmpaddr3, t0
    li t0, 0x989b9b9f
    csrw pmpcfg0, t0
    .endm
