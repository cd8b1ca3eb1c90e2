/*
 * binfmt_script.c - programs whose first line is `#!INTERPRETER [ARGUMENT]`.
 *
 * The rest of the line after the interpreter is one argument, without the spaces around it.
 */
#include <linux/binfmts.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *skip_blanks(char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

int load_script(const struct file *file, char *line, struct script *script)
{
    loff_t pos = 0;
    ssize_t n = kernel_read((struct file *)file, line, SCRIPT_LINE_MAX - 1, &pos);
    char *end, *p;

    if (n < 2 || line[0] != '#' || line[1] != '!')
        return n < 0 ? (int)n : 0;
    line[n] = 0;
    end = strchr(line, '\n');
    if (!end)
        end = line + n;
    while (end > line + 2 && is_blank(end[-1]))
        end--;
    *end = 0;
    p = skip_blanks(line + 2);
    if (!*p)
        return -ENOEXEC;
    *script = (struct script){.interp = p};
    while (*p && !is_blank(*p))
        p++;
    if (*p) {
        *p = 0;
        script->arg = skip_blanks(p + 1);
    } else if (n == SCRIPT_LINE_MAX - 1 && end == line + n) {
        return -ENOEXEC; /* the interpreter's name may be cut off */
    }
    return 1;
}
