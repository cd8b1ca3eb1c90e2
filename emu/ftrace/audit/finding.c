/*
 * finding.c - see finding.h.
 */
#include "ftrace/audit/finding.h"

#include <string.h>

#include "cpu/isa/isa.h"

const char *fact_label_name(enum fact_label label)
{
    static const char *const names[] = {
        [LABEL_SITE] = "site",           [LABEL_FENCED] = "fenced",
        [LABEL_WRITTEN] = "written",     [LABEL_FETCHED] = "fetched",
        [LABEL_EXECUTED] = "executed",   [LABEL_OLD] = "old",
        [LABEL_IN_MEMORY] = "in memory", [LABEL_MISSING] = "missing",
        [LABEL_UNKNOWN] = "unknown",     [LABEL_ORDER] = "order",
        [LABEL_CALLS] = "calls",         [LABEL_NEAR] = "near",
        [LABEL_STOPPED] = "stopped",     [LABEL_RESUMED] = "resumed",
        [LABEL_CALLED] = "called",       [LABEL_RETURNED] = "returned",
        [LABEL_EXPECTED] = "expected",   [LABEL_DETOUR] = "detour",
        [LABEL_BEFORE] = "before",       [LABEL_AFTER] = "after",
        [LABEL_REQUESTED] = "requested", [LABEL_STARTED] = "started",
        [LABEL_FLUSHED] = "flushed",     [LABEL_WAITING] = "waiting",
        [LABEL_RUNNING] = "running",     [LABEL_NEW] = "new",
        [LABEL_PLACE] = "place",         [LABEL_BETWEEN] = "between",
        [LABEL_MAPPED] = "mapped",       [LABEL_JUDGED] = "judged",
        [LABEL_LITERAL] = "literal",     [LABEL_LEFT] = "left",
        [LABEL_TASK] = "task",           [LABEL_UNMAPPED] = "unmapped",
        [LABEL_STACK] = "stack",         [LABEL_REPLACED] = "replaced",
        [LABEL_SLOT] = "slot",           [LABEL_WHY] = "why",
        [LABEL_SAID] = "said",           [LABEL_EXCEPTION] = "exception",
        [LABEL_CAUSE] = "cause",         [LABEL_PATCHED] = "patched",
        [LABEL_UPDATE] = "update",       [LABEL_RETURNS] = "returns",
        [LABEL_HANGS] = "hangs",         [LABEL_BEGINS] = "begins",
        [LABEL_RECORD] = "record",       [LABEL_OPS] = "ops",
        [LABEL_WRONG] = "wrong",         [LABEL_KEY] = "key",
        [LABEL_DATA] = "data",           [LABEL_PUBLISHED] = "published",
        [LABEL_READ] = "read",           [LABEL_ENTRY] = "entry",
        [LABEL_USED] = "used",           [LABEL_FREED] = "freed",
        [LABEL_REACHED] = "reached",     [LABEL_ASKED] = "asked by",
    };

    return names[label];
}

const char *message_text(enum message message)
{
    static const char *const texts[] = {
        [MESSAGE_NONE] = "",
        [MESSAGE_WRITER] = "by an unknown writer: stores to a page that does not hold code "
                           "yet are not seen one by one",
        [MESSAGE_BYTES] = "whether these bytes were written, or others in their page",
        [MESSAGE_CLOCKS] =
            "by step, from top to bottom: a step is an instruction of any hart; each hart's cycles "
            "are a clock of its own",
        [MESSAGE_NO_PUSH] =
            "an entry for it on the task's return stack: curr_ret_stack did not grow",
        [MESSAGE_NOT_REPLACED] =
            "return_to_handler in its place: curr_ret_stack grew, the return address is the same",
        [MESSAGE_NOT_HOOKED] = "arch_rethook_trampoline in its place: the task's list of rethooks "
                               "has a new first entry, the return address is the same",
        [MESSAGE_NOT_KEPT] =
            "the return address in the node of the task's list of rethooks: it has "
            "another one than arch_rethook_trampoline has replaced",
        [MESSAGE_SITE_CALLS] = "that the site calls",
        [MESSAGE_CALLED_REST] = "that has called the rest of the function",
        [MESSAGE_RETURNS_THERE] = "to which the function returns",
        [MESSAGE_NO_HOOK] = "a call on this stack whose return address was replaced",
        [MESSAGE_NEVER] = "; it has executed none so far",
        [MESSAGE_STARTED] = "; it has executed none since it was started",
        [MESSAGE_RUN] = "by that hart since the change",
        [MESSAGE_NOT_RUN] = "by that hart since the change: not once",
        [MESSAGE_DATA_FENCE] = "a data fence (fence w,o or stronger) between that store and the "
                               "request",
        [MESSAGE_INTERRUPTS_OFF] =
            "the interrupt: that hart has them off, and so has the one that waits",
        [MESSAGE_LOCK_HERE] = "text_mutex, which the task did not own at the last of these stores",
        [MESSAGE_LOCK_THERE] = "text_mutex, which the task did not own at the store between",
        [MESSAGE_LOCK_OTHER] =
            "text_mutex, which the task did not own from its store to its fence: "
            "the hart above was changing text, too, or had the lock",
        [MESSAGE_LOCK_BARE] =
            "text_mutex, which other stores to text are made with: neither this task had it at the "
            "store, nor one that waits while this hart takes no interrupts",
        [MESSAGE_ALIAS] = "at this address, through which the store was made, and still writable",
        [MESSAGE_INSIDE] =
            "the handler of the fault goes on in the middle of an instruction: it took "
            "the load or store for a longer or shorter one",
        [MESSAGE_SITE_AGAIN] =
            "the pc that the tracer or probe left is the site's own: it is called "
            "again and again, and the function never gets on",
        [MESSAGE_TRAP_LOOP] =
            "the same exception at the same place, with the same registers, again "
            "and again until the run was ended",
        [MESSAGE_HANDLER_TRAPS] = "the trap handler traps itself, without an end",
        [MESSAGE_DEAF] = "with interrupts off: for a tenth of a second or more the hart has not "
                         "taken an interrupt that waits for it",
        [MESSAGE_SPINS] = "in a small loop: each interrupt finds the hart there, with the same "
                          "registers",
        [MESSAGE_LOOPS] = "in an endless loop: it goes through the same instructions again and "
                          "again, and no branch among them is going to leave it",
        [MESSAGE_LOOPS_OFF] = "in an endless loop with interrupts off: it goes through the same "
                              "instructions again and again, and no branch among them is going "
                              "to leave it",
        [MESSAGE_OFF] = "with interrupts off for a tenth of a second or more, and nothing that it "
                        "executes next turns them on",
        [MESSAGE_WAITS_DEAF] = "it waits for an interrupt, has not enabled those by other harts, "
                               "and one was sent a tenth of a second ago or earlier",
        [MESSAGE_START_TASK_TAKEN] = "its task is the one that another hart runs",
        [MESSAGE_START_CPU_TAKEN] = "its task has the number (cpu) of another hart's task",
        [MESSAGE_START_NO_TASK] = "tp is not the address of a task",
        [MESSAGE_START_STACK] = "sp is not in the stack of its task",
        [MESSAGE_START_ALIGNMENT] = "sp is no multiple of 16",
        [MESSAGE_START_GP] = "gp is not __global_pointer$, as it is in another hart",
        [MESSAGE_START_VECTOR] = "its traps go elsewhere than those of all other harts (stvec)",
        [MESSAGE_START_MODE] = "its page tables have another mode than those of all other harts",
        [MESSAGE_START_TABLES] = "its page tables do not map all of the kernel's text",
        [MESSAGE_START_ACCESS] = "it may access user memory, or read what can only be executed",
        [MESSAGE_START_SCRATCH] =
            "sscratch is not 0, as it is in all other harts while they are in "
            "the kernel: its first trap is taken for one of a program",
        [MESSAGE_START_NO_IPI] = "it waits, and has not enabled interrupts by other harts (SSIE in "
                                 "sie), as all others have",
        [MESSAGE_WRITABLE] = "at this address, where it is run, and writable",
        [MESSAGE_OPEN] = "at this address, writable and executable",
        [MESSAGE_DATA_OPEN] = "data of the image, executable at this address",
        [MESSAGE_OPENED] =
            "at this address, writable, and about to be made executable: until it is "
            "made read-only it is both",
        [MESSAGE_NO_SLOT] = "nothing can be executed at the address where the hart goes on",
        [MESSAGE_OTHER_INSN] = "the slot has another instruction than the breakpoint has replaced",
        [MESSAGE_NO_WAY_BACK] = "right after the copy there is neither a breakpoint nor a jump to "
                                "the instruction after the replaced one",
        [MESSAGE_USES_PC] = "the instruction uses its own address, which is another one in a slot",
        [MESSAGE_OF_SYSTEM] = "the instruction uses what a trap changes, or orders fetches: it "
                              "cannot be carried out in a slot",
        [MESSAGE_RESERVATION] = "a trap from lr to sc ends the reservation: the loop need not end",
        [MESSAGE_STEP_INTERRUPTS] = "interrupts are on in the slot: one may take the hart to other "
                                    "code, and to other breakpoints, before the step has ended",
        [MESSAGE_ELSEWHERE] = "the hart goes on where the replaced instruction does not lead to",
        [MESSAGE_RESULT] = "the replaced instruction has another result",
        [MESSAGE_LEFT_OUT] = "the hart goes on after the replaced instruction, which was left out",
        [MESSAGE_GIVEN_UP] = "the kernel gives up at its own breakpoint, or at that after the copy",
        [MESSAGE_BREAK_INSIDE] = "a breakpoint in the middle of the instruction that begins there",
        [MESSAGE_BREAK_TOO_LONG] = "a breakpoint of four bytes over an instruction of two: it has "
                                   "destroyed the next one, too",
        [MESSAGE_PART] = "only a part of the instruction that begins there was written",
        [MESSAGE_REST] = "the rest of the instruction that begins there was left behind",
        [MESSAGE_ILLEGAL] = "what was written there is no instruction",
        [MESSAGE_NOT_RESTORED] = "the breakpoint was taken away, and what it had replaced is not "
                                 "back",
        [MESSAGE_TARGET] = "the jump that begins there leads to where no instruction begins",
        [MESSAGE_SINCE_START] = "; it has executed none since it left M-mode for the first time",
        [MESSAGE_GRACE_PERIOD] =
            "a grace period before it is freed: synchronize_rcu(), call_rcu() or "
            "an interrupt to all harts",
        [MESSAGE_NOP] = "a nop",
        [MESSAGE_RECORD_UNSORTED] =
            "the record is behind one with a higher address, so searches by address miss some",
        [MESSAGE_RECORD_TWICE] = "it is the second record of this site",
        [MESSAGE_RECORD_OF_FREED] = "the memory of its site has other contents now",
        [MESSAGE_RECORD_MISSING] =
            "ftrace has no record of the site, so nothing turns it on or off",
        [MESSAGE_RECORD_NEVER_ENABLED] =
            "its module runs, and most records of it still say that they must not be patched",
        [MESSAGE_RECORD_COUNT] = "its count is not the number of ops that trace the function",
        [MESSAGE_RECORD_LEFT_ON] = "it says that the site is on, which no ops wants",
        [MESSAGE_RECORD_LEFT_OFF] = "it says that the site is off, and an ops traces the function",
        [MESSAGE_RECORD_SITE_ON] = "it says that the site is off, and the site is a call",
        [MESSAGE_RECORD_SITE_OFF] = "it says that the site is on, and the site does not call",
        [MESSAGE_RECORD_REGS] =
            "its flag for all registers (FTRACE_FL_REGS) is not what the ops ask for",
        [MESSAGE_RECORD_TRAMPOLINE] =
            "the site calls the other trampoline than its flag says (FTRACE_FL_REGS_EN)",
        [MESSAGE_RECORD_OPS] = "the site does not name the ops that its record says "
                               "(its only one, or the list)",
        [MESSAGE_OTHER_TABLE] =
            "not the entry: satp leads to other tables, for the same address space",
        [MESSAGE_RECORD_NO_SITE] =
            "no site begins at its address: what ftrace patches there is other code",
        [MESSAGE_RECORD_ASKED] =
            "its site was not changed to what its flags ask for (FTRACE_FL_REGS, TRAMP, DIRECT or "
            "CALL_OPS, and the same with _EN)",
        [MESSAGE_RECORD_NAMELESS] =
            "the site was turned on, and the word before the function is not the address of an ops",
        [MESSAGE_RECORD_UNNAMED] =
            "the word before the function was the address of an ops, and is none now: a hart that "
            "has just entered the trampoline follows it",
        [MESSAGE_TRACE_OP] =
            "the trampolines call the tracer of one ops, and function_trace_op, which they pass to "
            "it, is no ops that is registered",
        [MESSAGE_TRACE_OP_LATE] =
            "the trampolines are about to call the tracer of one ops, and function_trace_op, which "
            "they pass to it, is no ops with that tracer yet",
        [MESSAGE_PROGRAM_RUNS] =
            "a grace period (synchronize_rcu) before the program is freed: since that hart has "
            "entered the program, it has neither left the handler or system call in which it did, "
            "nor run another task",
        [MESSAGE_TEXT_IN_USE] =
            "a wait until nobody is in the text any more, before it is freed: no task that was "
            "stopped there or has called something from there (synchronize_rcu_tasks), and no hart "
            "(synchronize_rcu)",
        [MESSAGE_OPS_IN_USE] =
            "a wait until nobody is in the trampoline any more (synchronize_rcu_tasks), before the "
            "ops counts as ended and may be freed: that call was open before, and still is",
        [MESSAGE_OPS_FREED] = "unregister_ftrace_function() before the text is freed: the ops is "
                              "registered, and it or its function is in there",
        [MESSAGE_GRAPH_FREED] = "unregister_ftrace_graph() before the text is freed: the tracer is "
                                "registered, and it or a function of it is in there",
        [MESSAGE_PROBE_OWNER_FREED] =
            "unregister_kprobe() before the text is freed: the probe is registered, and it or its "
            "handler is in there",
        [MESSAGE_TRACEPOINT_FREED] =
            "unregistering the probe of a tracepoint (unregister_trace_NAME()) before the text is "
            "freed: it is in the tracepoint's list, and in there",
        [MESSAGE_NOTIFIER_FREED] =
            "unregistering the notifier (unregister_module_notifier() and others) before the text "
            "is freed: it is in the list, and it or its function is in there",
        [MESSAGE_PROBES_ALL] =
            "the ops is registered for kprobes, and its filter is empty, which means "
            "all functions",
        [MESSAGE_NO_OPS] = "the address of the ops that the tracer is called for: this is no ops "
                           "that is registered",
        [MESSAGE_OP_UNWANTED] = "the ops was called, and its filter does not have the function",
        [MESSAGE_OP_LEFT_OUT] = "the ops was not called, and its filter has the function",
        [MESSAGE_OP_TWICE] = "the ops was called twice for one call of the function",
        [MESSAGE_LIST_LATE] =
            "the site was changed while the trampoline called the tracer of an ops, as before the "
            "update: it is called for sites that its filter does not have, until it is replaced",
        [MESSAGE_RETURN_UNWANTED] = "the return function of a graph tracer was called for a call "
                                    "that its entry function has not accepted",
        [MESSAGE_RETURN_LEFT_OUT] = "the return function of a graph tracer was not called, and its "
                                    "entry function has accepted the call",
        [MESSAGE_RETURN_OLDER] = "the return function of a graph tracer was called for a call from "
                                 "before the tracer was registered",
        [MESSAGE_RETURN_NOBODY] = "the call was put on the task's return stack, and no entry "
                                  "function has accepted it",
        [MESSAGE_NO_STACK] = "the task's return stack: ret_stack is 0, so no graph tracer is "
                             "called for the task",
        [MESSAGE_GUARD_KEPT] = "no tracer runs, and the task still has the guard of one that has "
                               "ended: none is called for it any more",
        [MESSAGE_GRAPH_ON] = "the trampoline calls the graph tracer, and no tracer wants it: "
                             "ftrace_graph_active is 0",
        [MESSAGE_GRAPH_OFF] =
            "the trampoline does not call the graph tracer, and some tracer wants "
            "it: ftrace_graph_active is above 0",
        [MESSAGE_STACK_FREED] = "the task's return stack: ret_stack is 0, while functions of the "
                                "task return to the handler",
        [MESSAGE_STACK_EMPTY] =
            "an entry on the task's return stack: it is empty (curr_ret_stack), while functions of "
            "the task return to the handler",
        [MESSAGE_HOOKS_EMPTY] =
            "a node in the task's list of hooked returns (rethooks): it is empty, while functions "
            "of the task return to the handler",
        [MESSAGE_STACK_OWN] = "the task frees its own return stack, while functions of it are to "
                              "return by the entries there",
        [MESSAGE_STACK_PASSED] = "the entry of this call is past the end of the task's return "
                                 "stack, in memory that belongs to something else",
        [MESSAGE_ENTRIES_DROPPED] =
            "entries of the task's return stack vanished between two calls of the tracer or return "
            "handler, while the functions they belong to were still to return",
        [MESSAGE_ENTRIES_ADDED] =
            "the task's return stack grew between two calls of the tracer or return handler",
        [MESSAGE_HOOKS_DROPPED] =
            "the task's list of hooked returns was emptied, and functions whose return address is "
            "in there were still to return",
        [MESSAGE_TEXT_FREED] =
            "a page of text was given back to the allocator, and a hart may still "
            "fetch from it by the old address",
        [MESSAGE_HOOK_FREED] = "what a hooked return needs, its node or the rethook it belongs to: "
                               "the function has not returned yet, and its node is still listed",
        [MESSAGE_HOOK_ENDED] =
            "the handler of a rethook was called after rethook_free: what it uses "
            "may be gone",
        [MESSAGE_STACK_SHARED] = "another task has the same return stack (ret_stack): each pops "
                                 "what the other has pushed",
        [MESSAGE_HOOKS_SHARED] =
            "another task has the same first entry in its list of hooked returns (rethooks): each "
            "gives back what the other still needs",
        [MESSAGE_LOADS_BELOW] =
            "it loads from below sp, where the frame of a trap is, if one comes "
            "in between",
        [MESSAGE_STORES_BELOW] =
            "what it stores there is below sp before it is loaded again: the frame of a trap is "
            "there, if one comes in between",
        [MESSAGE_FRAME_RECORD] =
            "s0 points into the trampoline's frame, and no frame record there leads to the s0 of "
            "the traced function: a walk of the stack ends here or goes astray",
        [MESSAGE_RECORD_INSIDE] =
            "its address is in the middle of its site, unlike those of others",
        [MESSAGE_PROBE_LACKING] =
            "the kernel's table has an enabled probe there, and there is no breakpoint",
        [MESSAGE_PROBE_LEFT] = "the probe there is disabled, and its breakpoint is still there",
        [MESSAGE_PROBE_GONE] = "the probe there was removed, and its breakpoint is still there",
        [MESSAGE_PROBE_SHARED] =
            "one of the probes there is enabled, and the entry that stands for "
            "all of them is disabled",
        [MESSAGE_PROBE_FREED] = "the kernel's table has a probe there, not marked as gone, and the "
                                "code there was freed",
        [MESSAGE_PROBE_RESTORED] =
            "the instruction of a probe whose code was freed was put back over "
            "what is there now",
        [MESSAGE_PROBE_IN_SITE] =
            "a breakpoint is behind the first instruction of the site, which ftrace compares and "
            "changes as a whole",
        [MESSAGE_PROBE_DISABLED] = "a handler was called for a probe that is disabled, as another "
                                   "one of the same place is not",
        [MESSAGE_PROBE_NOT_CALLED] =
            "the breakpoint was hit, and the handler of a probe that is enabled was not called, "
            "although the hart was in no other probe",
        [MESSAGE_PROBE_UNLISTED] =
            "a breakpoint is put into the code or taken out of it, and the table has no probe for "
            "the place: a hart that hits it meanwhile finds none",
        [MESSAGE_PROBE_CURRENT] = "the probe is over, and the hart still has it as its current one "
                                  "(current_kprobe): it misses all others",
        [MESSAGE_FILTER_FREED] =
            "a filter of the ops has the address, and the code there was freed",
        [MESSAGE_TABLE_LACKS] =
            "the function begins with the compiler's nops, and its module's table "
            "of sites (__mcount_loc) has no entry for it",
        [MESSAGE_TABLE_ODD] = "the module's table of sites (__mcount_loc) has the address, and the "
                              "compiler has put neither nops nor a call there",
        [MESSAGE_SHADOW_KEPT] =
            "the return address was replaced by a return handler, its entry on the shadow stack "
            "was not",
        [MESSAGE_SHADOW_LEFT] =
            "the entry on the shadow stack is a return handler, the return address is another one",
        [MESSAGE_SHADOW_OTHER] = "neither of the two is a return handler",
        [MESSAGE_PAD_REPLACED] =
            "it is not lpad: the last store to text has replaced what was there",
        [MESSAGE_PAD_NONE] = "it is not lpad",
        [MESSAGE_PAD_LABEL] = "the label of the lpad is not that of the jump, in x7",
        [MESSAGE_PAD_ALIGNMENT] = "the lpad is not at a multiple of 4",
    };

    return texts[message];
}

uint64_t call_stack_code(const struct call_stack *stack, unsigned i)
{
    return stack->at[i] - !(stack->exact >> i & 1);
}

static const char *register_name(unsigned number)
{
    static const char *const others[] = {
        [FACT_SLOT - FACT_SLOT] = "-8(sp)",
        [FACT_SIE - FACT_SLOT] = "sstatus.SIE",
        [FACT_SPIE - FACT_SLOT] = "sstatus.SPIE",
        [FACT_SPP - FACT_SLOT] = "sstatus.SPP",
        [FACT_FS - FACT_SLOT] = "sstatus.FS",
        [FACT_SUM - FACT_SLOT] = "sstatus.SUM",
        [FACT_MXR - FACT_SLOT] = "sstatus.MXR",
        [FACT_SATP - FACT_SLOT] = "satp",
        [FACT_FCSR - FACT_SLOT] = "fcsr",
        [FACT_PREEMPT - FACT_SLOT] = "preempt_count",
        [FACT_RECURSION - FACT_SLOT] = "trace_recursion",
        [FACT_CALL_DEPTH - FACT_SLOT] = "curr_ret_depth",
        [FACT_PAUSED - FACT_SLOT] = "tracing_graph_pause",
        [FACT_VS - FACT_SLOT] = "sstatus.VS",
        [FACT_VL - FACT_SLOT] = "vl",
        [FACT_VTYPE - FACT_SLOT] = "vtype",
        [FACT_VSTART - FACT_SLOT] = "vstart",
        [FACT_VCSR - FACT_SLOT] = "vcsr",
    };
    static const char *const vectors[] = {"v0",  "v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",
                                          "v8",  "v9",  "v10", "v11", "v12", "v13", "v14", "v15",
                                          "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
                                          "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"};

    if (number >= FACT_VREG)
        return vectors[number - FACT_VREG];
    if (number >= FACT_SLOT)
        return others[number - FACT_SLOT];
    return number < FACT_FREG ? reg_name(number) : freg_name(number - FACT_FREG);
}

const char *fact_register_name(const struct fact *fact)
{
    return register_name(fact->size);
}

static bool is_compared(enum rule rule, unsigned number)
{
    bool is_csr = number >= FACT_SIE && number < FACT_VREG;

    return number != FACT_SLOT && is_csr == (rule == RULE_clobbered_csr);
}

int fact_register_number(enum rule rule, const char *name)
{
    for (unsigned number = 0; number < FACT_REGISTERS; number++)
        if (is_compared(rule, number) && !strcmp(register_name(number), name))
            return (int)number;
    return -1;
}
