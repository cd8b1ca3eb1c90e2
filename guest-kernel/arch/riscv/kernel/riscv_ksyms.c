/* riscv_ksyms.c - exports of the functions that the compiler calls on its own. */
#include <asm/ftrace.h>
#include <linux/export.h>
#include <linux/string.h>

EXPORT_SYMBOL(memcpy);
EXPORT_SYMBOL(memmove);
EXPORT_SYMBOL(memset);
EXPORT_SYMBOL(memcmp);

#if defined(CONFIG_FUNCTION_TRACER) && !defined(CC_USING_PATCHABLE_FUNCTION_ENTRY)
EXPORT_SYMBOL(_mcount);
#endif
