/*
 * freed_text.h - whether pages with text of modules and programs go back to the kernel's allocator
 * while a hart may still fetch from them.
 *
 * A hart that has run code keeps its translation until an sfence.vma that covers it. What the
 * page's next owner writes there could be run by the old address.
 */
#ifndef FTRACE_FREED_TEXT_H
#define FTRACE_FREED_TEXT_H

struct audit;
struct freed_text;
struct state_io;
struct text_event;

struct freed_text *freed_text_new(struct audit *a);
void freed_text_free(struct freed_text *t); /* NULL is allowed */

/* Must be called when text is complete. */
void freed_text_live(struct freed_text *t, const struct text_event *e);

void freed_text_state_io(struct state_io *io, struct freed_text *t);

#endif
