/* module.mod.c - the struct module of a module; compiled into each of them. */
#include <linux/module.h>

/* Both are optional. */
extern int init_module(void) __attribute__((weak));
extern void cleanup_module(void) __attribute__((weak));

struct module __this_module __section(".gnu.linkonce.this_module") = {
    .name = KBUILD_MODNAME,
    .init = init_module,
    .exit = cleanup_module,
};
