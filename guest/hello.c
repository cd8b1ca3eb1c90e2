/* hello.c - prints one line through the UART and ends normally. */
#include "virt.h"

int main(void)
{
    put_text("hello from hart 0\n");
    return 0;
}
