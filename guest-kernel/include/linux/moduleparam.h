/* moduleparam.h - module parameters: variables set at loading, as in insmod NAME.ko count=3. */
#ifndef LINUX_MODULEPARAM_H
#define LINUX_MODULEPARAM_H

#include <linux/compiler.h>

struct kernel_param {
    const char *name;
    int (*set)(const char *val, const struct kernel_param *kp); /* val NULL: there was no `=` */
    void *arg;
};

int param_set_bool(const char *val, const struct kernel_param *kp);
int param_set_int(const char *val, const struct kernel_param *kp);
int param_set_uint(const char *val, const struct kernel_param *kp);
int param_set_ulong(const char *val, const struct kernel_param *kp);
int param_set_charp(const char *val,
                    const struct kernel_param *kp); /* val stays valid while the module is loaded */

#define module_param(name, type, perm)                                          \
    static const struct kernel_param __param_##name __used __section("__param") \
        __aligned(8) = {#name, param_set_##type, &(name)}

/*
 * Sets parameters from `name=value` words, which it splits in place. Unknown names are reported
 * and ignored. Returns 0 or the error of a set function.
 */
int parse_module_args(const char *mod, char *args, const struct kernel_param *params,
                      unsigned int num);

#endif
