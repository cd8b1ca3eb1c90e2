/* calls_body.h - recursion only: the highest density of calls. See workload.h. */

SET_ATTR u64 FN(fib)(unsigned int n)
{
    u64 a, b;

    if (n < 2)
        return n;
    CALL();
    a = FN(fib)(n - 1);
    CALL();
    b = keep(FN(fib)(n - 2));
    return a + b;
}

SET_ATTR u64 FN(ackermann)(u64 m, u64 n)
{
    u64 inner;

    if (m == 0)
        return n + 1;
    CALL();
    if (n == 0)
        return keep(FN(ackermann)(m - 1, 1));
    inner = FN(ackermann)(m, n - 1);
    CALL();
    return keep(FN(ackermann)(m - 1, inner));
}

/* Two functions that call each other until n is 0, with an argument in every register. */
SET_ATTR u64 FN(odd)(u64 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g);

SET_ATTR u64 FN(even)(u64 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g)
{
    if (n == 0)
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
    CALL();
    return keep(FN(odd)(n - 1, b, c, d, e, f, g, a)) + 1;
}

SET_ATTR u64 FN(odd)(u64 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g)
{
    if (n == 0)
        return g;
    CALL();
    return keep(FN(even)(n - 1, g, a, b, c, d, e, f)) + 1;
}

SET_ATTR u64 FN(calls_once)(unsigned long round)
{
    u64 hash = round;

    CALL();
    hash = mix(hash, FN(fib)(9));
    CALL();
    hash = mix(hash, FN(ackermann)(2, 3));
    CALL();
    return mix(hash, FN(even)(8, round, 1, 2, 3, 4, 5, 6));
}
