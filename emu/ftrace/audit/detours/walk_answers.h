/*
 * walk_answers.h - whether the kernel, when it walks a stack, finds the return addresses that a
 * return handler has taken the place of.
 *
 * In the frames of traced functions a walk finds the address of the return handler, and asks for
 * the true one: ftrace_graph_ret_addr() for that of the graph tracer, rethook_find_ret_addr() for
 * those of kretprobes and others. What is replaced on the stack is known by the record of calls,
 * and so is the answer.
 */
#ifndef FTRACE_WALK_ANSWERS_H
#define FTRACE_WALK_ANSWERS_H

struct audit;
struct state_io;
struct walk_answers;

struct walk_answers *walk_answers_new(struct audit *a);
void walk_answers_free(struct walk_answers *w); /* NULL is allowed */

/* Must be called when ftrace's lock is about to be released: the next walks are judged. */
void walk_answers_changed(struct walk_answers *w);

void walk_answers_state_io(struct state_io *io, struct walk_answers *w);

#endif
