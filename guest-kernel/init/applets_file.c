/* applets_file.c - commands about names in the tree. */
#include "applet.h"
#include "shell.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

static int complain(const char *what, const char *path, int err)
{
    shell_error("%s: %s: %s", what, path, strerror(-err));
    return STATUS_ERROR;
}

/* dir/name, to be freed. */
static char *path_below(const char *dir, const char *name)
{
    struct strbuf b = {NULL, 0, 0};

    strbuf_adds(&b, dir);
    if (b.len && b.s[b.len - 1] != '/')
        strbuf_addc(&b, '/');
    strbuf_adds(&b, name);
    return strbuf_detach(&b);
}

static const char *last_component(const char *path)
{
    const char *p, *last = path;

    for (p = path; *p; p++)
        if (*p == '/' && p[1])
            last = p + 1;
    return last;
}

static bool is_directory(const char *path)
{
    struct kstat stat;

    return !vfs_fstatat(AT_FDCWD, path, &stat) && S_ISDIR(stat.mode);
}

/* ---- directories ---- */

struct listing {
    struct dir_context ctx;
    struct strings names;
    bool all;
};

static bool list_actor(struct dir_context *ctx, const char *name, size_t namelen, loff_t offset,
                       u64 ino, unsigned int type)
{
    struct listing *l = container_of(ctx, struct listing, ctx);

    (void)namelen;
    (void)offset;
    (void)ino;
    (void)type;
    if (l->all || name[0] != '.')
        strings_add(&l->names, shell_strdup(name));
    return true;
}

/* In order of making, `.` and `..` only if all are wanted. */
static int read_names(const char *path, bool all, struct strings *names)
{
    struct listing l = {.ctx.actor = list_actor, .all = all};
    struct file *dir = filp_open(path, O_RDONLY | O_DIRECTORY, 0);
    int err;

    if (IS_ERR(dir))
        return PTR_ERR(dir);
    err = iterate_dir(dir, &l.ctx);
    filp_close(dir);
    *names = l.names;
    return err;
}

static char kind_char(umode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR: return 'd';
    case S_IFCHR: return 'c';
    case S_IFIFO: return 'p';
    default: return '-';
    }
}

static int print_long(const char *path, const char *name)
{
    static const char letters[] = "rwxrwxrwx";
    struct kstat stat;
    char mode[11];
    int i, err = vfs_fstatat(AT_FDCWD, path, &stat);

    if (err)
        return complain("ls", path, err);
    mode[0] = kind_char(stat.mode);
    for (i = 0; i < 9; i++)
        mode[i + 1] = stat.mode >> (8 - i) & 1 ? letters[i] : '-';
    mode[10] = 0;
    return putf("%s %2u %8llu %s\n", mode, stat.nlink, stat.size, name);
}

struct ls {
    bool all, lengthy, directory;
};

static int list_directory(const struct ls *ls, const char *path)
{
    struct strings names = {NULL, 0, 0};
    int i, err = read_names(path, ls->all, &names), status = 0;

    if (err)
        return complain("ls", path, err);
    sort_strings(names.v, names.n);
    for (i = 0; i < names.n && !status; i++) {
        char *below = path_below(path, names.v[i]);

        status = ls->lengthy ? print_long(below, names.v[i]) : put_line(names.v[i]);
        kfree(below);
    }
    strings_free(&names);
    return status;
}

static int list_one(const struct ls *ls, const char *path)
{
    struct kstat stat;
    int err = vfs_fstatat(AT_FDCWD, path, &stat);

    if (err)
        return complain("ls", path, err);
    if (S_ISDIR(stat.mode) && !ls->directory)
        return list_directory(ls, path);
    return ls->lengthy ? print_long(path, path) : put_line(path);
}

static int do_ls(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct ls ls = {false, false, false};
    int c, status = 0;

    (void)argc;
    while ((c = next_option(&o, "lad1"))) {
        ls.lengthy |= c == 'l';
        ls.all |= c == 'a';
        ls.directory |= c == 'd';
        if (c == '?')
            return usage_error(argv);
    }
    if (!*o.argv)
        return list_one(&ls, ".");
    for (; *o.argv; o.argv++)
        status = list_one(&ls, *o.argv) ? STATUS_ERROR : status;
    return status;
}

/* Those above it, too; what is there already is no error. */
static int make_parents(const char *path)
{
    char *copy = shell_strdup(path), *p;
    int err = 0;

    for (p = copy + 1; *p && !err; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        err = do_mkdirat(AT_FDCWD, copy, 0755);
        err = err == -EEXIST ? 0 : err;
        *p = '/';
    }
    kfree(copy);
    if (!err)
        err = do_mkdirat(AT_FDCWD, path, 0755);
    return err == -EEXIST && is_directory(path) ? 0 : err;
}

static int do_mkdir(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    bool parents = false;
    int c, status = 0;

    (void)argc;
    while ((c = next_option(&o, "p"))) {
        if (c == '?')
            return usage_error(argv);
        parents = true;
    }
    if (!*o.argv)
        return usage_error(argv);
    for (; *o.argv; o.argv++) {
        int err = parents ? make_parents(*o.argv) : do_mkdirat(AT_FDCWD, *o.argv, 0755);

        if (err)
            status = complain("mkdir", *o.argv, err);
    }
    return status;
}

static int do_rmdir_applet(int argc, char **argv)
{
    int i, status = 0;

    if (argc < 2)
        return usage_error(argv);
    for (i = 1; i < argc; i++) {
        int err = do_rmdir(AT_FDCWD, argv[i]);

        if (err)
            status = complain("rmdir", argv[i], err);
    }
    return status;
}

/* ---- removing ---- */

static int remove_tree(const char *path)
{
    struct strings names = {NULL, 0, 0};
    int i, err;

    if (!is_directory(path))
        return do_unlinkat(AT_FDCWD, path);
    if (shell_stack_low())
        return -ELOOP;
    err = read_names(path, true, &names);
    for (i = 0; i < names.n && !err; i++) {
        char *below = path_below(path, names.v[i]);

        if (strcmp(names.v[i], ".") && strcmp(names.v[i], ".."))
            err = remove_tree(below);
        kfree(below);
    }
    strings_free(&names);
    return err ? err : do_rmdir(AT_FDCWD, path);
}

static int do_rm(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    bool force = false, recursive = false;
    int c, status = 0;

    (void)argc;
    while ((c = next_option(&o, "rRf"))) {
        force |= c == 'f';
        recursive |= c == 'r' || c == 'R';
        if (c == '?')
            return usage_error(argv);
    }
    if (!*o.argv && !force)
        return usage_error(argv);
    for (; *o.argv; o.argv++) {
        int err = recursive ? remove_tree(*o.argv) : do_unlinkat(AT_FDCWD, *o.argv);

        if (err && !(force && err == -ENOENT))
            status = complain("rm", *o.argv, err);
    }
    return status;
}

/* ---- moving and copying ---- */

/* FROM... TO: into TO if that is a directory. */
static int for_each_target(char **argv, int argc, int (*move)(const char *from, const char *to))
{
    const char *to = argv[argc - 1];
    bool into = argc > 2 && is_directory(to);
    int i, err, status = 0;

    if (argc < 3 || (argc > 3 && !into))
        return usage_error(argv);
    for (i = 1; i < argc - 1; i++) {
        char *target = into ? path_below(to, last_component(argv[i])) : shell_strdup(to);

        err = move(argv[i], target);
        if (err)
            status = complain(argv[0], argv[i], err);
        kfree(target);
    }
    return status;
}

static int move_name(const char *from, const char *to)
{
    return do_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static int do_mv(int argc, char **argv)
{
    return for_each_target(argv, argc, move_name);
}

enum { COPY_CHUNK = 4096 };

static int copy_bytes(struct file *in, struct file *out)
{
    char *buf = kmalloc(COPY_CHUNK);
    ssize_t n = buf ? 1 : -ENOMEM;

    while (n > 0) {
        n = read_input(in, buf, COPY_CHUNK);
        if (n > 0 && file_write(out, buf, n) != n)
            n = -ENOSPC;
    }
    kfree(buf);
    return n;
}

static int copy_file(const char *from, const char *to)
{
    struct file *in = filp_open(from, O_RDONLY, 0), *out;
    int err, closed;

    if (IS_ERR(in))
        return PTR_ERR(in);
    out = filp_open(to, O_WRONLY | O_CREAT | O_TRUNC, in->f_inode->i_mode);
    if (IS_ERR(out)) {
        filp_close(in);
        return PTR_ERR(out);
    }
    err = copy_bytes(in, out);
    closed = filp_close(out);
    filp_close(in);
    return err ? err : closed;
}

static int do_cp(int argc, char **argv)
{
    return for_each_target(argv, argc, copy_file);
}

static int do_touch(int argc, char **argv)
{
    int i, status = 0;

    if (argc < 2)
        return usage_error(argv);
    for (i = 1; i < argc; i++) {
        struct file *file = filp_open(argv[i], O_WRONLY | O_CREAT, 0644);

        if (IS_ERR(file))
            status = complain("touch", argv[i], PTR_ERR(file));
        else
            filp_close(file);
    }
    return status;
}

/* Octal only. */
static int do_chmod(int argc, char **argv)
{
    unsigned long mode = 0;
    const char *digit = argc > 2 ? argv[1] : "x";
    struct dentry *d;
    int i, err, status = 0;

    for (; *digit >= '0' && *digit <= '7'; digit++)
        mode = mode * 8 + *digit - '0';
    if (*digit || mode > 07777)
        return usage_error(argv);
    for (i = 2; i < argc; i++) {
        err = kern_path(argv[i], &d);
        if (err) {
            status = complain("chmod", argv[i], err);
            continue;
        }
        inode_lock(d->d_inode);
        d->d_inode->i_mode = (d->d_inode->i_mode & S_IFMT) | mode;
        inode_unlock(d->d_inode);
        dput(d);
    }
    return status;
}

/* ---- dd ---- */

struct dd {
    const char *in, *out;
    unsigned long block, count, skip, seek;
    unsigned long full, partial;
};

static int size_value(const char *text, unsigned long *value)
{
    size_t len = strlen(text);
    char suffix = len ? text[len - 1] : 0;
    char *digits = shell_strdup(text);
    int err;

    if (suffix == 'k' || suffix == 'K' || suffix == 'M')
        digits[len - 1] = 0;
    err = kstrtoul(digits, 10, value);
    if (suffix == 'k' || suffix == 'K')
        *value *= 1024;
    if (suffix == 'M')
        *value *= 1024 * 1024;
    kfree(digits);
    return err;
}

static int dd_operand(struct dd *dd, const char *word)
{
    if (!strncmp(word, "if=", 3))
        dd->in = word + 3;
    else if (!strncmp(word, "of=", 3))
        dd->out = word + 3;
    else if (!strncmp(word, "bs=", 3))
        return size_value(word + 3, &dd->block);
    else if (!strncmp(word, "count=", 6))
        return size_value(word + 6, &dd->count);
    else if (!strncmp(word, "skip=", 5))
        return size_value(word + 5, &dd->skip);
    else if (!strncmp(word, "seek=", 5))
        return size_value(word + 5, &dd->seek);
    else
        return -EINVAL;
    return 0;
}

static int dd_blocks(struct dd *dd, struct file *in, struct file *out, char *buf)
{
    ssize_t n = 1;
    int status = 0;

    while (!status && n > 0 && dd->full + dd->partial < dd->count) {
        n = read_input(in, buf, dd->block);
        if (n <= 0)
            break;
        dd->full += (size_t)n == dd->block;
        dd->partial += (size_t)n != dd->block;
        if (!out)
            status = put(buf, n);
        else if (file_write(out, buf, n) != n)
            status = complain("dd", dd->out, -ENOSPC);
    }
    return n < 0 ? complain("dd", dd->in, n) : status;
}

static int dd_files(struct dd *dd, struct file *in, struct file *out)
{
    char *buf = kmalloc(dd->block);
    int status;

    if (!buf)
        return complain("dd", "bs", -ENOMEM);
    if (dd->skip)
        vfs_llseek(in, dd->skip * dd->block, SEEK_SET);
    if (dd->seek && out)
        vfs_llseek(out, dd->seek * dd->block, SEEK_SET);
    status = dd_blocks(dd, in, out, buf);
    kfree(buf);
    shell_error("dd: %lu+%lu records", dd->full, dd->partial);
    return status;
}

static int do_dd(int argc, char **argv)
{
    struct dd dd = {.in = "-", .block = 512, .count = ~0ul};
    struct file *in, *out = NULL;
    int i, status = STATUS_ERROR;

    for (i = 1; i < argc; i++)
        if (dd_operand(&dd, argv[i]) || !dd.block)
            return usage_error(argv);
    in = open_input(dd.in);
    if (!in)
        return STATUS_ERROR;
    if (dd.out)
        out = filp_open(dd.out, O_WRONLY | O_CREAT | (dd.seek ? 0 : O_TRUNC), 0644);
    if (out && IS_ERR(out))
        complain("dd", dd.out, PTR_ERR(out));
    else
        status = dd_files(&dd, in, out);
    if (out && !IS_ERR(out))
        filp_close(out);
    fput(in);
    return status;
}

const struct applet file_applets[] = {
    {"chmod", "MODE FILE...", do_chmod, NULL},
    {"cp", "FROM... TO", do_cp, NULL},
    {"dd", "[if=FILE] [of=FILE] [bs=N] [count=N] [skip=N] [seek=N]", do_dd, NULL},
    {"ls", "[-lad] [FILE...]", do_ls, NULL},
    {"mkdir", "[-p] DIRECTORY...", do_mkdir, NULL},
    {"mv", "FROM... TO", do_mv, NULL},
    {"rm", "[-rf] FILE...", do_rm, NULL},
    {"rmdir", "DIRECTORY...", do_rmdir_applet, NULL},
    {"touch", "FILE...", do_touch, NULL},
    {NULL, NULL, NULL, NULL},
};
