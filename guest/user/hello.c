/* hello.c - prints a greeting, its arguments and its environment. */
#include "libc.h"

int main(int argc, char **argv)
{
    int i;

    printf("hello from U-mode\n");
    for (i = 1; i < argc; i++)
        printf("argv[%d] = %s\n", i, argv[i]);
    for (i = 0; environ[i]; i++)
        printf("environ[%d] = %s\n", i, environ[i]);
    return argc - 1;
}
