/* fresh.c - each hart repeatedly writes functions to its own pages, fences, and runs them. */
#include "legal.h"

enum { PAGES = 4, ROUNDS = 3, FUNCTIONS = 16 };

static uint32_t room[HARTS_MAX][PAGES][PAGE / 4] __attribute__((aligned(PAGE)));

static void write_page(uint32_t *page, unsigned round)
{
    for (unsigned n = 0; n < FUNCTIONS; n++)
        write_function(page + n * 16, round * FUNCTIONS + n);
}

static void run_page(uint32_t *page, unsigned round)
{
    for (unsigned n = 0; n < FUNCTIONS; n++)
        EXPECT(as_function(page + n * 16)() == round * FUNCTIONS + n);
}

static void generate(unsigned long hart)
{
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned n = 0; n < PAGES; n++) {
            write_page(room[hart][n], round);
#ifdef MISS
            if (hart == 0 && round == ROUNDS - 1)
                continue;
#endif
            fence_i();
            run_page(room[hart][n], round);
        }
#ifdef MISS
    if (hart == 0)
        run_page(room[hart][0], ROUNDS - 1);
#endif
}

void helper(unsigned long hart)
{
    (void)next_work(0);
    generate(hart);
    work_done();
}

int main(void)
{
    generate(0);
    tell_others(1);
    return 0;
}
