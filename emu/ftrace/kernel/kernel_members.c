/*
 * kernel_members.c - see kernel_members.h.
 */
#include "ftrace/kernel/kernel_members.h"

#include "load/btf.h"
#include "load/image.h"
#include "load/lines.h"

/* Whether the debug information has the struct: then the BTF knows no other members of it. */
static bool has_struct(struct lines *lines, const char *structure)
{
    uint64_t bytes;

    return lines && lines_struct_size(lines, structure, &bytes);
}

bool kernel_member(const struct image *im, struct lines *lines, const char *structure,
                   const char *member, uint64_t *offset)
{
    struct file btf = image_btf(im);

    return (lines && lines_member(lines, structure, member, offset)) ||
           (!has_struct(lines, structure) &&
            btf_member(btf.bytes, btf.size, structure, member, offset));
}

bool kernel_struct_size(const struct image *im, struct lines *lines, const char *structure,
                        uint64_t *bytes)
{
    struct file btf = image_btf(im);

    return (lines && lines_struct_size(lines, structure, bytes)) ||
           btf_struct_size(btf.bytes, btf.size, structure, bytes);
}
