/* deep_body.h - calls deeper than a tracer's stack of return addresses.  See workload.h. */

SET_ATTR u64 FN(deep_down)(unsigned long levels)
{
    if (!levels)
        return 1;
    CALL();
    return keep(FN(deep_down)(levels - 1)) * 3 + levels;
}

SET_ATTR u64 FN(deep_once)(unsigned long round)
{
    CALL();
    return FN(deep_down)(DEEP_LEVELS) ^ round;
}
