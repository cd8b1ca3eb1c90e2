/*
 * harts.h - how many harts a machine can have.
 */
#ifndef BASE_HARTS_H
#define BASE_HARTS_H

enum { HARTS_MAX = 64 };

#endif
