/* patch.h - writing kernel text, which is mapped read-only. */
#ifndef ASM_PATCH_H
#define ASM_PATCH_H

#include <linux/types.h>

/* Both run with text_mutex held, or where nothing else can run. */
int patch_insn_write(void *addr, const void *insn, size_t len);
/* And this hart fences; the others have to before they run what was patched. */
int patch_text_nosync(void *addr, const void *insns, size_t len);

#endif
