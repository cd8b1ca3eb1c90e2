/* buildid.c - finds the build id of an ELF file, which its linker has put into a note. */
#include <linux/buildid.h>
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { MAX_PHDRS = 32, MAX_NOTES = 4096, PT_NOTE = 4, NT_GNU_BUILD_ID = 3 };

struct note {
    u32 namesz, descsz, type;
};

static bool read_at(struct file *file, void *buf, size_t size, loff_t pos)
{
    return vfs_read(file, buf, size, &pos) == (ssize_t)size;
}

static int find_note(const char *notes, size_t size, unsigned char *build_id, unsigned int *id_size)
{
    size_t at = 0;

    while (size - at >= sizeof(struct note)) {
        const struct note *note = (const void *)(notes + at);
        size_t name = at + sizeof(*note), desc = name + ALIGN((size_t)note->namesz, (size_t)4);
        size_t next = desc + ALIGN((size_t)note->descsz, (size_t)4);

        if (desc < name || next < desc || next > size)
            break;
        if (note->type == NT_GNU_BUILD_ID && note->namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
            note->descsz && note->descsz <= BUILD_ID_SIZE_MAX) {
            memset(build_id, 0, BUILD_ID_SIZE_MAX);
            memcpy(build_id, notes + desc, note->descsz);
            *id_size = note->descsz;
            return 0;
        }
        at = next;
    }
    return -EINVAL;
}

static int find_in(struct file *file, const Elf64_Phdr *p, unsigned char *build_id,
                   unsigned int *id_size)
{
    char *notes;
    int err = -EINVAL;

    if (p->p_type != PT_NOTE || !p->p_filesz || p->p_filesz > MAX_NOTES)
        return -EINVAL;
    notes = kmalloc(p->p_filesz);
    if (!notes)
        return -ENOMEM;
    if (read_at(file, notes, p->p_filesz, p->p_offset))
        err = find_note(notes, p->p_filesz, build_id, id_size);
    kfree(notes);
    return err;
}

int build_id_parse(struct file *file, unsigned char *build_id, unsigned int *id_size)
{
    Elf64_Ehdr ehdr;
    Elf64_Phdr phdr;
    unsigned int i;

    if (!read_at(file, &ehdr, sizeof(ehdr), 0) || memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
        ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_phentsize != sizeof(phdr))
        return -EINVAL;
    for (i = 0; i < ehdr.e_phnum && i < MAX_PHDRS; i++)
        if (read_at(file, &phdr, sizeof(phdr), ehdr.e_phoff + i * sizeof(phdr)) &&
            !find_in(file, &phdr, build_id, id_size))
            return 0;
    return -EINVAL;
}
