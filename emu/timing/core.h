/*
 * core.h - a core model: the figures of a core, read from a text file.
 */
#ifndef TIMING_CORE_H
#define TIMING_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"

/* Lists of words. A core file has the name with '-' for '_'. */
#define WORDS_confidence(X) X(CONFIDENCE, documents) X(CONFIDENCE, rtl)
#define WORDS_predictor(X)  \
    X(PREDICTOR, not_taken) \
    X(PREDICTOR, backward)  \
    X(PREDICTOR, bimodal)   \
    X(PREDICTOR, gshare)    \
    X(PREDICTOR, global)    \
    X(PREDICTOR, bimode)
#define WORDS_btb_holds(X) X(BTB_HOLDS, indirect) X(BTB_HOLDS, direct) X(BTB_HOLDS, all)
#define WORDS_replacement(X) \
    X(REPLACEMENT, fifo)     \
    X(REPLACEMENT, random)   \
    X(REPLACEMENT, lru)      \
    X(REPLACEMENT, plru)
#define WORDS_prefetch(X) X(PREFETCH, none) X(PREFETCH, next_line) X(PREFETCH, stride)
#define WORDS_write(X)    X(WRITE, back) X(WRITE, through)

#define CORE_WORD(prefix, name) prefix##_##name,
enum core_confidence { WORDS_confidence(CORE_WORD) };
enum core_predictor { WORDS_predictor(CORE_WORD) };
enum core_btb_holds { WORDS_btb_holds(CORE_WORD) };
enum core_replacement { WORDS_replacement(CORE_WORD) };
enum core_prefetch { WORDS_prefetch(CORE_WORD) };
enum core_write { WORDS_write(CORE_WORD) };
#undef CORE_WORD

enum core_class {
#define C(name, unit) CORE_##name,
#include "timing/class.def"
#undef C
    CORE_CLASSES
};

enum core_unit {
    UNIT_NONE,
    UNIT_MULTIPLY,
    UNIT_DIVIDE,
    UNIT_MEMORY,
    UNIT_BRANCH,
    UNIT_FLOAT,
    UNIT_FLOAT_DIVIDE,
    UNIT_BLOCK,
    UNITS
};

/* The longest history of branches that is hashed. */
enum { HASHED_HISTORY_MAX = 16 };

/* The longest latency and interval of a unit; and the longest of UNIT_BLOCK. */
enum { CORE_CYCLES_MAX = 200, CORE_BLOCK_CYCLES_MAX = 5000 };

struct core_cache {
    uint32_t size, ways, line; /* bytes */
    uint32_t policy;           /* enum core_replacement */
    uint32_t miss;
    uint32_t prefetch, ahead; /* enum core_prefetch; lines */
};

/* What each field means: core.def and docs/cores.md. */
struct core {
    struct core_cache icache, dcache, l2;
    uint8_t latency[CORE_CLASSES];
    uint16_t interval[CORE_CLASSES];
    uint32_t confidence, held_rows, held_micro, held_workload, issue_width, ordered_writes,
        waw_loads, alu_late, float_waw, float_queue, late_data, float_to_int, fetch_bytes,
        fetch_ahead, mul_wide, div_base, div_bits, div_zero, div_smaller, div_repeat, div_results,
        predictor, counters, counter_bits, counter_start, history, history_skip, read_ahead,
        update_busy, stray, btb_entries, btb_ways, btb_bits, btb_first, btb_holds, ras_depth,
        ras_kept, ras_loses, link_t0, branch_late, taken, late_branch, late_jump, late_in_fetch,
        mispredict, return_hit, return_wrong, indirect_wrong, call_wrong, ras_split, load_waw,
        late_branches, amo_window, amo_wait, fdiv_exact, fdiv_bits, flush, trap, memory_first,
        memory_beat, memory_width, memory_device, write, write_allocate, store_stalls,
        critical_first, write_back_cycles, shared_line, l2_latency, store_entries, store_queue,
        store_writes, store_answer, amo_memory, load_window, store_window, store_wait, misaligned,
        itlb_entries, itlb_ways, dtlb_entries, dtlb_ways, tlb2_entries, tlb2_ways, tlb2_latency,
        tlb_policy, walk, sfence_page;
    uint32_t result_bus, amo_blocks, commit_entries, commit_width, wrong_path, fetch_jumps,
        load_wait, /* with commit.entries */
        load_again, load_narrow, load_float, history_hash, split_target, ras_in_btb, fence_memory,
        store_idle;
    /* of a core that executes out of order */
    uint32_t window, fold, split_conversions, dispatch_width, retire_width, front_stages,
        fetch_buffer, issue_after, product_writes, auipc_cycles, move_ports, retire_after, restart,
        restart_jump, alu_ports, alu_queue, branch_queue, memory_queue, float_ports,
        float_queue_entries, load_queue_entries, store_queue_entries, load_misses, store_misses,
        forward, replay, replay_late, wrong_order, with_store, store_write, merge_bytes, write_wait,
        stream_bytes, float_from_int, multiple_stores, btb0_entries, choices, branch_writes,
        indirect_entries, indirect_taken, loop_buffer, accumulate, queue_writes, float_registers,
        flag_registers;
    unsigned figures;   /* keys that the file sets, but for `core.' */
    unsigned estimates; /* those whose source begins with [E] */
    char *title;        /* `core.title' */
    char *text;         /* the file's bytes: the model's identity */
    uint64_t hash;      /* of the text */
};

/* Reads a core file's text; `name`: for messages. NULL: a message was given, with the line.
 */
struct core *core_parse(const char *text, const char *name, const struct diag *d);
void core_free(struct core *core);

extern const uint8_t core_units[CORE_CLASSES]; /* by class: enum core_unit */

static inline enum core_unit core_unit_of(enum core_class class)
{
    return (enum core_unit)core_units[class];
}

/* The word of the files. */
const char *core_confidence_name(const struct core *core);

#endif
