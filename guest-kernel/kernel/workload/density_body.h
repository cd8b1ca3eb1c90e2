/*
 * density_body.h - DENSITY_ALL loop iterations, DENSITY_TURNS of them in each call. See
 * workload.h.
 */
SET_ATTR u64 FN(DENSITY_WORK)(u64 value)
{
    for (unsigned long i = 0; i < DENSITY_TURNS; i++)
        value = keep(value * 5 + (value >> 7));
    return value;
}

SET_ATTR u64 FN(DENSITY_ONCE)(unsigned long round)
{
    u64 value = round;

    for (unsigned long done = 0; done < DENSITY_ALL; done += DENSITY_TURNS) {
        CALL();
        value = FN(DENSITY_WORK)(value);
    }
    return value;
}
