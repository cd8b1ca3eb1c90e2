/* stuck.c - a trap handler at an address without memory: an endless trap loop. */
#include "virt.h"

int main(void)
{
    csr_write(mtvec, 0x1000);
    __asm__ volatile("ecall");
    return 0;
}
