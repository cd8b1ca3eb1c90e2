/*
 * graph.c - what the trampolines call to take a return address.
 *
 * Not instrumented: it is called from every site.
 */
#include <linux/ftrace.h>
#include <linux/sched.h>

/* The slot is hooked only when the push succeeded. */
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
