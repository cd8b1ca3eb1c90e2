/*
 * page.c - see page.h.
 */
#include "report/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/stacks.h"
#include "report/html.h"

enum exit_status page_write(struct new_file *file, char *json, size_t size, const char *log,
                            const struct diag *d)
{
    FILE *in = fmemopen(json, size, "r"), *out = new_file_stream(file);
    char *stacks = NULL;
    struct run_file run;
    enum exit_status status = EXIT_IO;

    if (in && out)
        status = run_file_parse(&run, "rvftrace run", in, d);
    else
        diag_error(d, "%s: %s", new_file_name(file), strerror(errno));
    if (in)
        (void)fclose(in);
    if (status != EXIT_PASS)
        return status;
    if (log)
        status = stacks_json(log, d, &stacks);
    if (status == EXIT_PASS) {
        html_write(&run, 1, stacks, out);
        status = new_file_commit(file, d) ? EXIT_PASS : EXIT_IO;
    }
    free(stacks);
    run_file_free(&run);
    return status;
}
