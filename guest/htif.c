/* htif.c - the HTIF interface: characters and the exit code through `tohost`. */
#include "virt.h"

volatile uint64_t tohost __attribute__((section(".tohost"), aligned(64)));
volatile uint64_t fromhost __attribute__((section(".tohost"), aligned(64)));

static void say(const char *text)
{
    for (; *text; text++) {
        tohost = 0x0101UL << 48 | (uint8_t)*text;
        while (tohost)
            ;
    }
}

int main(void)
{
    say("through tohost\n");
    tohost = 7 << 1 | 1;
    for (;;)
        ;
}
