/*
 * sites.S - functions that nobody calls, each with an ftrace site at its entry:
 * around a workload what a large kernel is around the little of it that runs.
 * With the sites of calls.c there are SITES.
 */
#define SITES_OF_CALLS 6

        .macro  unused
        .balign 4
        .type   unused\@, @function
unused\@:
        .rept   4
        c.nop
        .endr
        ret
        .size   unused\@, . - unused\@
        .section __patchable_function_entries, "awo", @progbits, .text
        .dword  unused\@
        .text
        .endm

        .text
        .rept   SITES - SITES_OF_CALLS
        unused
        .endr
