/* patch.h - writes to kernel text, which is mapped read-only. */
#ifndef ASM_PATCH_H
#define ASM_PATCH_H

#include <linux/mutex.h>

extern struct mutex text_mutex;

/* Both are called with text_mutex held, or while nothing else can run, and return 0 or -EFAULT. */
int patch_insn_write(void *addr, const void *insn, size_t len);
/* Also executes fence.i on this hart; the others have to before they run the new code. */
int patch_text_nosync(void *addr, const void *insns, size_t len);
/*
 * Takes text_mutex, and stops the other harts while it writes; on return every hart has executed
 * fence.i. May sleep. 0 or -EFAULT.
 */
int patch_text(void *addr, const void *insns, size_t len);

#endif
