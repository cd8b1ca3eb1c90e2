/*
 * test_virtio_ports.c - a console device with ports, seen by a driver, and the host's end of a
 * port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "dev/virtio_ports.h"
#include "load/port.h"

enum { MEMORY = 0x20000, BASE = 0x80000000, QUEUE_SIZE = 8 };
enum { CONTROL_IN = 2, CONTROL_OUT = 3, OUT_1 = 5, OUT_2 = 7, QUEUES = 8 };
enum { QUEUE_SEL = 0x30, QUEUE_NUM = 0x38, QUEUE_READY = 0x44, NOTIFY = 0x50, STATUS = 0x70 };
enum { DESC = 0x80, AVAIL = 0x90, USED = 0xa0, CONFIG = 0x100 };
enum { READY = 0, ADD = 1, PORT_READY = 3, OPEN = 6, NAME = 7 };

/* Each queue has a piece of memory: descriptors, the two rings, and eight buffers. */
enum { PIECE = 0x2000, AVAIL_AT = 0x100, USED_AT = 0x200, BUFFERS_AT = 0x400, BUFFER = 0x100 };

struct world {
    uint8_t memory[MEMORY];
    struct virtio *virtio;
    struct device device;
    uint16_t added[QUEUES];
    char sent[2][256];
    uint64_t length[2]; /* bytes in `sent` */
};

static bool read_memory(void *ctx, uint64_t pa, void *to, size_t len)
{
    memcpy(to, ((struct world *)ctx)->memory + (pa - BASE), len);
    return true;
}

static bool write_memory(void *ctx, uint64_t pa, const void *from, size_t len)
{
    memcpy(((struct world *)ctx)->memory + (pa - BASE), from, len);
    return true;
}

static uint64_t ticks(void *ctx)
{
    (void)ctx;
    return 0;
}

static void take(struct world *w, unsigned port, uint64_t at, const uint8_t *bytes, size_t len)
{
    assert_int_equal(at, w->length[port]);
    memcpy(w->sent[port] + at, bytes, len);
    w->length[port] += len;
}

static void take_1(void *ctx, uint64_t at, const uint8_t *bytes, size_t len)
{
    take(ctx, 0, at, bytes, len);
}

static void take_2(void *ctx, uint64_t at, const uint8_t *bytes, size_t len)
{
    take(ctx, 1, at, bytes, len);
}

static void put(struct world *w, uint64_t reg, uint32_t value)
{
    assert_int_equal(w->device.write(w->device.ctx, reg, 4, value), FAULT_NONE);
}

static uint8_t *piece(struct world *w, unsigned queue)
{
    return w->memory + queue * PIECE;
}

static struct world *new_world(void)
{
    struct world *w = calloc(1, sizeof *w);
    struct virtio_port ports[2] = {{"trace", take_1, w}, {"org.example.log", take_2, w}};
    struct virtio_config config = {.base = 0x10001000,
                                   .memory = {read_memory, write_memory, w},
                                   .clock = {ticks, w},
                                   .timebase_hz = 1000,
                                   .kind = virtio_ports(ports, 2)};

    w->virtio = virtio_new(&config);
    w->device = virtio_device(w->virtio);
    put(w, STATUS, 3);
    put(w, 0x24, 1);
    put(w, 0x20, 1); /* VERSION_1 */
    put(w, 0x24, 0);
    put(w, 0x20, 2); /* MULTIPORT */
    put(w, STATUS, 11);
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        put(w, QUEUE_SEL, queue);
        put(w, QUEUE_NUM, QUEUE_SIZE);
        put(w, DESC, BASE + queue * PIECE);
        put(w, AVAIL, BASE + queue * PIECE + AVAIL_AT);
        put(w, USED, BASE + queue * PIECE + USED_AT);
        put(w, QUEUE_READY, 1);
    }
    put(w, STATUS, 15);
    return w;
}

static void free_world(struct world *w)
{
    w->device.free(w->device.ctx);
    free(w);
}

/* Offers the next buffer of a queue, for reading or writing by the device, and tells it. */
static void offer(struct world *w, unsigned queue, const void *bytes, uint32_t len)
{
    unsigned n = w->added[queue] % QUEUE_SIZE;
    uint64_t pa = BASE + queue * PIECE + BUFFERS_AT + n * BUFFER;
    uint32_t length = bytes ? len : BUFFER;
    uint16_t words[2] = {bytes ? 0 : 2, 0}, head = (uint16_t)n;
    uint8_t *d = piece(w, queue) + 16 * n, *ring = piece(w, queue) + AVAIL_AT;

    if (bytes)
        memcpy(w->memory + (pa - BASE), bytes, len);
    memcpy(d, &pa, 8);
    memcpy(d + 8, &length, 4);
    memcpy(d + 12, words, 4);
    memcpy(ring + 4 + 2 * n, &head, 2);
    w->added[queue]++;
    memcpy(ring + 2, &w->added[queue], 2);
    put(w, NOTIFY, queue);
}

static void tell(struct world *w, uint32_t port, uint16_t event, uint16_t value)
{
    uint8_t message[8];

    memcpy(message, &port, 4);
    memcpy(message + 4, &event, 2);
    memcpy(message + 6, &value, 2);
    offer(w, CONTROL_OUT, message, sizeof message);
}

static unsigned used(struct world *w, unsigned queue)
{
    uint16_t index;

    memcpy(&index, piece(w, queue) + USED_AT + 2, 2);
    return index;
}

/* Checks message n of the device: port, event, value 1, and the name after it. */
static void assert_message(struct world *w, unsigned n, uint32_t port, uint16_t event,
                           const char *name)
{
    const uint8_t *used_ring = piece(w, CONTROL_IN) + USED_AT;
    const uint8_t *bytes = piece(w, CONTROL_IN) + BUFFERS_AT + n * BUFFER;
    uint32_t length, its_port;
    uint16_t words[2];

    assert_true(used(w, CONTROL_IN) > n);
    memcpy(&length, used_ring + 4 + 8 * n + 4, 4);
    assert_int_equal(length, 8 + strlen(name));
    memcpy(&its_port, bytes, 4);
    memcpy(words, bytes + 4, 4);
    assert_int_equal(its_port, port);
    assert_int_equal(words[0], event);
    assert_int_equal(words[1], 1);
    assert_memory_equal(bytes + 8, name, strlen(name));
}

static void a_driver_is_told_of_ports_and_their_names(void **state)
{
    struct world *w = new_world();
    uint64_t ports = 0;

    (void)state;
    assert_int_equal(w->device.read(w->device.ctx, CONFIG + 4, 4, &ports), FAULT_NONE);
    assert_int_equal(ports, 3); /* numbers 1 and 2, and that of a console, which there is not */
    for (unsigned n = 0; n < 6; n++)
        offer(w, CONTROL_IN, NULL, 0);
    assert_int_equal(used(w, CONTROL_IN), 0);
    tell(w, UINT32_MAX, READY, 1);
    tell(w, 1, PORT_READY, 1);
    tell(w, 2, PORT_READY, 1);
    assert_message(w, 0, 1, ADD, "");
    assert_message(w, 1, 2, ADD, "");
    assert_message(w, 2, 1, NAME, "trace");
    assert_message(w, 3, 1, OPEN, "");
    assert_message(w, 4, 2, NAME, "org.example.log");
    assert_message(w, 5, 2, OPEN, "");
    free_world(w);
}

static void messages_wait_for_buffers(void **state)
{
    struct world *w = new_world();

    (void)state;
    tell(w, UINT32_MAX, READY, 1);
    tell(w, 2, PORT_READY, 1);
    for (unsigned n = 0; n < 5; n++) {
        assert_int_equal(used(w, CONTROL_IN), n < 4 ? n : 4);
        offer(w, CONTROL_IN, NULL, 0);
    }
    assert_int_equal(used(w, CONTROL_IN), 4);
    assert_message(w, 2, 2, NAME, "org.example.log");
    assert_message(w, 3, 2, OPEN, "");
    free_world(w);
}

static void messages_about_other_ports_are_ignored(void **state)
{
    struct world *w = new_world();

    (void)state;
    for (unsigned n = 0; n < 4; n++)
        offer(w, CONTROL_IN, NULL, 0);
    tell(w, 0, PORT_READY, 1);
    tell(w, 3, PORT_READY, 1);
    tell(w, UINT32_MAX, PORT_READY, 1);
    tell(w, 1, PORT_READY, 0);
    tell(w, 1, 99, 1);
    offer(w, CONTROL_OUT, "short", 5);
    assert_int_equal(used(w, CONTROL_OUT), 6);
    assert_int_equal(used(w, CONTROL_IN), 0);
    free_world(w);
}

static void bytes_of_each_port_arrive_in_order(void **state)
{
    struct world *w = new_world();

    (void)state;
    offer(w, OUT_1, "one ", 4);
    offer(w, OUT_2, "other", 5);
    offer(w, OUT_1, "two", 3);
    offer(w, 1, "port 0", 6); /* there is none: the bytes are dropped */
    assert_int_equal(used(w, OUT_1), 2);
    assert_int_equal(used(w, OUT_2), 1);
    assert_int_equal(used(w, 1), 1);
    assert_string_equal(w->sent[0], "one two");
    assert_string_equal(w->sent[1], "other");
    free_world(w);
}

static void assert_file(const char *path, const char *contents)
{
    char text[64] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    assert_non_null(f);
    fclose(f);
    assert_int_equal(n, strlen(contents));
    assert_string_equal(text, contents);
}

static void a_repeated_part_replaces_what_the_file_has(void **state)
{
    struct diag d = {.out = stderr, .program = "test"};
    char path[] = "/tmp/test-port-XXXXXX";
    struct port *p;

    (void)state;
    close(mkstemp(path));
    assert_int_equal(port_open(path, &d, &p), EXIT_PASS);
    port_put(p, 100, (const uint8_t *)"abcdef", 6); /* the first bytes that this process sees */
    port_put(p, 106, (const uint8_t *)"ghi", 3);
    port_put(p, 102, (const uint8_t *)"XY", 2); /* a snapshot was restored, and the run differs */
    port_free(p);
    assert_file(path, "abXY");
    assert_int_equal(port_open(path, &d, &p), EXIT_PASS);
    port_put(p, 10, (const uint8_t *)"abc", 3);
    port_put(p, 8, (const uint8_t *)"89Abcd", 6); /* a snapshot that is older than the file */
    port_free(p);
    assert_file(path, "Abcd");
    unlink(path);
}

static void a_socket_gets_no_byte_twice(void **state)
{
    struct diag d = {.out = stderr, .program = "test"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char directory[] = "/tmp/test-port-XXXXXX", text[16] = "";
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;
    struct port *p;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(port_open(address.sun_path, &d, &p), EXIT_PASS);
    fd = accept(listener, NULL, NULL);
    port_put(p, 0, (const uint8_t *)"abcd", 4);
    port_put(p, 2, (const uint8_t *)"cd", 2);
    port_put(p, 3, (const uint8_t *)"def", 3);
    port_free(p);
    assert_int_equal(recv(fd, text, sizeof text, MSG_WAITALL), 6);
    assert_string_equal(text, "abcdef");
    close(fd);
    close(listener);
    unlink(address.sun_path);
    rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_is_told_of_ports_and_their_names),
        cmocka_unit_test(messages_wait_for_buffers),
        cmocka_unit_test(messages_about_other_ports_are_ignored),
        cmocka_unit_test(bytes_of_each_port_arrive_in_order),
        cmocka_unit_test(a_repeated_part_replaces_what_the_file_has),
        cmocka_unit_test(a_socket_gets_no_byte_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
