/* barrier.h - memory ordering between harts, by RISC-V fences. */
#ifndef ASM_BARRIER_H
#define ASM_BARRIER_H

#define RISCV_FENCE(p, s) __asm__ __volatile__("fence " #p "," #s ::: "memory")

#define smp_mb()  RISCV_FENCE(rw, rw)
#define smp_rmb() RISCV_FENCE(r, r)
#define smp_wmb() RISCV_FENCE(w, w)
#define mb()      RISCV_FENCE(iorw, iorw)

#define smp_load_acquire(p)     __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* The `pause` hint: a fence with an empty successor set, a no-op on harts without Zihintpause. */
static inline __attribute__((always_inline)) void cpu_relax(void)
{
    __asm__ __volatile__(".word 0x0100000f" ::: "memory");
}

static inline __attribute__((always_inline)) void wait_for_interrupt(void)
{
    __asm__ __volatile__("wfi" ::: "memory");
}

#endif
