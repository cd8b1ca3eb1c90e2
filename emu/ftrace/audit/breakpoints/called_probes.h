/*
 * called_probes.h - whether the handlers of kprobes that are enabled are called, and those of
 * probes that are disabled are left alone.
 *
 * A place has one breakpoint, and may have several probes, each with its own flags. After each
 * change of the kernel's table the handlers that are called at some breakpoints are looked at.
 */
#ifndef FTRACE_CALLED_PROBES_H
#define FTRACE_CALLED_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct audit;
struct called_probes;
struct hart;
struct hit;
struct state_io;

/* innermost: the hit of a breakpoint whose handlers the hart calls now; NULL: there is none. */
struct called_probes *
called_probes_new(struct audit *a, const struct hit *(*innermost)(void *ctx, const struct hart *h),
                  void *ctx);
void called_probes_free(struct called_probes *c); /* NULL is allowed */

/* Must be called when a hart is about to release the kernel's kprobe_mutex. */
void called_probes_changed(struct called_probes *c);

/*
 * Must be called when a hart has hit a breakpoint. alone: the hart is in no other probe, so the
 * handlers have to be called.
 */
void called_probes_hit(struct called_probes *c, struct hart *h, const struct hit *d, bool alone);

/*
 * Must be called when the handler of that trap has returned, and the replaced instruction is, or
 * will be, carried out as usual: no probe has asked to go on elsewhere, so all were called.
 */
void called_probes_end(struct called_probes *c, struct hart *h, const struct hit *d);

void called_probes_state_io(struct state_io *io, struct called_probes *c);

#endif
