/* vdso.h - code of the kernel's that every program has mapped. */
#ifndef ASM_VDSO_H
#define ASM_VDSO_H

struct file;

/* What exec maps at mm->context.vdso: where a signal handler returns to. Set once at boot. */
extern struct file *vdso_file;
void vdso_init(void);

#endif
