/*
 * params.c - the boot line: words separated by blanks, key or key=value.
 *
 * A value in double quotes may hold blanks; the quotes go round the value or
 * round the whole word, as in Linux.  Words nobody knows are passed over.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>

/* The boot line as the device tree gave it; cut up in place by parse_args(). */
char boot_command_line[COMMAND_LINE_SIZE];

extern const struct obs_kernel_param __setup_start[], __setup_end[];

/* Cuts the next word off *line, quotes removed; NULL at the end. */
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
}

void parse_args(char *line)
{
    char *word;

    while ((word = next_word(&line)))
        apply_param(word);
}
