/*
 * stores-beside-tohost.S - stores, AMOs and conditional stores of all sizes, aligned and not, to both sides of `tohost' in its
 * page and over the page's end. The exit status is a sum of the bytes; QEMU's is the same (-machine virt -bios none).
 */
	.section .text.start,"ax"
	.globl	_start
_start:
	la	s0, buf
	li	s1, 100
	la	s3, page
	la	s5, buf+512
	la	s6, above+96
	la	s7, buf+640
outer:
	mv	t1, s3
	li	t2, 0
loop:
	add	t3, t2, s1
	slli	t4, t3, 13
	xor	t3, t3, t4
	add	t1, s3, t2
	sb	t3, 0(t1)
	sd	t3, 3(t1)
	sw	t3, 17(t1)
	amoadd.w	t4, t3, (s0)
	amoxor.d	t4, t3, (s5)
	lr.d	t4, (s7)
	add	t4, t4, t3
	sc.d	t5, t4, (s7)
	sc.w	t6, t3, (s0)	/* there is no reservation any more */
	slli	t6, t6, 1
	add	t5, t5, t6
	sb	t5, 59(t1)
	sd	t3, 40(t1)
	addi	t2, t2, 61
	li	t5, 1980
	blt	t2, t5, loop
/* above tohost */
	li	t2, 2056
loop2:
	add	t3, t2, s1
	slli	t4, t3, 11
	xor	t3, t3, t4
	add	t1, s3, t2
	sh	t3, 0(t1)
	sd	t3, 1(t1)
	sd	t3, 9(t1)
	amomaxu.d	t4, t3, (s6)
	addi	t2, t2, 37
	li	t5, 4090
	blt	t2, t5, loop2
	addi	s1, s1, -1
	bnez	s1, outer
/* the sum of the two pages, without tohost */
	li	t2, 0
	li	s2, 0
sum:
	add	t1, s3, t2
	li	t4, 2048
	beq	t2, t4, 2f
	ld	t3, 0(t1)
	slli	t5, s2, 5
	srli	t6, s2, 59
	or	s2, t5, t6
	xor	s2, s2, t3
2:	addi	t2, t2, 8
	li	t5, 8192
	blt	t2, t5, sum
	srli	t1, s2, 32
	xor	s2, s2, t1
	srli	t1, s2, 16
	xor	s2, s2, t1
	srli	t1, s2, 8
	xor	s2, s2, t1
	andi	s2, s2, 0xff
	slli	s2, s2, 16
	li	a1, 0x3333
	or	a1, a1, s2
	li	a0, 0x100000
	sw	a1, 0(a0)
1:	j	1b
	.data
	.balign	4096
page:	.zero	1024
buf:	.zero	1024
	.globl	tohost
tohost:	.dword	0
above:	.zero	4096
