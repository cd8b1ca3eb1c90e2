/*
 * trace_kprobe.c - events of kprobes and kretprobes: kprobe_events, kprobe_profile.
 *
 * A probe is registered, but disabled, while its event is off. An event may have several probes
 * with arguments of the same names and types. trace_probe_mutex guards the list of probes; it is
 * taken before event_mutex.
 */
#include "trace_kprobe.h"
#include "trace_dynevent.h"
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#define KPROBE_EVENT_SYSTEM "kprobes"

static LIST_HEAD(trace_kprobes);

/* ---- adding and removing; trace_probe_mutex is held ---- */

static void free_trace_kprobe(struct trace_kprobe *tk)
{
    trace_probe_free_args(&tk->tp);
    kfree(tk->symbol);
    kfree(tk->group);
    kfree(tk->event);
    kfree(tk);
}

/* With the probes that were removed from it before. */
static void free_kprobe_event(struct kprobe_event *ev)
{
    struct trace_kprobe *tk, *next;

    list_for_each_entry_safe(tk, next, &ev->removed, sibling)
        free_trace_kprobe(tk);
    kfree(ev->call.print_fmt);
    kfree(ev);
}

#ifdef CONFIG_DYNAMIC_FTRACE

/* What the tracers must not be called from, handlers of events must not be called from either. */
static bool within_notrace_func(unsigned long addr)
{
    unsigned long offset;
    bool traced;

    if (!kallsyms_lookup_size_offset(addr, NULL, &offset))
        return false;
    ftrace_rec_lock();
    traced = ftrace_location(addr - offset);
    ftrace_rec_unlock();
    return !traced;
}

#else

static bool within_notrace_func(unsigned long addr)
{
    (void)addr;
    return false;
}

#endif

static unsigned long place_of(const struct trace_kprobe *tk)
{
    unsigned long start;

    if (!tk->symbol)
        return (unsigned long)tk->rp.kp.addr;
    start = kallsyms_lookup_name(tk->symbol);
    return start ? start + tk->rp.kp.offset : 0;
}

/* Whether it is in a module, MOD:SYM, that is not loaded. */
static bool is_of_absent_module(const struct trace_kprobe *tk)
{
    const char *colon = tk->symbol ? strchr(tk->symbol, ':') : NULL;
    char name[MODULE_NAME_LEN];

    if (!colon || (size_t)(colon - tk->symbol) >= sizeof(name))
        return false;
    memcpy(name, tk->symbol, colon - tk->symbol);
    name[colon - tk->symbol] = 0;
    return !module_is_loaded(name);
}

/* A probe of a module that is not loaded is registered when it is. */
static int register_probe(struct trace_kprobe *tk)
{
    unsigned long addr = place_of(tk);
    int err;

    if (is_of_absent_module(tk)) {
        pr_info("This probe might be able to register after target module is loaded. Continue.\n");
        return 0;
    }
    if (addr && within_notrace_func(addr)) {
        pr_info("Could not probe notrace function %ps\n", (void *)addr);
        return -EINVAL;
    }
    tk->rp.kp.flags |= KPROBE_FLAG_DISABLED;
    err = tk->is_return ? register_kretprobe(&tk->rp) : register_kprobe(&tk->rp.kp);
    tk->registered = !err;
    return err;
}

static void unregister_probe(struct trace_kprobe *tk)
{
    if (!tk->registered)
        return;
    tk->registered = false;
    if (tk->is_return)
        unregister_kretprobe(&tk->rp);
    else
        unregister_kprobe(&tk->rp.kp);
}

static struct trace_kprobe *find_trace_kprobe(const char *group, const char *event)
{
    struct trace_kprobe *tk;

    list_for_each_entry(tk, &trace_kprobes, list) {
        if (!strcmp(tk->group, group) && !strcmp(tk->event, event))
            return tk;
    }
    return NULL;
}

static int add_new_event(struct trace_kprobe *tk)
{
    int err;

    if (trace_probe_event_exists(tk->group, tk->event))
        return trace_probe_log_err(trace_probe_log.text, PROBE_ERR_EVENT_EXIST), -EEXIST;
    tk->ev = alloc_kprobe_event(tk);
    if (!tk->ev)
        return -ENOMEM;
    list_add_tail(&tk->sibling, &tk->ev->probes);
    err = register_probe(tk);
    if (!err) {
        err = trace_add_event_call(&tk->ev->call);
        if (err)
            unregister_probe(tk);
    }
    if (err)
        free_kprobe_event(tk->ev);
    return err;
}

/* The number of the first argument that is another one, from 1; 0: there is none. */
static unsigned int find_other_arg(const struct trace_probe *a, const struct trace_probe *b)
{
    unsigned int i;

    if (a->nr_args != b->nr_args)
        return min(a->nr_args, b->nr_args) + 1;
    for (i = 0; i < a->nr_args; i++)
        if (a->args[i]->type != b->args[i]->type || a->args[i]->count != b->args[i]->count ||
            strcmp(a->args[i]->name, b->args[i]->name))
            return i + 1;
    return 0;
}

static bool is_same_probe(const struct trace_kprobe *a, const struct trace_kprobe *b)
{
    unsigned int i;

    if (!a->symbol != !b->symbol || (a->symbol && strcmp(a->symbol, b->symbol)) ||
        a->rp.kp.offset != b->rp.kp.offset || (!a->symbol && a->rp.kp.addr != b->rp.kp.addr))
        return false;
    for (i = 0; i < a->tp.nr_args; i++)
        if (strcmp(a->tp.args[i]->comm, b->tp.args[i]->comm))
            return false;
    return true;
}

/* The n-th word of the command, from 0; its end, if there are not as many. */
static const char *word_of_command(unsigned int n)
{
    const char *at = trace_probe_log.command;

    for (; n && *at; n--) {
        while (*at && *at != ' ' && *at != '\t')
            at++;
        while (*at == ' ' || *at == '\t')
            at++;
    }
    return at;
}

static int log_conflict(const char *at, enum probe_error error)
{
    trace_probe_log.text = trace_probe_log.command;
    trace_probe_log.pos = 0;
    trace_probe_log_err(at, error);
    return -EEXIST;
}

/* Another probe of an event that there is. */
static int append_to_event(struct trace_kprobe *tk, struct kprobe_event *ev)
{
    unsigned int other = find_other_arg(&tk->tp, &ev->first->tp);
    const struct trace_kprobe *sibling;
    int err;

    if (tk->is_return != ev->first->is_return)
        return log_conflict(trace_probe_log.command, PROBE_ERR_DIFF_PROBE_TYPE);
    if (other)
        return log_conflict(word_of_command(other + 1), PROBE_ERR_DIFF_ARG_TYPE);
    list_for_each_entry(sibling, &ev->probes, sibling) {
        if (is_same_probe(tk, sibling))
            return log_conflict(trace_probe_log.command, PROBE_ERR_SAME_PROBE);
    }
    tk->ev = ev;
    err = register_probe(tk);
    if (err)
        return err;
    mutex_lock(&event_mutex);
    if (kprobe_event_is_on(ev))
        err = trace_kprobe_enable(tk);
    if (!err)
        list_add_tail(&tk->sibling, &ev->probes);
    mutex_unlock(&event_mutex);
    if (err)
        unregister_probe(tk);
    return err;
}

static int register_trace_kprobe(struct trace_kprobe *tk)
{
    const struct trace_kprobe *old = find_trace_kprobe(tk->group, tk->event);
    int err = old ? append_to_event(tk, old->ev) : add_new_event(tk);

    if (!err)
        list_add_tail(&tk->list, &trace_kprobes);
    return err;
}

static bool is_only_probe(const struct trace_kprobe *tk)
{
    return tk->ev->probes.next == &tk->sibling && tk->ev->probes.prev == &tk->sibling;
}

/* One of several: the event stays. */
static void remove_from_event(struct trace_kprobe *tk)
{
    mutex_lock(&event_mutex);
    list_del_init(&tk->sibling);
    mutex_unlock(&event_mutex);
    unregister_probe(tk);
    list_del_init(&tk->list);
    list_add_tail(&tk->sibling, &tk->ev->removed);
}

static int unregister_trace_kprobe(struct trace_kprobe *tk)
{
    struct kprobe_event *ev = tk->ev;
    int err;

    if (!is_only_probe(tk)) {
        remove_from_event(tk);
        return 0;
    }
    err = READ_ONCE(ev->call.refcnt.counter) ? -EBUSY : trace_remove_event_call(&ev->call);
    if (err)
        return err;
    unregister_probe(tk);
    list_del_init(&tk->list);
    free_kprobe_event(ev);
    free_trace_kprobe(tk);
    return 0;
}

static bool is_busy(const struct trace_kprobe *tk)
{
    return kprobe_event_is_on(tk->ev) || READ_ONCE(tk->ev->call.refcnt.counter);
}

/* All or none. */
static int release_all(void)
{
    struct trace_kprobe *tk, *next;
    int err = 0;

    mutex_lock(&trace_probe_mutex);
    list_for_each_entry(tk, &trace_kprobes, list)
        err = is_busy(tk) ? -EBUSY : err;
    if (!err)
        list_for_each_entry_safe(tk, next, &trace_kprobes, list) {
            int one = unregister_trace_kprobe(tk);

            err = err ? err : one;
        }
    mutex_unlock(&trace_probe_mutex);
    return err;
}

/* ---- a module is loaded ---- */

static bool is_in_module(const struct trace_kprobe *tk, const struct module *mod)
{
    size_t len = strlen(mod->name);

    return tk->symbol && !strncmp(tk->symbol, mod->name, len) && tk->symbol[len] == ':';
}

/* Its address was that of the module when it was loaded before. */
static void register_again(struct trace_kprobe *tk)
{
    int err;

    unregister_probe(tk);
    tk->rp.kp.addr = NULL;
    tk->rp.kp.flags = 0;
    err = register_probe(tk);
    if (!err && !list_empty(&tk->ev->files))
        err = trace_kprobe_enable(tk);
    if (err)
        pr_info("Failed to re-register probe %s on %s: %d\n", tk->event, tk->symbol, err);
}

static int module_changed(struct notifier_block *nb, unsigned long state, void *mod)
{
    struct trace_kprobe *tk;

    (void)nb;
    if (state != MODULE_STATE_COMING)
        return NOTIFY_OK;
    mutex_lock(&trace_probe_mutex);
    list_for_each_entry(tk, &trace_kprobes, list)
        if (is_in_module(tk, mod))
            register_again(tk);
    mutex_unlock(&trace_probe_mutex);
    return NOTIFY_OK;
}

/* ---- lines of kprobe_events ---- */

/* `SYM[+OFFS][%return]`, or an address. */
static int parse_place(struct trace_kprobe *tk, const char *place)
{
    unsigned long value;
    char *suffix, *plus;

    if (!kstrtoul(place, 0, &value)) {
        tk->rp.kp.addr = (kprobe_opcode_t *)value;
        return value ? 0 : -EINVAL;
    }
    tk->symbol = kstrdup(place);
    if (!tk->symbol)
        return -ENOMEM;
    suffix = strchr(tk->symbol, '%');
    if (suffix && strcmp(suffix, "%return"))
        return trace_probe_log_err(place + (suffix - tk->symbol), PROBE_ERR_BAD_ADDR_SUFFIX);
    if (suffix) {
        *suffix = 0;
        tk->is_return = true;
    }
    plus = strchr(tk->symbol, '+');
    if (plus) {
        if (kstrtoul(plus + 1, 0, &value) || value > ~0U)
            return trace_probe_log_err(place, PROBE_ERR_BAD_PROBE_ADDR);
        *plus = 0;
        tk->rp.kp.offset = value;
    }
    tk->rp.kp.symbol_name = tk->symbol;
    return *tk->symbol ? 0 : trace_probe_log_err(place, PROBE_ERR_BAD_PROBE_ADDR);
}

static int make_event_name(struct trace_kprobe *tk)
{
    char name[MAX_EVENT_NAME_LEN], kind = tk->is_return ? 'r' : 'p', *c;

    if (tk->symbol)
        snprintf(name, sizeof(name), "%c_%s_%u", kind, tk->symbol, tk->rp.kp.offset);
    else
        snprintf(name, sizeof(name), "%c_0x%lx", kind, (unsigned long)tk->rp.kp.addr);
    for (c = name; *c; c++)
        if (*c == ':' || *c == '.')
            *c = '_';
    tk->event = kstrdup(name);
    return tk->event ? 0 : -ENOMEM;
}

/* `p[:NAME]` or `r[MAXACTIVE][:NAME]` */
static int parse_head(struct trace_kprobe *tk, char *word)
{
    char *colon = strchr(word, ':');
    unsigned long maxactive;
    int err = 0;

    tk->is_return = word[0] == 'r';
    if (colon) {
        err = trace_probe_parse_event_name(colon + 1, &tk->group, &tk->event);
        *colon = 0;
    }
    if (err || word[1] < '0' || word[1] > '9')
        return err;
    if (!tk->is_return)
        return trace_probe_log_err(word + 1, PROBE_ERR_MAXACT_NO_KPROBE);
    if (kstrtoul(word + 1, 0, &maxactive) || !maxactive)
        return trace_probe_log_err(word + 1, PROBE_ERR_BAD_MAXACT);
    if (maxactive > 4096)
        return trace_probe_log_err(word + 1, PROBE_ERR_MAXACT_TOO_BIG);
    tk->rp.maxactive = maxactive;
    return 0;
}

static unsigned int flags_of(const struct trace_kprobe *tk, int entry)
{
    return (tk->is_return ? TPARG_FL_RETURN : 0) | (entry == 0 ? TPARG_FL_FENTRY : 0);
}

/* Each argument becomes what error_log's positions count from. */
static int parse_args(struct trace_kprobe *tk, const char *line, char *rest, unsigned int flags)
{
    char *word;
    int err = 0;

    while (!err && (word = strsep(&rest, " \t"))) {
        trace_probe_log.text = word;
        trace_probe_log.pos = word - line;
        if (*word)
            err = trace_probe_add_arg(&tk->tp, word, flags);
    }
    trace_probe_log.text = line;
    trace_probe_log.pos = 0;
    return err;
}

static int parse_probe(struct trace_kprobe *tk, char *head, char *rest, char *place)
{
    int err = parse_head(tk, head), entry;

    if (!err)
        err = place ? parse_place(tk, place) : -EINVAL;
    if (err)
        return err;
    if (!tk->group)
        tk->group = kstrdup(KPROBE_EVENT_SYSTEM);
    if (!tk->event)
        err = make_event_name(tk);
    if (err || !tk->group)
        return err ? err : -ENOMEM;
    entry = kprobe_on_func_entry(tk->rp.kp.addr, tk->symbol, tk->rp.kp.offset);
    if (entry == -EINVAL && tk->is_return)
        return trace_probe_log_err(place, PROBE_ERR_BAD_RETPROBE);
    return parse_args(tk, head, rest, flags_of(tk, entry));
}

/* What Linux says of an error of the registration. */
static void log_register_err(int err, const char *place)
{
    if (err == -EILSEQ)
        trace_probe_log_err(place, PROBE_ERR_BAD_INSN_BNDRY);
    else if (err == -ENOENT)
        trace_probe_log_err(place, PROBE_ERR_BAD_PROBE_ADDR);
    else if (err != -ENOMEM && err != -EEXIST)
        trace_probe_log_err(place, PROBE_ERR_FAIL_REG_PROBE);
}

static int create_trace_kprobe(char *head, char *rest)
{
    struct trace_kprobe *tk = kzalloc(sizeof(*tk));
    bool parsed;
    char *place;
    int err;

    if (!tk)
        return -ENOMEM;
    INIT_LIST_HEAD(&tk->sibling);
    tk->rp.kp.pre_handler = trace_kprobe_hit;
    tk->rp.handler = trace_kretprobe_hit;
    place = strsep(&rest, " \t");
    err = parse_probe(tk, head, rest, place);
    parsed = !err;
    if (parsed)
        err = register_trace_kprobe(tk);
    if (err && (parsed || err == -ENOENT)) /* a function in an argument does not exist */
        log_register_err(err, place);
    if (err)
        free_trace_kprobe(tk);
    return err;
}

#ifdef CONFIG_PERF_EVENTS

/* Neither found by its name nor registered again, so it needs no lock. */
struct trace_event_call *create_local_trace_kprobe(unsigned long addr, bool is_return)
{
    struct trace_kprobe *tk = kzalloc(sizeof(*tk));
    int err = -ENOMEM;

    if (!tk)
        return ERR_PTR(err);
    INIT_LIST_HEAD(&tk->sibling);
    tk->is_return = is_return;
    tk->rp.kp.addr = (kprobe_opcode_t *)addr;
    tk->rp.kp.pre_handler = trace_kprobe_hit;
    tk->rp.handler = trace_kretprobe_hit;
    tk->group = kstrdup(KPROBE_EVENT_SYSTEM);
    tk->event = kstrdup("DUMMY_EVENT");
    if (tk->group && tk->event)
        tk->ev = alloc_kprobe_event(tk);
    if (tk->ev) {
        list_add_tail(&tk->sibling, &tk->ev->probes);
        err = register_probe(tk);
    }
    if (!err)
        return &tk->ev->call;
    if (tk->ev)
        free_kprobe_event(tk->ev);
    free_trace_kprobe(tk);
    return ERR_PTR(err);
}

void destroy_local_trace_kprobe(struct trace_event_call *call)
{
    struct kprobe_event *ev = container_of(call, struct kprobe_event, call);
    struct trace_kprobe *tk = list_first_entry(&ev->probes, struct trace_kprobe, sibling);

    unregister_probe(tk);
    free_kprobe_event(ev);
    free_trace_kprobe(tk);
}

#endif

/* As kprobe_events has it. */
static void print_place(char *text, size_t size, const struct trace_kprobe *tk)
{
    if (!tk->symbol)
        snprintf(text, size, "0x%016lx", (unsigned long)tk->rp.kp.addr);
    else if (tk->rp.kp.offset)
        snprintf(text, size, "%s+%u", tk->symbol, tk->rp.kp.offset);
    else
        snprintf(text, size, "%s", tk->symbol);
}

/* what: its place and arguments, or the first of these; NULL: any. */
static bool is_described(const struct trace_kprobe *tk, const char *what)
{
    char text[KSYM_NAME_LEN + 32];
    size_t len;

    if (!what)
        return true;
    print_place(text, sizeof(text), tk);
    len = strlen(text);
    if (strncmp(what, text, len))
        return false;
    return trace_probe_match_args(&tk->tp, what + len);
}

/* All events of the group if event is NULL; -ENOENT: there is none. */
static int delete_named(const char *group, const char *event, const char *what)
{
    struct trace_kprobe *tk, *next;
    int err = -ENOENT;

    list_for_each_entry_safe(tk, next, &trace_kprobes, list) {
        if ((group && strcmp(group, tk->group)) || (event && strcmp(event, tk->event)) ||
            !is_described(tk, what))
            continue;
        err = unregister_trace_kprobe(tk);
        if (err)
            break;
    }
    return err;
}

/* `-:[GRP/][EVENT] [PLACE [ARGS]]` */
static int delete_trace_kprobe(const char *head, const char *what)
{
    char *group = NULL, *event = NULL;
    int err = head[1] == ':' ? trace_probe_parse_event_name(head + 2, &group, &event) : -EINVAL;

    if (!err)
        err = delete_named(group, event, what && *what ? what : NULL);
    kfree(group);
    kfree(event);
    return err;
}

static int run_line(char *line)
{
    char *command = kstrdup(line), *head;
    int err;

    if (!command)
        return -ENOMEM;
    head = strsep(&line, " \t");
    if (line)
        line = strstrip(line);
    mutex_lock(&trace_probe_mutex);
    trace_probe_log =
        (struct trace_probe_log){.command = command, .text = head, .name = "trace_kprobe"};
    if (*head == '-')
        err = delete_trace_kprobe(head, line);
    else if (*head == 'p' || *head == 'r')
        err = create_trace_kprobe(head, line);
    else
        err = -EINVAL;
    mutex_unlock(&trace_probe_mutex);
    kfree(command);
    return err;
}

/* ---- files ---- */

static void show_all(struct seq_file *m)
{
    char place[KSYM_NAME_LEN + 32];
    const struct trace_kprobe *tk;
    unsigned int i;

    mutex_lock(&trace_probe_mutex);
    list_for_each_entry(tk, &trace_kprobes, list) {
        seq_printf(m, "%c", tk->is_return ? 'r' : 'p');
        if (tk->is_return)
            seq_printf(m, "%d", tk->rp.maxactive);
        seq_printf(m, ":%s/%s", tk->group, tk->event);
        print_place(place, sizeof(place), tk);
        seq_printf(m, " %s", place);
        for (i = 0; i < tk->tp.nr_args; i++)
            seq_printf(m, " %s=%s", tk->tp.args[i]->name, tk->tp.args[i]->comm);
        seq_puts(m, "\n");
    }
    mutex_unlock(&trace_probe_mutex);
}

static int kprobe_events_show(struct seq_file *m, void *unused)
{
    (void)unused;
    show_all(m);
    return 0;
}

static int kprobe_events_open(struct inode *inode, struct file *file)
{
    return trace_command_open(inode, file, kprobe_events_show, release_all);
}

static ssize_t kprobe_events_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    return trace_parse_run_command(buf, count, pos, run_line);
}

static const struct file_operations kprobe_events_fops = {
    .open = kprobe_events_open,
    .read = seq_read,
    .write = kprobe_events_write,
    .release = single_release,
};

static int kprobe_profile_show(struct seq_file *m, void *unused)
{
    const struct trace_kprobe *tk;
    unsigned long hits;
    unsigned int cpu;

    (void)unused;
    mutex_lock(&trace_probe_mutex);
    list_for_each_entry(tk, &trace_kprobes, list) {
        hits = 0;
        for_each_possible_cpu(cpu)
            hits += READ_ONCE(tk->nhit[cpu]);
        seq_printf(m, "  %-44s %15lu %15lu\n", tk->event, hits, tk->rp.kp.nmissed + tk->rp.nmissed);
    }
    mutex_unlock(&trace_probe_mutex);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(kprobe_profile);

static int delete_locked(const char *group, const char *event, const char *what)
{
    int err;

    mutex_lock(&trace_probe_mutex);
    err = delete_named(group, event, what);
    mutex_unlock(&trace_probe_mutex);
    return err;
}

const struct dyn_event_kind kprobe_events_kind = {
    .letters = "pr",
    .create = run_line,
    .remove = delete_locked,
    .remove_all = release_all,
    .show = show_all,
};

/* Probes of the kernel's parameter kprobe_event=: `,` instead of a blank, `;` between them. */
void trace_start_boot_kprobes(char *list)
{
    struct trace_kprobe *tk;
    char *line, *c;

    while ((line = strsep(&list, ";"))) {
        for (c = line; *c; c++)
            if (*c == ',')
                *c = ' ';
        line = strstrip(line);
        if (*line && run_line(line))
            pr_info("Failed to add kprobe event: %s\n", line);
    }
    mutex_lock(&trace_probe_mutex);
    list_for_each_entry(tk, &trace_kprobes, list)
        if (trace_set_clr_event(tk->group, tk->event, 1))
            pr_info("Failed to enable kprobe event: %s\n", tk->event);
    mutex_unlock(&trace_probe_mutex);
}

void trace_create_kprobe_files(void)
{
    static struct notifier_block modules = {.notifier_call = module_changed};

    register_module_notifier(&modules);
    tracefs_create_file("kprobe_events", S_IRUGO | S_IWUSR, NULL, NULL, &kprobe_events_fops);
    tracefs_create_file("kprobe_profile", S_IRUGO, NULL, NULL, &kprobe_profile_fops);
}
