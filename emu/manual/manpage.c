/*
 * manpage.c - a separate program that prints rvftrace(1) from the option table, or the page of the
 * command that its argument names.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <version.h> /* the build makes it: mk/emu.mk */

#include "cli/options.h"

static const struct row {
    const char *name;
    int short_key;
    const char *arg, *commands, *doc;
    const char *standard; /* the value without the option; NULL: none, or the text names it */
    enum option_group group;
} rows[] = {
#define OPT(name, short_key, arg, commands, group, standard, value, doc) \
    {name, short_key, arg, commands, doc, standard, OPTIONS_##group},
#include "cli/options.def"
#undef OPT
};

static const struct row report_rows[] = {
#define REPORT_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "rd", doc, NULL, 0},
#include "commands/report.def"
#undef REPORT_OPT
};

static const struct row log_rows[] = {
#define LOG_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "rd", doc, NULL, 0},
#include "commands/log.def"
#undef LOG_OPT
};

static const struct row litmus_rows[] = {
#define LITMUS_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "rd", doc, NULL, 0},
#include "commands/litmus.def"
#undef LITMUS_OPT
};

static const struct row check_trace_rows[] = {
#define CHECK_TRACE_OPT(name, short_key, arg, value, doc) \
    {name, short_key, arg, "rd", doc, NULL, 0},
#include "commands/check_trace.def"
#undef CHECK_TRACE_OPT
};

static const struct row view_rows[] = {
#define VIEW_OPT(id, name, short_key, arg, doc) {name, short_key, arg, "rd", doc, NULL, 0},
#include "commands/view.def"
#undef VIEW_OPT
};

static const struct key_row {
    const char *name, *help;
} keys[] = {
#define KEY(byte, action, name, help) {name, help},
#include "host/keys.def"
#undef KEY
};

static const char head[] =
    ".TH RVFTRACE 1 \"\" \"rvftrace " RVFTRACE_VERSION "\"\n"
    ".SH NAME\n"
    "rvftrace \\- an RV64 emulator that understands ftrace\n"
    ".SH SYNOPSIS\n"
    ".B rvftrace run\n[\\fIOPTION\\fR]... \\fIIMAGE\\fR\n.br\n"
    ".B rvftrace debug\n[\\fIOPTION\\fR]... \\fIIMAGE\\fR\n.br\n"
    ".B rvftrace explore\n[\\fIOPTION\\fR]... \\fIIMAGE\\fR\n.br\n"
    ".B rvftrace litmus\n[\\fIOPTION\\fR]... \\fIFILE\\fR...\n.br\n"
    ".B rvftrace cores\n[\\fINAME\\fR|\\fIFILE\\fR]\n.br\n"
    ".B rvftrace report\n[\\fIOPTION\\fR]... \\fIFILE\\fR...\n.br\n"
    ".B rvftrace log\n[\\fIOPTION\\fR]... \\fIFILE\\fR\n.br\n"
    ".B rvftrace view\n[\\fIOPTION\\fR]... \\fILOG\\fR [\\fILOG2\\fR]\n.br\n"
    ".B rvftrace check-trace\n[\\fIOPTION\\fR]... \\fITRACE\\fR \\fIIMAGE\\fR\n"
    ".SH DESCRIPTION\n"
    "Boots a RISC-V kernel image on an emulated virt board and checks how it patches its own "
    "code.\n"
    "Harts fetch stale instructions until they execute\n.BR fence.i ,\n"
    "as the ISA allows; every missing fence is reported with the executed bytes, the bytes in\n"
    "memory, their writer and the hart that fetched them. The cycles of every ftrace site are\n"
    "counted by state: as compiled (a call of\n.BR _mcount ),\noff (nops), and on (a call of the "
    "tracer).\n"
    ".PP\n"
    "IMAGE is an ELF, a Linux Image or a raw binary. The board has the memory map of QEMU's\n"
    ".BR virt ,\nso the same images run on both.\n"
    ".SH COMMANDS\n"
    ".TP\n.B run\nBoots the image; prints the site report on standard error at the end.\n"
    ".TP\n.B debug\nStarts the debugger before the first instruction;\n.B help\nlists its "
    "commands.\n"
    ".TP\n.B explore\nRuns the image, and around each change of code tries other orders of what "
    "the "
    "harts\ndo; writes a schedule for what it finds, which\n.B \\-\\-schedule\nrepeats: "
    "docs/explore.md.\n"
    ".TP\n.B litmus\nRuns litmus tests in herd's format and prints all outcomes that the machine\n"
    "permits, beside those that are expected: docs/litmus.md. Its options are below.\n"
    ".TP\n.B report\nShows what\n.B run \\-\\-report\nwrote as tables; its options are below.\n"
    ".TP\n.B log\nShows what\n.B run \\-\\-log\nrecorded, as a summary or a line for each event, "
    "or "
    "converts it; its options are below.\n"
    ".TP\n.B view\nShows such a log in a window, or writes a picture of it; with two logs, one "
    "below "
    "the\nother. It is a program of its own, rvftrace\\-view, which needs SDL2. Press ? for its "
    "keys;\nits options are below.\n"
    ".TP\n.B check-trace\nReads a trace of instructions in the format of Spike's commit log, and "
    "says\nwhich fetches the ISA permits; its options are below.\n"
    ".TP\n.B cores\nLists the core models that\n.B \\-\\-timing\ntakes, and how far each was\n"
    "compared with its core; with a name or a core file, checks and shows that one.\n"
    ".SH OPTIONS\n";

static const char numbers[] = OPTIONS_NUMBERS;

static const char help_and_version[] =
    ".TP\n.BR \\-? ,\\  \\-\\-help\nPrint a summary and exit.\n"
    ".TP\n.BR \\-V ,\\  \\-\\-version\nPrint the version and exit.\n"
    ".SH OPTIONS OF REPORT\n";

static const char log_head[] = ".SH OPTIONS OF LOG\n";
static const char litmus_head[] = ".SH OPTIONS OF LITMUS\n";
static const char check_trace_head[] = ".SH OPTIONS OF CHECK-TRACE\n";
static const char view_head[] = ".SH OPTIONS OF VIEW\n";

static const char console[] =
    ".SH CONSOLE\n"
    "With a terminal as standard input the guest has it, raw, while it runs, so that Ctrl-C and "
    "the\n"
    "like reach it; in\n.BR rvftrace\\ debug\nCtrl-C stops the machine. The debugger has it while\n"
    "the machine is stopped. When every hart waits, the guest's time follows the wall clock.\n";

static const char tail[] =
    ".PP\n"
    "The terminal is given back as it was, also by a stop\n.RB ( SIGTSTP ),\nand raw again when\n"
    "the run is continued in the foreground. In the background it is left alone.\n"
    ".PP\n"
    "Input from a file, a pipe or a device comes as fast as the guest takes it, and waiting costs "
    "no\n"
    "time. rvftrace waits for a FIFO until a process opens it for writing. If the input has\n"
    "ended, or there is none, and every hart waits with no timer set, the run ends at once with\n"
    "status 76. Where a timer wakes the guest now and then, and it has done next to nothing but "
    "wait "
    "for\ninput for five minutes of its time, the run ends with status 75.\n"
    ".PP\n"
    "The idle time of a guest that wants no input, and has written nothing for ten minutes of its "
    "time, goes by\n"
    "the wall clock, to spare the host; the guest sees no difference. With\n.B "
    "\\-\\-max\\-insns\nor\n.B \\-\\-max\\-cycles\n"
    "it runs there as fast as it can.\n"
    ".SH RECORDING\n"
    "A run is a function of image, options, seed and input.\n.B \\-\\-record\n"
    "records the input as it comes,\n.B \\-\\-replay\nfeeds it back, with the same idle "
    "times,\n"
    "so that the run is the same to the last cycle: to look at it again with another\n"
    ".BR \\-\\-audit ,\na report, or in the debugger, whose stops do not disturb it. The file is\n"
    "text; docs/recording.md describes it.\n"
    ".SH SIGNALS\n"
    "SIGINT, SIGTERM and SIGHUP end each command within a second. Of a run the report is written "
    "all the same,\nunless it takes longer; no file stays that is not complete, but a log or a "
    "recording, FILE.part,\nwhich can be read as far as it was written. A second one ends "
    "the program at once.\n"
    ".SH EXIT STATUS\n"
    ".TP\n.B 0..255\nThe guest's own, as given to the test finisher, HTIF or SBI SRST; 0 is "
    "success, and a run that was left by Ctrl\\-A x.\n"
    ".TP\n.B 64\nThe command line is wrong.\n"
    ".TP\n.B 65\nA file is damaged, of the wrong kind, or does not fit the machine.\n"
    ".TP\n.B 66\nA file that is to be read does not exist.\n"
    ".TP\n.B 70\nInternal error: of rvftrace itself, or the host refused memory or a process.\n"
    ".TP\n.B 74\nReading or writing failed, on standard output and standard error as well,\n"
    "or a file that is to be written cannot be created.\n"
    ".TP\n.B 75\nA limit was reached: --max-insns, --max-cycles or --timeout; or the input has "
    "ended, and\nthe guest only waits for more.\n"
    ".TP\n.B 76\nThe guest cannot go on: it is in an endless trap loop, or every hart waits for an "
    "interrupt that\n"
    "cannot come.\n"
    ".TP\n.B 80\nThe audit failed (--audit=fail): there is an error that is neither allowed nor in "
    "the\nbaseline. That the guest panics, warns or hangs is one, too; without --audit=fail a "
    "panic "
    "has\nthe status that the guest gives it.\n"
    ".TP\n.B 128+N\nSignal N ended the run: 130 SIGINT, 143 SIGTERM, 129 SIGHUP.\n"
    ".SH EXAMPLES\n"
    ".nf\n"
    "rvftrace run kernel.elf --append 'ftrace=function_graph'\n"
    "rvftrace run --audit=fail --harts 4 --report run.json kernel.elf\n"
    "rvftrace debug kernel.elf\n"
    "rvftrace explore --harts 2 --append 'ftrace=function' kernel.elf\n"
    "rvftrace run --harts 2 --append 'ftrace=function' --schedule explore-1.schedule kernel.elf\n"
    "rvftrace litmus --expect kinds.txt tests/\n"
    "rvftrace run --write-baseline known.txt kernel.elf\n"
    "rvftrace run --audit=fail --baseline known.txt --junit audit.xml kernel.elf\n"
    "rvftrace run --log run.log kernel.elf\n"
    "rvftrace log --to chrome -o run.json run.log\n"
    "rvftrace view run.log\n"
    "rvftrace run --record session.txt kernel.elf\n"
    "rvftrace debug --replay session.txt kernel.elf\n"
    ".fi\n"
    ".SH SEE ALSO\n"
    ".BR recordmcount (1),\n.BR qemu-system-riscv64 (1)\n";

/* Prints text for roff, in which a leading dot or quote is a request and '-' is a hyphen. */
static void print_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void print_option(const struct row *r)
{
    printf(".TP\n");
    if (r->short_key)
        printf(".BR \\-%c ,\\  ", r->short_key);
    else
        printf(".B ");
    printf("\\-\\-");
    print_text(r->name);
    if (r->arg)
        printf("=\\fI%s\\fR", r->arg);
    putchar('\n');
    print_text(r->doc);
    if (r->standard)
        printf(" Default %s.", r->standard);
    putchar('\n');
}

static void print_row(const struct row *r)
{
    print_option(r);
    if (r->commands[0] == 'e')
        printf("Only for\n.BR explore .\n");
    else if (r->commands[0] == 'd')
        printf("Only for\n.BR debug .\n");
    else if (r->commands[0] && !strchr(r->commands, 'd'))
        printf("Only for\n.BR run .\n");
}

static const struct {
    enum option_group group;
    const char *text;
} headings[] = {
#define OPTION_GROUP(id, heading) {OPTIONS_##id, heading},
    OPTION_GROUPS(OPTION_GROUP)
#undef OPTION_GROUP
};

/* Prints the options of the table that the command has by groups; letter 0: those of all commands.
 */
static void print_groups(const struct row *row, size_t count, char letter)
{
    for (size_t g = 0; g < sizeof headings / sizeof headings[0]; g++) {
        bool begun = false;

        for (size_t i = 0; i < count; i++) {
            if (row[i].group != headings[g].group || (letter && !strchr(row[i].commands, letter)))
                continue;
            if (!begun)
                printf(".SS %.*s\n", (int)strlen(headings[g].text) - 1, headings[g].text);
            begun = true;
            if (letter)
                print_option(&row[i]);
            else
                print_row(&row[i]);
        }
    }
}

/* ---- the page of a command ---- */

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* letter: of the options of the table that the command has. */
static const struct page {
    const char *name;
    char letter;
    const struct row *rows;
    size_t count;
    const char *what, *synopsis, *description, *see;
} pages[] = {
    {"run", 'r', rows, COUNT(rows), "boot an image and report on its sites",
     "[\\fIOPTION\\fR]... \\fIIMAGE\\fR",
     "Boots the image and prints at the end what its ftrace sites took, and what was wrong with "
     "the "
     "way it changes its code.",
     "docs/report.md, docs/rules.md"},
    {"debug", 'd', rows, COUNT(rows), "boot an image in the debugger",
     "[\\fIOPTION\\fR]... \\fIIMAGE\\fR",
     "Starts the debugger before the first instruction;\n.B help\nlists its commands, Ctrl\\-C "
     "stops "
     "the guest.",
     "docs/debugger.md, docs/gdb.md"},
    {"explore", 'e', rows, COUNT(rows), "try other orders of the harts around changes of code",
     "[\\fIOPTION\\fR]... \\fIIMAGE\\fR",
     "Runs the image, and around each change of code tries other orders of what the harts do. For "
     "what it finds it writes a schedule, which\n.B run \\-\\-schedule\nrepeats.",
     "docs/explore.md"},
    {"litmus", 0, litmus_rows, COUNT(litmus_rows), "all outcomes of litmus tests",
     "[\\fIOPTION\\fR]... \\fIFILE\\fR...",
     "Runs litmus tests in herd's format (RISC\\-V) on the harts of the machine, tries all "
     "executions "
     "that it may have, and prints all outcomes, beside those that are expected. For each outcome "
     "it "
     "can write a schedule, which\n.B run \\-\\-schedule\nand\n.B debug \\-\\-schedule\nrepeat.",
     "docs/litmus.md"},
    {"report", 0, report_rows, COUNT(report_rows), "show reports of runs as tables or as a page",
     "[\\fIOPTION\\fR]... \\fIFILE\\fR...",
     "Shows what\n.B run \\-\\-report\nwrote: the cost of each ftrace site, of the trampolines and "
     "of jump labels, in cycles; or updates of code; or all as one page of HTML.",
     "docs/report.md"},
    {"log", 0, log_rows, COUNT(log_rows), "show or convert an event log",
     "[\\fIOPTION\\fR]... \\fIFILE\\fR",
     "Shows what\n.B run \\-\\-log\nrecorded, as a summary or a line for each event, or converts "
     "it for other programs.",
     "docs/log.md"},
    {"view", 0, view_rows, COUNT(view_rows), "show an event log in a window",
     "[\\fIOPTION\\fR]... \\fILOG\\fR [\\fILOG2\\fR]",
     "Shows what\n.B run \\-\\-log\nrecorded in a window, or writes a picture of it; with two "
     "logs, "
     "one below the other. It is a program of its own, rvftrace\\-view, which needs SDL2. Press ? "
     "for "
     "its keys.",
     "docs/viewer.md"},
    {"check-trace", 0, check_trace_rows, COUNT(check_trace_rows),
     "judge the fetches in a trace of instructions",
     "[\\fIOPTION\\fR]... \\fITRACE\\fR \\fIIMAGE\\fR",
     "Reads the trace of another machine's instructions, in the format of Spike's commit log, or "
     "what\n.B run \\-\\-itrace\nwrote, and says of each fetch whether the ISA permits it.",
     "docs/trace.md"},
    {"cores", 0, NULL, 0, "list or check core models", "[\\fINAME\\fR|\\fIFILE\\fR]",
     "Lists the core models that\n.B \\-\\-timing\ntakes, and how far each was compared with its "
     "core; with a name or a core file, checks and shows that one.",
     "docs/cores.md"},
};

static int print_command(const char *name)
{
    const struct page *c = pages;

    while (c < pages + COUNT(pages) && strcmp(c->name, name) != 0)
        c++;
    if (c == pages + COUNT(pages))
        return 64;
    printf(".TH RVFTRACE-");
    for (const char *letter = c->name; *letter; letter++)
        putchar(toupper((unsigned char)*letter));
    printf(" 1 \"\" \"rvftrace " RVFTRACE_VERSION "\"\n.SH NAME\n");
    printf("rvftrace\\-%s \\- %s\n.SH SYNOPSIS\n.B rvftrace %s\n%s\n", c->name, c->what, c->name,
           c->synopsis);
    printf(".SH DESCRIPTION\n%s\n", c->description);
    if (c->count)
        puts(".SH OPTIONS");
    if (c->letter) {
        print_text(numbers);
        putchar('\n');
    }
    if (c->letter)
        print_groups(c->rows, c->count, c->letter);
    for (size_t i = 0; !c->letter && i < c->count; i++)
        print_option(&c->rows[i]);
    printf(
        ".SH SEE ALSO\n.BR rvftrace (1),\nwhich has the console's keys, signals, exit statuses and "
        "examples; %s.\n",
        c->see);
    return 0;
}

static int finish(void)
{
    return fflush(stdout) || ferror(stdout);
}

int main(int argc, char **argv)
{
    int status = argc > 1 ? print_command(argv[1]) : 0;

    if (argc > 1)
        return status ? status : finish();
    fputs(head, stdout);
    print_text(numbers);
    putchar('\n');
    print_groups(rows, COUNT(rows), 0);
    fputs(help_and_version, stdout);
    for (size_t i = 0; i < sizeof report_rows / sizeof report_rows[0]; i++)
        print_row(&report_rows[i]);
    fputs(log_head, stdout);
    for (size_t i = 0; i < sizeof log_rows / sizeof log_rows[0]; i++)
        print_row(&log_rows[i]);
    fputs(litmus_head, stdout);
    for (size_t i = 0; i < sizeof litmus_rows / sizeof litmus_rows[0]; i++)
        print_row(&litmus_rows[i]);
    fputs(check_trace_head, stdout);
    for (size_t i = 0; i < sizeof check_trace_rows / sizeof check_trace_rows[0]; i++)
        print_row(&check_trace_rows[i]);
    fputs(view_head, stdout);
    for (size_t i = 0; i < sizeof view_rows / sizeof view_rows[0]; i++)
        print_row(&view_rows[i]);
    fputs(console, stdout);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        printf(".TP\n.B Ctrl\\-A %s\n%s\n", keys[i].name, keys[i].help);
    fputs(tail, stdout);
    return finish();
}
