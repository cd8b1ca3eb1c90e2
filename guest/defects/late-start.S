/*
 * late-start.S - a hart started late. Firmware executes fence.i on each hart at power-on and
 * starts the kernel there later; meanwhile the kernel's first hart writes code, from two
 * functions. A hart that runs the code without its own fence.i lacks one fence, whichever
 * function wrote it: one finding.
 */
	.section .text.start,"ax"
	.globl _start
_start:
	fence.i
	la s0, first_page
	la s1, second_page
	la s2, go
	csrr t0, mhartid
	bnez t0, firmware
	la t1, waiting
1:	ld t0, 0(t1)
	beqz t0, 1b
	jalr s0              /* they are code, so that their writers are seen */
	jalr s1
	call write_first
	call write_second
	fence rw, rw
	li t0, 1
	sd t0, 0(s2)
1:	j 1b
firmware:
	la t1, waiting
	li t0, 1
	amoadd.d zero, t0, (t1)
2:	ld t0, 0(s2)
	beqz t0, 2b
	fence rw, rw
	li t0, -1
	srli t0, t0, 10
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	la t0, kernel
	csrw mepc, t0
	li t0, 0x1800        /* MPP */
	csrc mstatus, t0
	li t0, 0x800
	csrs mstatus, t0
	mret
kernel:
	jalr s0
	jalr s1
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
2:	j 2b
	.type write_first,@function
write_first:
	li t1, 0x0010059300100513 /* li a0, 1; li a1, 1: two at once are no swap */
	sd t1, 0(s0)
	ret
	.size write_first, .-write_first
	.type write_second,@function
write_second:
	li t1, 0x0010059300100513 /* li a0, 1; li a1, 1: two at once are no swap */
	sd t1, 0(s1)
	ret
	.size write_second, .-write_second
	.option norvc
	.data
	.balign 4096
first_page:
	li a0, 0
	li a1, 0
	ret
	.balign 4096
second_page:
	li a0, 0
	li a1, 0
	ret
	.balign 4096
go:	.dword 0
waiting:	.dword 0
