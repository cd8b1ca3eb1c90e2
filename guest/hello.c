/* hello.c - the console: one line through the UART, and an end without a fault. */
#include "virt.h"

int main(void)
{
    put_text("hello from hart 0\n");
    return 0;
}
