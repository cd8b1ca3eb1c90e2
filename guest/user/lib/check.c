/* check.c - saying what held, one line a claim. */
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
