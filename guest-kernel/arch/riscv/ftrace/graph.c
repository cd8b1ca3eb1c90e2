/*
 * graph.c - prepare_ftrace_return(), which replaces a return address for the graph tracer.
 *
 * Not instrumented: every traced function calls it.
 */
#include <linux/ftrace.h>
#include <linux/sched.h>

/* Replaces *parent only if the original has been pushed on the return stack. */
void prepare_ftrace_return(unsigned long *parent, unsigned long self_addr,
                           unsigned long frame_pointer)
{
    unsigned long old;

    if (unlikely(ftrace_graph_is_dead()))
        return;
    if (unlikely(atomic_read(&current->tracing_graph_pause)))
        return;
    old = *parent;
    if (!function_graph_enter(old, self_addr, frame_pointer, parent))
        *parent = (unsigned long)return_to_handler;
}
