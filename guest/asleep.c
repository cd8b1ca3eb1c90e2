/* asleep.c - every hart waits for an interrupt, and none is enabled. */
#include "virt.h"

int main(void)
{
    csr_write(mie, 0);
    for (;;)
        wait_for_interrupt();
}
