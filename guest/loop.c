/* loop.c - never ends; for the limits. */
#include "virt.h"

int main(void)
{
    put_text("for ever\n");
    for (;;)
        ;
}
