/* text.c - growing strings and lists of strings. */
#include "applet.h"
#include "shell.h"

void *shell_alloc(size_t size)
{
    void *p = calloc(1, size);

    if (!p) {
        shell_error("out of memory");
        _exit(STATUS_ERROR);
    }
    return p;
}

char *shell_strdup(const char *s)
{
    size_t size = strlen(s) + 1;

    return memcpy(shell_alloc(size), s, size);
}

char *shell_strndup(const char *s, size_t len)
{
    return memcpy(shell_alloc(len + 1), s, len);
}

void strbuf_addn(struct strbuf *b, const char *s, size_t n)
{
    if (b->len + n >= b->room) {
        size_t room = max(b->room * 2, b->len + n + 32);
        char *larger = shell_alloc(room);

        memcpy(larger, b->s, b->len);
        free(b->s);
        b->s = larger;
        b->room = room;
    }
    memcpy(b->s + b->len, s, n);
    b->len += n;
    b->s[b->len] = 0;
}

void strbuf_addc(struct strbuf *b, char c)
{
    strbuf_addn(b, &c, 1);
}

void strbuf_adds(struct strbuf *b, const char *s)
{
    strbuf_addn(b, s, strlen(s));
}

char *strbuf_detach(struct strbuf *b)
{
    char *s = b->s ? b->s : shell_strdup("");

    *b = (struct strbuf){NULL, 0, 0};
    return s;
}

void strings_add(struct strings *list, char *s)
{
    if (list->n + 1 >= list->room) {
        int room = list->room ? list->room * 2 : 8;
        char **larger = shell_alloc(room * sizeof(*larger));

        memcpy(larger, list->v, list->n * sizeof(*larger));
        free(list->v);
        list->v = larger;
        list->room = room;
    }
    list->v[list->n++] = s;
    list->v[list->n] = NULL;
}

void strings_free(struct strings *list)
{
    int i;

    for (i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct strings){NULL, 0, 0};
}

void sort_strings(char **v, int n)
{
    int i, j;

    for (i = 1; i < n; i++) {
        char *s = v[i];

        for (j = i; j && strcmp(v[j - 1], s) > 0; j--)
            v[j] = v[j - 1];
        v[j] = s;
    }
}
