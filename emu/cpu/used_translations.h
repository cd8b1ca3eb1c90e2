/*
 * used_translations.h - what a hart may still do by translations that it has used.
 */
#ifndef CPU_USED_TRANSLATIONS_H
#define CPU_USED_TRANSLATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct hart;

/*
 * Whether the hart may fetch from the page at pa by a translation of va that it has used, although
 * the entry of the page table was changed since.
 */
MUST_USE bool hart_may_fetch_from(struct hart *h, uint64_t va, uint64_t pa);

#endif
