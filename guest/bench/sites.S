/*
 * sites.S - functions that are never called, each with an ftrace site at its entry: like the
 * many sites of a large kernel of which few are executed. Together with those of calls.c there
 * are SITES.
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
