/*
 * params.c - the kernel command line and module parameters.
 *
 * Words are separated by blanks; a word is key or key=value. A value in double quotes may
 * contain blanks; the quotes enclose the value or the whole word, as in Linux. Also as in
 * Linux, words that the kernel does not know go to init: NAME=VALUE to its environment, other
 * words and all words after `--` to its arguments.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>

/* The command line from the device tree; parse_args() splits it in place. */
char boot_command_line[COMMAND_LINE_SIZE];

extern const struct obs_kernel_param __setup_start[], __setup_end[];

/* Returns the next word of *line without its quotes, and advances *line; NULL at the end. */
static char *next_word(char **line)
{
    char *from = *line, *to, *word;
    bool quoted = false;

    while (*from == ' ' || *from == '\n' || *from == '\t')
        from++;
    if (!*from)
        return NULL;
    for (word = to = from; *from && (quoted || *from != ' '); from++) {
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *line = *from ? from + 1 : from;
    *to = 0;
    return word;
}

enum { MAX_INIT_STRINGS = 32 };

/* Filled at boot; both end with a NULL. argv[0] is the program's path. */
char *argv_init[MAX_INIT_STRINGS + 2] = {"init"};
char *envp_init[MAX_INIT_STRINGS + 2] = {"HOME=/", "TERM=linux"};

static void add_string(char **list, char *word)
{
    int n = 0;

    while (list[n])
        n++;
    if (n <= MAX_INIT_STRINGS)
        list[n] = word;
    else
        pr_err("Too many boot parameters for init: '%s' is left out\n", word);
}

/* Replaces the variable if the environment has it, else adds it. */
static void add_variable(char *word, size_t name_len)
{
    char **v = envp_init;

    while (*v && strncmp(*v, word, name_len + 1) != 0)
        v++;
    if (*v)
        *v = word;
    else
        add_string(envp_init, word);
}

static void pass_to_init(char *word)
{
    const char *equals = strchr(word, '=');

    if (equals)
        add_variable(word, equals - word);
    else
        add_string(argv_init, word);
}

static void apply_param(char *word)
{
    const struct obs_kernel_param *p;

    for (p = __setup_start; p < __setup_end; p++) {
        size_t n = strlen(p->str);
        bool takes_value = p->str[n - 1] == '=';

        if (strncmp(word, p->str, n) || (!takes_value && word[n]))
            continue;
        if (p->setup_func(word + n))
            pr_err("Malformed boot parameter '%s'\n", word);
        return;
    }
    pass_to_init(word);
}

void parse_args(char *line)
{
    char *word;

    while ((word = next_word(&line)) && strcmp(word, "--") != 0)
        apply_param(word);
    while (word && (word = next_word(&line)))
        add_string(argv_init, word);
}

/* ---- modules ---- */

int param_set_ulong(const char *val, const struct kernel_param *kp)
{
    return val ? kstrtoul(val, 0, kp->arg) : -EINVAL;
}
EXPORT_SYMBOL(param_set_ulong);

int param_set_uint(const char *val, const struct kernel_param *kp)
{
    unsigned long n;
    int err = val ? kstrtoul(val, 0, &n) : -EINVAL;

    if (!err && n != (unsigned int)n)
        err = -ERANGE;
    if (!err)
        *(unsigned int *)kp->arg = n;
    return err;
}
EXPORT_SYMBOL(param_set_uint);

int param_set_int(const char *val, const struct kernel_param *kp)
{
    bool negative = val && *val == '-';
    unsigned long n;
    int err = val ? kstrtoul(val + negative, 0, &n) : -EINVAL;

    if (!err && n > 0x7ffffffful + negative)
        err = -ERANGE;
    if (!err)
        *(int *)kp->arg = negative ? -(long)n : (long)n;
    return err;
}
EXPORT_SYMBOL(param_set_int);

/* A name alone means yes. */
int param_set_bool(const char *val, const struct kernel_param *kp)
{
    if (val && !strchr("1yYnN0", *val))
        return -EINVAL;
    *(bool *)kp->arg = !val || strchr("1yY", *val);
    return 0;
}
EXPORT_SYMBOL(param_set_bool);

int param_set_charp(const char *val, const struct kernel_param *kp)
{
    if (!val)
        return -EINVAL;
    *(const char **)kp->arg = val;
    return 0;
}
EXPORT_SYMBOL(param_set_charp);

static int set_module_param(const char *mod, char *word, const struct kernel_param *params,
                            unsigned int num)
{
    char *val = strchr(word, '=');
    int err;

    if (val)
        *val++ = 0;
    for (; num && strcmp(params->name, word); num--)
        params++;
    if (!num) {
        printk("%s: unknown parameter '%s' ignored\n", mod, word);
        return 0;
    }
    err = params->set(val, params);
    if (err)
        printk("%s: `%s' invalid for parameter `%s'\n", mod, val ? val : "", word);
    return err;
}

int parse_module_args(const char *mod, char *args, const struct kernel_param *params,
                      unsigned int num)
{
    char *word;
    int err = 0;

    while (!err && (word = next_word(&args)))
        err = set_module_param(mod, word, params, num);
    return err;
}
