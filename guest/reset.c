/* reset.c - requests a reset of the machine through the test finisher. */
#include "virt.h"

int main(void)
{
    put_text("asks for a reset\n");
    REG32(0x100000) = 0x7777;
    for (;;)
        ;
}
