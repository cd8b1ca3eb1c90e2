/*
 * select.c - see select.h.
 */
#include "cli/select.h"

#include "base/selection.h"
#include "cli/options.h"

bool set_from(void *options, const char *text, char *problem)
{
    return selection_set_from(&((struct options *)options)->selected, text, problem);
}

bool set_until(void *options, const char *text, char *problem)
{
    return selection_set_until(&((struct options *)options)->selected, text, problem);
}

bool set_only_hart(void *options, const char *text, char *problem)
{
    return selection_add_hart(&((struct options *)options)->selected, text, problem);
}
