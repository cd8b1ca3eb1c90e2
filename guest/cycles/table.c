/* table.c - the workloads. */
#include "cycles.h"

const struct workload workloads[] = {
    {"sort", sort_run},
    {"sieve", sieve_run},
    {"queens", queens_run},
    {"matrix", matrix_run},
    {"crc", crc_run},
    {"hash", hash_run},
    {"lz", lz_run},
    {"strings", strings_run},
    {"format", format_run},
    {"json", json_run},
    {"list", list_run},
    {"tree", tree_run},
    {"heap", heap_run},
    {"interpreter", interpreter_run},
    {"fmatrix", fmatrix_run},
    {"bodies", bodies_run},
    {"calls_none", calls_none_run},
    {"calls_fp", calls_fp_run},
    {"calls_static", calls_static_run},
    {"calls_pfe16", calls_pfe16_run},
    {"calls_pfe8", calls_pfe8_run},
    {"perms", perms_run},
    {"dates", dates_run},
    {"stackm", stackm_run},
    {"tokens", tokens_run},
};

const size_t workload_count = sizeof workloads / sizeof workloads[0];
