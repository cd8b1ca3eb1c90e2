/* check.c - prints one line per claim, `ok - CLAIM` or `not ok - CLAIM`. */
#include "../libc.h"

static unsigned int failed;

void check(const char *sentence, bool holds)
{
    failed += !holds;
    printf("%s - %s\n", holds ? "ok" : "not ok", sentence);
}

int check_result(void)
{
    return failed != 0;
}
