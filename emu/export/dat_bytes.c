/*
 * dat_bytes.c - see dat_bytes.h.
 */
#include "export/dat_bytes.h"

#include <string.h>

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n\n"
                                   "\tpadding     : type == 29\n"
                                   "\ttime_extend : type == 30\n"
                                   "\ttime_stamp : type == 31\n"
                                   "\tdata max type_len  == 28\n";

void dat_put(struct log_bytes *b, uint64_t value, unsigned size)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    log_put_bytes(b, bytes, size);
}

void dat_put_sized(struct log_bytes *b, const void *bytes, size_t len, unsigned size)
{
    dat_put(b, len, size);
    log_put_bytes(b, bytes, len);
}

void dat_put_zeroes(struct log_bytes *b, size_t len)
{
    VEC_RESERVE(b, len);
    memset(b->at + b->len, 0, len);
    b->len += len;
}

void dat_put_begin(struct log_bytes *b, const char *version)
{
    log_put_bytes(b, "\x17\x08\x44tracing", 10);
    log_put_bytes(b, version, strlen(version) + 1);
    dat_put(b, 0, 1); /* little-endian */
    dat_put(b, 8, 1); /* bytes of a long */
    dat_put(b, DAT_PAGE, 4);
}

void dat_put_headers(struct log_bytes *b)
{
    log_put_bytes(b, "header_page", 12);
    dat_put_sized(b, header_page, strlen(header_page), 8);
    log_put_bytes(b, "header_event", 13);
    dat_put_sized(b, header_event, strlen(header_event), 8);
}
