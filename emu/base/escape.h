/*
 * escape.h - any text as a line of printable characters: other bytes, and backslashes, are \xNN.
 */
#ifndef CLI_ESCAPE_H
#define CLI_ESCAPE_H

/* Both return a new string. unescape_text leaves what is no such sequence as it is. */
char *escape_text(const char *text);
char *unescape_text(const char *line);

#endif
