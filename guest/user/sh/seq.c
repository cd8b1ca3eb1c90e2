/* seq.c - the commands seq and yes. */
#include "applet.h"
#include "shell.h"

int do_seq(int argc, char **argv)
{
    unsigned long bound[3] = {1, 1, 1}, n; /* first, step, last */
    int i, status = 0;

    if (argc < 2 || argc > 4)
        return usage_error(argv);
    for (i = 1; i < argc; i++)
        if (kstrtoul(argv[i], 10, &bound[argc == 2 ? 2 : argc == 3 && i == 2 ? 2 : i - 1]))
            return usage_error(argv);
    for (n = bound[0]; n <= bound[2] && bound[1] && !status; n += bound[1])
        status = putf("%lu\n", n);
    return status;
}

int do_yes(int argc, char **argv)
{
    int status = 0;

    while (!status)
        status = put_line(argc > 1 ? argv[1] : "y");
    return status;
}
