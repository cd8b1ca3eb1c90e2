/*
 * fuzz_snapshot.c - damaged snapshots in files: they are refused, and the machine is as it was
 * before. Also such as no damage makes, whose checksums are right: numbers of the machine's state
 * are changed, and the file is made anew. They may be restored, if the state is possible.
 *
 * The first byte of an input is the part that is changed: the file itself, or the contents of one
 * of its first two frames. Then come changes: two bytes each for the distance from the one before,
 * and one for the new value.
 */
#include <stdlib.h>

#include "base/digest.h"
#include "base/frame.h"
#include "base/hash.h"
#include "ftrace/watch.h"
#include "fuzz/world.h"
#include "isa/encode.h"
#include "machine/snapshot.h"
#include "machine/snapshot_file.h"

enum { FRAMES_OF_STATE = 2, PARTS = FRAMES_OF_STATE + 1, INSNS = 400, ENTRY_BYTES = 16 };

struct trailer { /* as in snapshot_file.c */
    uint64_t frames, pages, size[FRAMES_OF_STATE], head_bytes, hash;
    char magic[8];
};

struct fixture {
    struct world w;
    struct watch *watch;
    struct diag diag;
    struct snapshot *before;
    uint64_t hash;
    uint8_t *file, *part[FRAMES_OF_STATE];
    size_t size;
    struct trailer t;
};

static const uint32_t program[] = {
    AUIPC(T0, 8), ADDI(T1, T1, 3), SD(T1, T0, 0), SD(T1, T0, 64), FENCE_I, JAL(ZERO, -4 * 4),
};

static void read_all(struct fixture *x, const char *path)
{
    FILE *f = fopen(path, "rb");

    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    x->size = (size_t)ftell(f);
    x->file = malloc(x->size);
    rewind(f);
    CHECK(fread(x->file, 1, x->size, f) == x->size);
    fclose(f);
}

static struct entry {
    uint64_t size, digest;
} entry_at(const struct fixture *x, size_t i)
{
    struct entry e;

    memcpy(&e, x->file + x->size - sizeof x->t - ENTRY_BYTES * (x->t.frames - i), sizeof e);
    return e;
}

static void take_apart(struct fixture *x)
{
    size_t at;

    memcpy(&x->t, x->file + x->size - sizeof x->t, sizeof x->t);
    at = x->t.head_bytes;
    for (unsigned i = 0; i < FRAMES_OF_STATE; i++) {
        size_t size = (size_t)entry_at(x, i).size;

        x->part[i] = malloc(x->t.size[i]);
        CHECK(frame_unpack(x->file + at, size, x->part[i], x->t.size[i]));
        at += size;
    }
}

static struct fixture *make(void)
{
    struct fixture *x = calloc(1, sizeof *x);
    struct machine_config config = {.harts = 2, .firmware = FIRMWARE_NONE, .page_copies_max = 8};
    struct watch_config watch = {
        .account = true, .audit = true, .findings_max = 4, .patches_max = 16};
    char line[] = "one line";
    char *lines[] = {line};
    char path[] = "/tmp/fuzz_snapshot_XXXXXX"; /* a memfd has no name that could be replaced */
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    x->diag = (struct diag){.out = fopen("/dev/null", "w"), .program = "fuzz"};
    world_new(&x->w, program, sizeof program, config);
    watch.cluster = machine_cluster(x->w.m);
    watch.image = machine_image(x->w.m);
    x->watch = watch_new(&watch, &x->diag);
    machine_join_snapshots(x->w.m, (struct state_part){x->watch, watch_state_io});
    (void)machine_run(x->w.m, INSNS, UINT64_MAX);
    CHECK(snapshot_file_write(x->w.m, path, &(struct snapshot_lines){lines, 1}, &x->diag) ==
          EXIT_PASS);
    read_all(x, path);
    unlink(path);
    close(fd);
    take_apart(x);
    (void)machine_run(x->w.m, INSNS + 111, UINT64_MAX);
    x->before = machine_snapshot(x->w.m);
    x->hash = machine_state_hash(x->w.m);
    return x;
}

static void change(struct input *in, uint8_t *bytes, size_t size)
{
    size_t at = 0;

    while (in->left) {
        at = (at + (size_t)input_number(in, 2)) % size;
        bytes[at] = input_byte(in);
    }
}

/* The file with another frame in place of one of the first two, and with what has to fit to it. */
static const char *make_anew(const struct fixture *x, unsigned part, const uint8_t *contents)
{
    size_t room = x->size + frame_bound(x->t.size[part]), at = 0, from = 0;
    uint8_t *file = malloc(room), *frame = malloc(frame_bound(x->t.size[part]));
    struct entry *index = malloc(x->t.frames * sizeof *index);
    struct trailer t = x->t;
    const char *path;
    uint64_t hash;

    memcpy(file, x->file, t.head_bytes);
    at = from = t.head_bytes;
    for (size_t i = 0; i < t.frames; i++) {
        const uint8_t *bytes = x->file + from;

        index[i] = entry_at(x, i);
        from += index[i].size;
        if (i == part) {
            index[i].size = frame_pack(contents, x->t.size[part], frame);
            index[i].digest = digest_end(digest_pages(0, 0, frame, index[i].size), index[i].size);
            bytes = frame;
        }
        memcpy(file + at, bytes, index[i].size);
        at += index[i].size;
    }
    hash = fnv1a(FNV1A_START, file, t.head_bytes);
    hash = fnv1a(hash, (const uint8_t *)index, t.frames * sizeof *index);
    t.hash = fnv1a(hash, (const uint8_t *)&t, offsetof(struct trailer, hash));
    memcpy(file + at, index, t.frames * sizeof *index);
    at += t.frames * sizeof *index;
    memcpy(file + at, &t, sizeof t);
    path = scratch_file(SCRATCH_RECORDING, file, at + sizeof t);
    free(index);
    free(frame);
    free(file);
    return path;
}

static const char *make_file(const struct fixture *x, struct input *in, bool *same)
{
    unsigned part = input_byte(in) % PARTS;
    size_t size = part < FRAMES_OF_STATE ? x->t.size[part] : x->size;
    const uint8_t *from = part < FRAMES_OF_STATE ? x->part[part] : x->file;
    uint8_t *bytes = malloc(size);
    const char *path;

    memcpy(bytes, from, size);
    change(in, bytes, size);
    *same = part == FRAMES_OF_STATE && !memcmp(bytes, from, size);
    path = part < FRAMES_OF_STATE ? make_anew(x, part, bytes)
                                  : scratch_file(SCRATCH_RECORDING, bytes, size);
    /* Damage of the file itself is always seen. */
    *same |= part < FRAMES_OF_STATE;
    free(bytes);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct fixture *x;
    struct input in = {bytes, size};
    struct snapshot_file *f;
    enum exit_status status;
    bool may_pass;
    const char *path;

    if (!x)
        x = make();
    path = make_file(x, &in, &may_pass);
    status = snapshot_file_open(path, &x->diag, &f);
    if (status == EXIT_PASS) {
        status = snapshot_file_restore(f, x->w.m, true);
        snapshot_file_close(f);
    }
    CHECK(status == EXIT_BAD_FILE || (status == EXIT_PASS && may_pass));
    if (status == EXIT_PASS) {
        (void)machine_state_hash(x->w.m);
        CHECK(machine_restore(x->w.m, x->before));
    }
    CHECK(machine_state_hash(x->w.m) == x->hash);
    return 0;
}
