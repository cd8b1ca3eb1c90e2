/*
 * mount.c - mount, umount.
 *
 * Options of mount(8) set or clear flags of the system call; others are passed to the
 * filesystem.
 */
#include "applet.h"
#include "shell.h"

enum { MAX_WORDS = 2 };

static const struct {
    const char *name;
    unsigned long set, clear;
} mount_options[] = {
    {"defaults", 0, 0},
    {"ro", MS_RDONLY, 0},
    {"rw", 0, MS_RDONLY},
    {"nosuid", MS_NOSUID, 0},
    {"suid", 0, MS_NOSUID},
    {"nodev", MS_NODEV, 0},
    {"dev", 0, MS_NODEV},
    {"noexec", MS_NOEXEC, 0},
    {"exec", 0, MS_NOEXEC},
    {"noatime", MS_NOATIME, 0},
    {"atime", 0, MS_NOATIME},
    {"nodiratime", MS_NODIRATIME, 0},
    {"diratime", 0, MS_NODIRATIME},
    {"relatime", MS_RELATIME, 0},
    {"strictatime", MS_STRICTATIME, 0},
    {"remount", MS_REMOUNT, 0},
    {"bind", MS_BIND, 0},
    {"move", MS_MOVE, 0},
};

/* The arguments of mount. */
struct mount_request {
    const char *type; /* may be NULL */
    unsigned long flags;
    struct strbuf options; /* for the file system, separated by commas */
    const char *words[MAX_WORDS];
    int n;
};

/* ---- listing ---- */

/* Decodes the octal escapes with which /proc/mounts writes blanks and the like. */
static void unescape(char *s)
{
    char *to = s;

    for (; *s; to++) {
        bool escaped = s[0] == '\\' && s[1] && s[2] && s[3];

        *to = escaped ? (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0') : *s;
        s += escaped ? 4 : 1;
    }
    *to = 0;
}

/* Prints a line of /proc/mounts in the format of mount(8). */
static int show_mount(char *line, const char *wanted_type)
{
    char *dev = strsep(&line, " "), *dir = strsep(&line, " ");
    const char *type, *options;
    struct strbuf text = {NULL, 0, 0};
    int status;

    type = strsep(&line, " ");
    options = strsep(&line, " ");
    if (!options || (wanted_type && strcmp(type, wanted_type) != 0))
        return 0;
    unescape(dev);
    unescape(dir);
    strbuf_adds(&text, dev);
    strbuf_adds(&text, " on ");
    strbuf_adds(&text, dir);
    strbuf_adds(&text, " type ");
    strbuf_adds(&text, type);
    strbuf_adds(&text, " (");
    strbuf_adds(&text, options);
    strbuf_adds(&text, ")");
    status = put_line(text.s);
    free(text.s);
    return status;
}

static int list_mounts(const char *type)
{
    size_t size;
    char *text = read_whole_file("/proc/mounts", &size), *rest = text, *line;
    int status = 0;

    if (IS_ERR(text))
        return complain("mount", "/proc/mounts", PTR_ERR(text));
    while (!status && (line = strsep(&rest, "\n")))
        status = show_mount(line, type);
    free(text);
    return status;
}

/* ---- mounting ---- */

static bool apply_option(struct mount_request *m, const char *option)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(mount_options); i++) {
        if (strcmp(mount_options[i].name, option) != 0)
            continue;
        m->flags = (m->flags & ~mount_options[i].clear) | mount_options[i].set;
        return true;
    }
    return false;
}

static void add_options(struct mount_request *m, const char *list)
{
    char *copy = shell_strdup(list), *rest = copy;
    const char *option;

    while ((option = strsep(&rest, ","))) {
        if (!*option || apply_option(m, option))
            continue;
        if (m->options.len)
            strbuf_addc(&m->options, ',');
        strbuf_adds(&m->options, option);
    }
    free(copy);
}

/* Options may also come after the other words, as in `mount none /mnt -t debugfs`. */
static bool parse_request(struct mount_request *m, char **argv)
{
    struct options o = {.argv = argv + 1};
    int c;

    for (;;) {
        while ((c = next_option(&o, "t:o:r"))) {
            switch (c) {
            case 't': m->type = o.value; break;
            case 'o': add_options(m, o.value); break;
            case 'r': m->flags |= MS_RDONLY; break;
            default: return false;
            }
        }
        if (!*o.argv)
            return true;
        if (m->n == MAX_WORDS)
            return false;
        m->words[m->n++] = *o.argv++;
    }
}

static int report_failure(const struct mount_request *m, const char *dev, const char *dir, int err)
{
    if (err == -ENODEV)
        shell_error("mount: %s: unknown filesystem type '%s'", dir, m->type);
    else if (err == -EBUSY && !(m->flags & MS_REMOUNT))
        shell_error("mount: %s: %s already mounted or mount point busy", dir, dev);
    else
        complain("mount", dir, err);
    return STATUS_MOUNT;
}

static int run_request(struct mount_request *m, char **argv)
{
    const char *dir = m->n ? m->words[m->n - 1] : NULL, *dev = m->n > 1 ? m->words[0] : "none";
    bool remount = m->flags & MS_REMOUNT;
    int err;

    if (!m->n && !m->flags && !m->options.len)
        return list_mounts(m->type);
    if (!dir || (!remount && m->n < 2) ||
        (!remount && !m->type && !(m->flags & (MS_BIND | MS_MOVE))))
        return usage_error(argv);
    err = mount(dev, dir, m->type, m->flags, m->options.s);
    return err ? report_failure(m, dev, dir, err) : 0;
}

int do_mount(int argc, char **argv)
{
    struct mount_request m = {.n = 0};
    int status;

    (void)argc;
    status = parse_request(&m, argv) ? run_request(&m, argv) : usage_error(argv);
    free(m.options.s);
    return status;
}

/* ---- unmounting ---- */

static int unmount(const char *dir, int flags)
{
    int err = umount(dir, flags);

    if (!err)
        return 0;
    if (err == -EINVAL)
        shell_error("umount: %s: not mounted", dir);
    else if (err == -EBUSY)
        shell_error("umount: %s: target is busy", dir);
    else
        complain("umount", dir, err);
    return STATUS_MOUNT;
}

int do_umount(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    int c, flags = 0, status = 0;

    (void)argc;
    while ((c = next_option(&o, "fl"))) {
        if (c == '?')
            return usage_error(argv);
        flags |= c == 'f' ? MNT_FORCE : MNT_DETACH;
    }
    if (!*o.argv)
        return usage_error(argv);
    for (; *o.argv; o.argv++)
        status = unmount(*o.argv, flags) ? STATUS_MOUNT : status;
    return status;
}
