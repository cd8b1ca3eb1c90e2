/*
 * text_stores.h - what the auditor keeps of stores to code, for all rules: the present one, and
 * each hart's last one to text, with the pages other than its own through which it has stored.
 */
#ifndef FTRACE_TEXT_STORES_H
#define FTRACE_TEXT_STORES_H

struct audit;
struct code_write;

/*
 * Keeps the store, before any rule sees it; of one to text also that its hart must order it before
 * it asks for fences.
 */
void text_stores_follow(struct audit *a, const struct code_write *w);

#endif
