/* loop.c - an endless loop, for tests of limits. */
#include "virt.h"

int main(void)
{
    put_text("endless loop\n");
    for (;;)
        ;
}
