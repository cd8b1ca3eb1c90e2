/*
 * state_hash.h - whether two states of a hart go on alike: for a search that has tried all that
 * can follow one of them.
 */
#ifndef CPU_STATE_HASH_H
#define CPU_STATE_HASH_H

#include <stdint.h>

struct hart;

/*
 * A hash of what the hart does from here on, as far as it does not depend on memory and on clocks:
 * pc, registers, mode, reservation, what it may fetch and what it waits for. CSRs are not in it but
 * satp.
 */
uint64_t hart_state_hash(struct hart *h);

#endif
