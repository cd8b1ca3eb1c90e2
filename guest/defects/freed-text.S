/*
 * Kernels free text that only booting needs: it is cleared and becomes a program's data. From
 * then on stores to it are stores to data: not counted as changes of code, and as fast as others.
 */
	.section .text.start,"ax"
	.globl _start
_start:
	la s0, init_text
	jalr s0
	li t1, 4096
	add t1, s0, t1
	mv t0, s0
1:	sd zero, 0(t0)
	addi t0, t0, 8
	bltu t0, t1, 1b
	li t0, 100000
2:	sd t0, 0(s0)
	addi t0, t0, -1
	bnez t0, 2b
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
3:	j 3b
	.balign 4096
init_text:
	ret
	.balign 4096
