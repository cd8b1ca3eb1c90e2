/* stuck.c - a trap whose handler lies where nothing is: an endless trap loop. */
#include "virt.h"

int main(void)
{
    csr_write(mtvec, 0x1000);
    __asm__ volatile("ecall");
    return 0;
}
