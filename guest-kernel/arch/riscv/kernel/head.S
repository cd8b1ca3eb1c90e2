/*
 * head.S - the first instructions of each hart, with the MMU off.
 *
 * Entered in S-mode with a0 = hart id, a1 = physical address of the device
 * tree (boot hart) or of struct secondary_data (others, through SBI HSM).
 */
#include <asm/asm-offsets.h>
#include <asm/csr.h>
#include <asm/page.h>
#include <asm/smp.h>

    .section .head.text, "ax"
    .option norelax
    .globl _start
    .type _start, @function
_start:
    /* The header of a RISC-V boot image, by which loaders recognise a raw image. */
    .option push
    .option norvc
    j   _start_kernel
    .word 0
    .option pop
    .dword 0x200000         /* offset from the start of RAM */
    .dword _image_size
    .dword 0                /* little-endian */
    .word 2                 /* header version 0.2 */
    .word 0
    .dword 0
    .ascii "RISCV\0\0\0"
    .ascii "RSC\005"
    .word 0
    .size _start, . - _start

    .globl _start_kernel
    .type _start_kernel, @function
_start_kernel:
    csrw sie, zero
    csrw sip, zero
    li   t0, SR_FS
    csrc sstatus, t0        /* the kernel uses no floating point: a mistake traps */
    la   t0, hart_lottery
    li   t1, 1
    amoadd.w t1, t1, (t0)
    bnez t1, wait_for_boot_hart
    mv   s0, a0
    mv   s1, a1

    la   t0, __bss_start
    la   t1, __bss_stop
1:  bgeu t0, t1, 2f
    sd   zero, 0(t0)
    addi t0, t0, 8
    j    1b
2:
    la   tp, init_task
    la   sp, init_stack + THREAD_SIZE
    mv   a0, s1
    call setup_vm
    call relocate_enable_mmu
    la   tp, init_task      /* the same objects by their virtual addresses */
    la   sp, init_stack + THREAD_SIZE
    call set_trap_vector
    mv   a0, s0
    li   s0, 0              /* a stack walk ends here */
    li   ra, 0
    tail start_kernel
    .size _start_kernel, . - _start_kernel

/*
 * Turns the MMU on and returns to the caller's virtual address. The fetch after the write to
 * satp faults, because the physical address is no longer mapped; stvec holds the virtual
 * address of the next instruction, so the trap continues there.
 */
    .type relocate_enable_mmu, @function
relocate_enable_mmu:
    la   t0, _start
    li   t1, KERNEL_LINK_ADDR
    sub  t1, t1, t0         /* virtual minus physical */
    add  ra, ra, t1
    la   t2, 1f
    add  t2, t2, t1
    csrw stvec, t2
    la   t0, swapper_pg_dir
    srli t0, t0, PAGE_SHIFT
    li   t2, SATP_MODE_39
    or   t0, t0, t2
    sfence.vma
    csrw satp, t0
    .balign 4
1:  ret
    .size relocate_enable_mmu, . - relocate_enable_mmu

    .type set_trap_vector, @function
set_trap_vector:
    la   t0, handle_exception
    csrw stvec, t0
    csrw sscratch, zero     /* zero: the trap comes from the kernel */
    ret
    .size set_trap_vector, . - set_trap_vector

/*
 * A hart that enters at _start although another hart is booting already. Firmware without HSM
 * starts all harts there. OpenSBI 1.1 of Debian 12 did so in about one boot of two hundred on a
 * busy host: hart 1 was found here although it had been started at secondary_start_sbi
 * (probably it was released before its start address was written; that is a guess). Such a hart
 * waits here for the data that it would have got in a1.
 */
    .type wait_for_boot_hart, @function
wait_for_boot_hart:
    li   t0, NR_HARTIDS
    bgeu a0, t0, 2f
    la   t0, spinwait_data
    slli t1, a0, 3
    add  t0, t0, t1
1:  ld   a1, 0(t0)
    beqz a1, 1b
    fence r, rw
    j    secondary_start_sbi
2:  wfi                     /* hart id out of range */
    j    2b
    .size wait_for_boot_hart, . - wait_for_boot_hart

/*
 * Entry of the other harts. a1 is the physical address of a struct secondary_data, whose
 * contents are virtual addresses. The kernel's text has been patched since the image was
 * loaded, so the hart executes fence.i before it runs any of it.
 */
    .globl secondary_start_sbi
    .type secondary_start_sbi, @function
secondary_start_sbi:
    csrw sie, zero
    csrw sip, zero
    li   t0, SR_FS
    csrc sstatus, t0
    fence.i
    ld   s1, 0(a1)
    ld   s2, 8(a1)
    call relocate_enable_mmu
    sfence.vma
    mv   tp, s1
    mv   sp, s2
    call set_trap_vector
    li   s0, 0
    li   ra, 0
    tail smp_callin
    .size secondary_start_sbi, . - secondary_start_sbi

    /* Not in .bss, which the boot hart clears after it has won the lottery. */
    .section .data
    .balign 8
hart_lottery:
    .word 0
