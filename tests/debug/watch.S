/*
 * watch.S - one access of each kind to watched memory, and a
 * write by a device (virtio's entropy source). Ends through the test finisher.
 */
.macro variable name
    .globl  \name
    .type   \name, @object
\name:
.endm

.macro end name
    .size   \name, . - \name
.endm

.macro function name
    .globl  \name
    .type   \name, @function
\name:
.endm

    .option norelax
    .text
    .globl _start
function _start
    csrr    t0, mhartid
    la      s0, counter
    bnez    t0, other
    call    plain
    call    atomic
    call    floating
    call    misaligned
    call    loop
    call    others_turn
    call    device
    call    mapped
    li      t0, 0x100000            /* the test finisher */
    li      t1, 0x5555
    sw      t1, 0(t0)
1:  j       1b
end _start

/* The other harts only read one variable and count in another. */
function other
    la      s1, flag
    la      s2, others
1:  ld      t1, 0(s1)
    addi    t2, t2, 1
    amoadd.d zero, t2, (s2)
    j       1b
end other

function plain
    li      t1, 3
    sd      t1, 0(s0)
    sd      t1, 0(s0)               /* the same value again */
    ld      t2, 0(s0)
    la      s1, small
    sw      t1, 0(s1)
    sb      t1, 4(s1)               /* next to it */
    ret
end plain

function atomic
    amoadd.d t2, t1, (s0)
1:  lr.d    t2, (s0)
    addi    t2, t2, 1
    sc.d    t3, t2, (s0)
    bnez    t3, 1b
    ret
end atomic

function floating
    li      t0, 3 << 13             /* mstatus.FS */
    csrs    mstatus, t0
    li      t0, 5
    fcvt.d.l fa0, t0
    fsd     fa0, 0(s0)
    fld     fa1, 0(s0)
    ret
end floating

function misaligned
    la      s1, edge
    li      t1, 0x1122334455667788
    sd      t1, 0(s1)
    ret
end misaligned

/* For a condition: the value goes up to 99. */
function loop
    la      s1, index
    li      t0, 0
    li      t2, 100
1:  sw      t0, 0(s1)
    lw      t1, 0(s1)
    addi    t0, t0, 1
    bne     t0, t2, 1b
    ret
end loop

/* Until the other hart has counted three times. */
function others_turn
    la      s1, others
    li      t2, 3
1:  pause
    ld      t1, 0(s1)
    blt     t1, t2, 1b
    ret
end others_turn

.equ DRIVER_FEATURES, 0x020
.equ DRIVER_FEATURES_SEL, 0x024
.equ QUEUE_SEL, 0x030
.equ QUEUE_NUM, 0x038
.equ QUEUE_READY, 0x044
.equ QUEUE_NOTIFY, 0x050
.equ STATUS, 0x070
.equ QUEUE_DESC, 0x080
.equ QUEUE_DRIVER, 0x090
.equ QUEUE_DEVICE, 0x0a0

.macro put offset, value
    li      t0, \value
    sw      t0, \offset(s1)
.endm

.macro put_address offset, symbol
    la      t0, \symbol
    sw      t0, \offset(s1)
    srli    t0, t0, 32
    sw      t0, \offset+4(s1)
.endm

/* virtio 1.2, 4.2.3 and 5.4: one buffer of 16 bytes for the device to fill. */
function device
    li      s1, 0x10008000
    put     STATUS, 0
    put     STATUS, 3
    put     DRIVER_FEATURES_SEL, 1
    put     DRIVER_FEATURES, 1      /* VERSION_1 */
    put     STATUS, 11
    put     QUEUE_SEL, 0
    put     QUEUE_NUM, 2
    put_address QUEUE_DESC, descriptors
    put_address QUEUE_DRIVER, available
    put_address QUEUE_DEVICE, used
    put     QUEUE_READY, 1
    put     STATUS, 15
    la      t0, buffer
    la      t1, descriptors
    sd      t0, 0(t1)
notify:
    put     QUEUE_NOTIFY, 0
notified:
    ret
end device

.macro use_table table
    la      t0, \table
    srli    t0, t0, 12
    li      t1, 8 << 60             /* Sv39 */
    or      t0, t0, t1
    csrw    satp, t0
    sfence.vma
.endm

/* One virtual address in two page tables: `counter`, and the memory 2 MiB above it. */
function mapped
    li      t0, -1
    csrw    pmpaddr0, t0
    li      t0, 0x1f
    csrw    pmpcfg0, t0
    li      t0, 3 << 11
    csrc    mstatus, t0
    li      t1, 0x80000000
    sub     s1, s0, t1
    la      t2, third
    srli    t2, t2, 12
    slli    t2, t2, 10
    ori     t2, t2, 1
    la      t1, second
    sd      t2, 0(t1)
    use_table first
    li      t0, 1 << 17 | 1 << 11   /* MPRV, as S-mode */
    csrs    mstatus, t0
    li      t2, 7
both_mapped:
    sd      t2, 0(s1)
    csrc    mstatus, t0
    use_table second
    li      t0, 1 << 17 | 1 << 11
    csrs    mstatus, t0
    li      t2, 8
    sd      t2, 0(s1)
    csrc    mstatus, t0
    li      t2, 9
    sd      t2, 0(s0)
    csrw    satp, zero
    ret
end mapped

    .data
    .balign 4096
first:
    .quad   0x80000000 >> 12 << 10 | 0xcf
    .zero   4096 - 8
second:
    .quad   0                       /* leads to `third` */
    .zero   4096 - 8
third:
    .quad   0x80200000 >> 12 << 10 | 0xcf
    .zero   4096 - 8
variable counter
    .quad   0
end counter
variable small
    .word   0
end small
    .word   0
variable index
    .word   0
end index
    .balign 16
descriptors:
    .quad   0                       /* buffer */
    .word   16
    .half   2, 0                    /* the device writes */
    .zero   16
available:
    .half   0, 1, 0, 0, 0
    .balign 8
used:
    .zero   32
variable buffer
    .quad   0, 0
end buffer
    .balign 4096
    .zero   4096 - 3
variable edge
    .quad   0
end edge
    .balign 64
variable flag
    .quad   0
end flag
    .balign 64
variable others
    .quad   0
end others
