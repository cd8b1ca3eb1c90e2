/* floating.c - workloads on doubles. */
#include "cycles.h"

enum { EDGE = 12, BODIES = 4, STEPS = 30 };

static uint64_t bits_of(double d)
{
    union {
        double d;
        uint64_t bits;
    } u = {d};

    return u.bits;
}

uint64_t fmatrix_run(void)
{
    double(*a)[EDGE] = (void *)arena, (*b)[EDGE] = a + EDGE, (*c)[EDGE] = b + EDGE, trace = 0;

    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            a[i][j] = (double)(i + 1) / (j + 2);
            b[i][j] = (double)(i - j) * 0.25;
        }
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            double dot = 0;

            for (int k = 0; k < EDGE; k++)
                dot += a[i][k] * b[k][j];
            c[i][j] = dot;
        }
    for (int i = 0; i < EDGE; i++)
        trace += c[i][i];
    return bits_of(trace);
}

struct body {
    double at[3], speed[3], mass;
};

static double square_root(double x)
{
    double root;

    __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(x));
    return root;
}

static void pull(struct body *one, struct body *other, double step)
{
    double away[3], distance2 = 0.01, strength;

    for (int k = 0; k < 3; k++) {
        away[k] = other->at[k] - one->at[k];
        distance2 += away[k] * away[k];
    }
    strength = step / (distance2 * square_root(distance2));
    for (int k = 0; k < 3; k++) {
        one->speed[k] += away[k] * strength * other->mass;
        other->speed[k] -= away[k] * strength * one->mass;
    }
}

uint64_t bodies_run(void)
{
    struct body *bodies = (void *)arena;
    double sum = 0;

    for (int i = 0; i < BODIES; i++)
        bodies[i] = (struct body){{i, i * i * 0.5, 1.0 / (i + 1)}, {0.1 * i, -0.1, 0}, 1.0 + i};
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BODIES; i++)
            for (int j = i + 1; j < BODIES; j++)
                pull(&bodies[i], &bodies[j], 0.01);
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++)
                bodies[i].at[k] += 0.01 * bodies[i].speed[k];
    }
    for (int i = 0; i < BODIES; i++)
        sum += bodies[i].at[0] * bodies[i].speed[1];
    return bits_of(sum);
}
