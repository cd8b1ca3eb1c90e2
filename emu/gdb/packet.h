/*
 * packet.h - the packets of gdb's remote serial protocol: bytes into packets, and replies into
 * bytes (gdb's manual, "Remote Protocol").
 *
 * Pure: knows nothing of the machine or of connections. Any bytes may come in.
 */
#ifndef GDB_PACKET_H
#define GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"

/* The longest packet that is accepted, without its frame; gdb is informed by qSupported. */
enum { PACKET_MAX = 0x4000 };

enum packet_item {
    ITEM_NONE,      /* more bytes are needed */
    ITEM_PACKET,    /* `text` has a packet */
    ITEM_DAMAGED,   /* a packet with a wrong checksum; it must be sent again */
    ITEM_TOO_LONG,  /* a packet of more than PACKET_MAX bytes */
    ITEM_NAK,       /* the last reply must be sent again */
    ITEM_INTERRUPT, /* Ctrl-C: the machine is to stop */
};

struct packet_reader {
    enum packet_state { BETWEEN, INSIDE, ESCAPED, SUM_HIGH, SUM_LOW } state;
    bool too_long;
    uint8_t sum, wanted;
    size_t len;
    char text[PACKET_MAX + 1]; /* without escapes; a zero byte follows */
};

/* Takes the next byte from gdb. In no-acknowledgement mode (any_sum) checksums are not compared. */
enum packet_item packet_take(struct packet_reader *r, uint8_t byte, bool any_sum);

/* Text of a reply, which grows. */
typedef VEC_OF(char) reply_text;

void reply_bytes(reply_text *r, const void *bytes, size_t len);
void reply_print(reply_text *r, const char *format, ...) PRINTF_LIKE(2, 3);
/* Appends two hexadecimal digits for each byte. */
void reply_hex(reply_text *r, const void *bytes, size_t len);

/* Appends the packet with these contents to `out`: frame, escapes, checksum. */
void packet_wrap(reply_text *out, const char *contents, size_t len);

/*
 * Read parts of a packet, and move *at past them. False: the packet continues otherwise.
 */
MUST_USE bool take_char(const char **at, char c);
MUST_USE bool take_word(const char **at, const char *word);
/* Reads a number in hexadecimal, of 1 to 16 digits. */
MUST_USE bool take_number(const char **at, uint64_t *value);
/* Reads `len` bytes, two digits each. */
MUST_USE bool take_bytes(const char **at, void *to, size_t len);

#endif
