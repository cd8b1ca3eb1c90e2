/*
 * emergency.c - a small command loop in the kernel, for when no init program can be started.
 *
 * It reads, writes and lists files, which is enough to inspect the system and to drive a
 * tracer. The full shell is a user program (guest/user/sh).
 */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { LINE_SIZE = 1024, PIECE_SIZE = 512 };

struct command {
    const char *name, *usage;
    int (*run)(struct file *console, char *words);
};

static void __printf(2, 3) say(struct file *console, const char *fmt, ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    file_write(console, text, strlen(text));
}

/* The next word of *words, or NULL. */
static char *next_word(char **words)
{
    char *word;

    do
        word = strsep(words, " \t");
    while (word && !*word);
    return word;
}

static int copy_to_console(struct file *console, struct file *file)
{
    char *piece = kmalloc(PIECE_SIZE);
    ssize_t n = piece ? 1 : -ENOMEM;

    while (n > 0) {
        n = file_read(file, piece, PIECE_SIZE);
        if (n > 0)
            file_write(console, piece, n);
    }
    kfree(piece);
    return n;
}

static int do_cat(struct file *console, char *words)
{
    const char *path;
    int err = 0;

    while (!err && (path = next_word(&words))) {
        struct file *file = filp_open(path, O_RDONLY, 0);

        if (IS_ERR(file))
            return PTR_ERR(file);
        err = copy_to_console(console, file);
        fput(file);
    }
    return err;
}

/* Writes the words and a newline in one write, since a control file takes one command per write. */
static int write_line(struct file *file, char *words)
{
    size_t len = strlen(words);
    ssize_t n;

    words[len] = '\n'; /* replaces the NUL: only the length counts from here on */
    n = file_write(file, words, len + 1);
    return n < 0 ? n : 0;
}

static int do_echo(struct file *console, char *words)
{
    char *target = strchr(words, '>');
    bool append = target && target[1] == '>';
    struct file *file;
    int err, closed;

    if (!target)
        return write_line(console, words);
    *target = 0;
    target = strstrip(target + 1 + append);
    file = filp_open(target, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0644);
    if (IS_ERR(file))
        return PTR_ERR(file);
    err = write_line(file, strstrip(words));
    closed = filp_close(file);
    return err ? err : closed;
}

struct listing {
    struct dir_context ctx;
    struct file *console;
};

static bool list_name(struct dir_context *ctx, const char *name, size_t namelen, loff_t offset,
                      u64 ino, unsigned int type)
{
    (void)namelen;
    (void)offset;
    (void)ino;
    (void)type;
    if (name[0] != '.')
        say(container_of(ctx, struct listing, ctx)->console, "%s\n", name);
    return true;
}

static int do_ls(struct file *console, char *words)
{
    const char *path = next_word(&words);
    struct listing listing = {.ctx.actor = list_name, .console = console};
    struct file *dir = filp_open(path ? path : "/", O_RDONLY | O_DIRECTORY, 0);
    int err;

    if (IS_ERR(dir))
        return PTR_ERR(dir);
    err = iterate_dir(dir, &listing.ctx);
    fput(dir);
    return err;
}

static int do_poweroff(struct file *console, char *words)
{
    (void)console;
    (void)words;
    machine_power_off();
}

static int do_reboot(struct file *console, char *words)
{
    (void)console;
    (void)words;
    machine_restart();
}

static int do_help(struct file *console, char *words);

static const struct command commands[] = {
    {"cat", "FILE...", do_cat},   {"echo", "WORDS... [> FILE]", do_echo}, {"help", "", do_help},
    {"ls", "[DIRECTORY]", do_ls}, {"poweroff", "", do_poweroff},          {"reboot", "", do_reboot},
};

static int do_help(struct file *console, char *words)
{
    unsigned int i;

    (void)words;
    for (i = 0; i < ARRAY_SIZE(commands); i++)
        say(console, "%s %s\n", commands[i].name, commands[i].usage);
    return 0;
}

static void run_line(struct file *console, char *line)
{
    char *words = line, *name = next_word(&words);
    unsigned int i;
    int err;

    if (!name)
        return;
    for (i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, name))
            continue;
        err = commands[i].run(console, words ? words : line + strlen(line));
        if (err)
            say(console, "%s: %s\n", name, strerror(-err));
        return;
    }
    say(console, "%s: not found; try `help'\n", name);
}

void emergency_console(void)
{
    struct file *console = filp_open("/dev/console", O_RDWR, 0);
    char *line = kmalloc(LINE_SIZE + 2);
    ssize_t n;

    if (IS_ERR(console) || !line)
        panic("No working init found, and no console");
    say(console, "No working init found: this is the kernel's emergency console.\n");
    for (;;) {
        say(console, "(kernel) # ");
        n = file_read(console, line, LINE_SIZE);
        if (n <= 0)
            continue;
        line[n] = 0;
        run_line(console, strstrip(line));
    }
}
