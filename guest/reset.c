/* reset.c - the test finisher's other word: the guest asks to be started anew. */
#include "virt.h"

int main(void)
{
    put_text("asks for a reset\n");
    REG32(0x100000) = 0x7777;
    for (;;)
        ;
}
