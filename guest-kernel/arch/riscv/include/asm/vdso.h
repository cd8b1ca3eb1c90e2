/* vdso.h - the vDSO, kernel code that is mapped in every program. */
#ifndef ASM_VDSO_H
#define ASM_VDSO_H

struct file;

/* The page that exec maps at mm->context.vdso: signal handlers return there. Set once at boot. */
extern struct file *vdso_file;
void vdso_init(void);

#endif
