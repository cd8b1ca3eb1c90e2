/* fail.c - ends with an exit status through the test finisher. */
#include "virt.h"

int main(void)
{
    put_text("ends with 42\n");
    return 42;
}
