/* float.c - double precision: five bodies with gravity, and a matrix product. */
#include "bench.h"

const char bench_name[] = "float";
const unsigned long bench_scale = 100;

enum { BODIES = 5, STEPS = 4000, SIDE = 48 };

struct body {
    double x[3], v[3], mass;
};

struct data {
    struct body body[BODIES];
    double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
};

static double root(double v)
{
    double r;

    __asm__("fsqrt.d %0, %1" : "=f"(r) : "f"(v));
    return r;
}

static double fraction(uint64_t *random)
{
    return (double)(bench_random(random) >> 12) * 0x1p-52;
}

static void place_bodies(struct data *d, uint64_t *random)
{
    for (unsigned i = 0; i < BODIES; i++)
        for (unsigned k = 0; k < 3; k++) {
            d->body[i].x[k] = fraction(random) * 30 - 15;
            d->body[i].v[k] = fraction(random) - 0.5;
            d->body[i].mass = i ? fraction(random) * 0.1 : 40;
        }
}

static void attract(struct body *a, struct body *b, double step)
{
    double d[3], square = 0.01, pull;

    for (unsigned k = 0; k < 3; k++) {
        d[k] = a->x[k] - b->x[k];
        square += d[k] * d[k];
    }
    pull = step / (square * root(square));
    for (unsigned k = 0; k < 3; k++) {
        a->v[k] -= d[k] * b->mass * pull;
        b->v[k] += d[k] * a->mass * pull;
    }
}

static void advance(struct data *d, double step)
{
    for (unsigned i = 0; i < BODIES; i++)
        for (unsigned j = i + 1; j < BODIES; j++)
            attract(&d->body[i], &d->body[j], step);
    for (unsigned i = 0; i < BODIES; i++)
        for (unsigned k = 0; k < 3; k++)
            d->body[i].x[k] += step * d->body[i].v[k];
}

static void fill_matrix(double (*m)[SIDE], uint64_t *random)
{
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++)
            m[i][j] = fraction(random) - 0.5;
}

static double multiply(struct data *d)
{
    double trace = 0;

    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++) {
            double dot = 0;

            for (unsigned k = 0; k < SIDE; k++)
                dot += d->a[i][k] * d->b[k][j];
            d->c[i][j] = dot;
            if (i == j)
                trace += dot;
        }
    return trace;
}

static uint64_t bits(double v)
{
    union {
        double d;
        uint64_t u;
    } both = {v};

    return both.u;
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    struct data *d = memory;
    uint64_t random = 99, sum = 0;

    place_bodies(d, &random);
    fill_matrix(d->a, &random);
    fill_matrix(d->b, &random);
    while (scale--) {
        for (unsigned i = 0; i < STEPS; i++)
            advance(d, 0.001);
        for (unsigned i = 0; i < 8; i++)
            sum = bench_mix(sum, bits(multiply(d)));
        sum = bench_mix(sum, bits(d->body[0].x[0]));
    }
    return sum;
}
