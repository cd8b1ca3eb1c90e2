/*
 * tour_text.c - see tour_text.h.
 */
#include "debug/commands/tour_text.h"

static const char *compiled_text(enum site_layout layout)
{
    switch (layout) {
    case LAYOUT_MCOUNT:
        return "The compiler has put a call of _mcount after the prologue (-pg). Two instructions "
               "make it,\n"
               "auipc and jalr, at any even address; ra is saved already, so that the call may use "
               "it.";
    case LAYOUT_PFE16:
        return "The compiler has left 16 bytes of nops at the entry (-fpatchable-function-entry): "
               "room to\n"
               "save ra below the stack, to call by auipc and jalr, and to load ra again.";
    case LAYOUT_PFE8:
        return "The compiler has left 8 bytes of nops at the entry (-fpatchable-function-entry): "
               "room for\n"
               "a call by auipc and jalr through t0, so that ra is left alone and need not be "
               "saved.";
    case LAYOUT_ATOMIC:
        return "The compiler has left 8 bytes of nops at the entry, aligned to four: room for "
               "auipc and jalr.\n"
               "The auipc will stay in any state, so that one store, of the jalr, switches the "
               "site.";
    case LAYOUT_CALLOPS:
        return "The compiler has left 8 bytes of nops at the entry for auipc and jalr, and 8 "
               "before it for\n"
               "the address of an ftrace_ops, by which the trampoline knows what to call.";
    default: return "This is a site as the compiler left it.\nThe kernel's tracer can patch it.";
    }
}

static const char *off_text(enum site_layout layout)
{
    if (layout_traits(layout)->patching == PATCHED_AT_ONCE)
        return "At boot, before other harts run, the kernel prepares the site: an auipc that will "
               "stay, and a\n"
               "nop. From here on the function pays for these two at each call, and for nothing "
               "else.";
    return "At boot, before other harts run, the kernel makes nops of the site.\n"
           "From here on the function pays for these nops at each call, and for nothing else.";
}

static const char *on_text(enum site_layout layout)
{
    if (layout_traits(layout)->patching == PATCHED_AT_ONCE)
        return "One aligned store of four bytes: a hart fetches either the nop or the jalr, and "
               "both are right.\n"
               "So no hart has to be stopped; one that does not know the jalr yet skips the tracer "
               "once more.";
    return "The site is complete: it calls the trampoline. The other harts are still in their "
           "loop,\n"
           "as they may have parts of the old code in their instruction caches.";
}

static const char *const texts[] = {
    [TEXT_BOOT_HALF] =
        "The kernel writes the site in pieces, as it may be at any even address. No other hart\n"
        "runs yet, so that none can execute what is half old and half new.",
    [TEXT_HALF] =
        "Now the site is half old and half new, and a hart that executed it would go astray.\n"
        "So the kernel has stopped the other harts: they wait in a loop (stop_machine) until it is "
        "done.",
    [TEXT_TRAMPOLINE] = "The trampoline's call of the tracer is a site, too, and is switched "
                        "first: it must know its\n"
                        "tracer before the first function calls the trampoline.",
    [TEXT_OPS] =
        "The address before the function names its ftrace_ops, and so the tracer that is to be "
        "called.\n"
        "It is data: one aligned store of eight bytes, which the next call of the trampoline "
        "reads.",
    [TEXT_FENCE] =
        "A store is not seen by the instruction fetch of a RISC-V hart before that hart executes "
        "fence.i.\n"
        "The hart that has stored has done so now; above is what each hart would fetch.",
    [TEXT_FENCED] =
        "The other hart has executed its own fence.i, as no hart can fence for another one.\n"
        "Now all harts fetch the new bytes, and the update can end.",
    [TEXT_CALL] = "The function has executed its site for the first time. The link "
                  "register has the place after the\n"
                  "site, by which the tracer knows the function; the trampoline "
                  "saves the arguments and calls it.",
    [TEXT_GRAPH_CALL] =
        "function_graph wants to know of the return, too. The trampoline has a second call for it, "
        "which\n"
        "has called ftrace_stub so far: from now on it calls prepare_ftrace_return.",
    [TEXT_GRAPH] =
        "In this layout function_graph needs no further call: its tracer gets the registers of "
        "the\n"
        "function (ftrace_regs), with the return address among them, through the same trampoline.",
    [TEXT_HOOK] = "prepare_ftrace_return has put the address of return_to_handler in "
                  "the place of the return address,\n"
                  "and has kept the true one on a stack of the task (ret_stack).",
    [TEXT_HOOK_REGISTERS] =
        "ftrace_graph_func has put the address of return_to_handler in the place of ra among the "
        "saved "
        "registers,\n"
        "from which the trampoline loads it, and has kept the true one on a stack of the task "
        "(ret_stack).",
    [TEXT_RETURN] =
        "The function has returned, not to its caller but to return_to_handler, which saves the "
        "results,\n"
        "asks ftrace_return_to_handler for the true address, and so reports the "
        "return to the tracer.",
    [TEXT_BACK] = "The caller continues where it would have without the tracer, with "
                  "the same stack pointer and the\n"
                  "same results. This is the end of the tour; `sites', `updates' and "
                  "`cost' show what it has made.",
};

const char *tour_text(enum tour_text text, enum site_layout layout)
{
    switch (text) {
    case TEXT_COMPILED: return compiled_text(layout);
    case TEXT_OFF: return off_text(layout);
    case TEXT_ON: return on_text(layout);
    default: return texts[text];
    }
}
