/*
 * exec.c - each hart executes programs in U-mode, one after the other: a program is loaded into a
 * page that held another one, mapped at the same address in an address space of its own, and run.
 * In even rounds hart 0 loads, and the others fence when they switch to the program, as a kernel
 * does for a task that moves from one hart to another.
 */
#include "legal.h"

enum { ROUNDS = 12, SPACES = 3, ENTRIES = PAGE / 8 };
enum { VALID = 1, READ = 2, WRITE = 4, EXECUTE = 8, USER = 16, ACCESSED = 64, DIRTY = 128 };
enum { FROM_USER = 8, ECALL = 0x73 }; /* mcause of an ecall in U-mode */

#define PROGRAM 0x10000UL /* its virtual address */

/* An address space: three levels, one page. */
struct space {
    uint64_t root[ENTRIES], middle[ENTRIES], last[ENTRIES];
    uint32_t page[PAGE / 4];
} __attribute__((aligned(PAGE)));

static struct space spaces[HARTS_MAX][SPACES];

/* Runs at `pc` in U-mode until its ecall; returns its a0. */
unsigned long run_user(unsigned long pc);
__asm__(".text\n"
        ".balign 4\n"
        "run_user:\n"
        "    addi sp, sp, -16\n"
        "    sd   ra, 0(sp)\n"
        "    csrw mscratch, sp\n"
        "    csrw mepc, a0\n"
        "    li   t0, 3 << 11\n"
        "    csrc mstatus, t0\n"
        "    la   t0, back\n"
        "    csrw mtvec, t0\n"
        "    mret\n"
        ".balign 4\n"
        "back:\n"
        "    csrr sp, mscratch\n"
        "    ld   ra, 0(sp)\n"
        "    addi sp, sp, 16\n"
        "    ret\n");

static uint64_t entry(const void *page, unsigned flags)
{
    return (uintptr_t)page >> 12 << 10 | VALID | flags;
}

/* The page held other code, or none: it is cleared as a kernel clears a page that it gives away. */
static void load(struct space *s, unsigned n)
{
    for (unsigned i = 0; i < PAGE / 4; i++)
        ((volatile uint32_t *)s->page)[i] = 0;
    ((volatile uint32_t *)s->page)[0] = LI_A0(n);
    ((volatile uint32_t *)s->page)[1] = ADD_A0(n);
    ((volatile uint32_t *)s->page)[2] = ECALL;
    s->root[0] = entry(s->middle, 0);
    s->middle[0] = entry(s->last, 0);
    s->last[PROGRAM / PAGE] = entry(s->page, READ | WRITE | EXECUTE | USER | ACCESSED | DIRTY);
}

static void run(struct space *s, unsigned n)
{
    csr_write(satp, 8UL << 60 | (uintptr_t)s->root >> 12);
    __asm__ volatile("sfence.vma" ::: "memory");
    EXPECT(run_user(PROGRAM) == 2UL * n);
    EXPECT(csr_read(mcause) == FROM_USER);
    csr_write(satp, 0);
}

static void execute(unsigned long hart, unsigned round)
{
    struct space *s = &spaces[hart][round % SPACES];

    load(s, round);
#ifdef MISS
    if (hart || round != ROUNDS)
#endif
        fence_i();
    run(s, round);
}

static void permit_all(void)
{
    csr_write(pmpaddr0, -1UL);
    csr_write(pmpcfg0, 0x1f);
}

void helper(unsigned long hart)
{
    permit_all();
    for (unsigned long round = 0;;) {
        round = next_work(round);
        if (round % 2) {
            execute(hart, (unsigned)round);
        } else {
            fence_i();
            run(&spaces[0][round % SPACES], (unsigned)round);
        }
        work_done();
    }
}

int main(void)
{
    permit_all();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        execute(0, round);
        tell_others(round);
    }
    return 0;
}
