/* dump.c - shows the elements of a map. */
#include "bpf.h"

static void print_bytes(const char *what, const unsigned char *bytes, unsigned int size)
{
    unsigned int i;

    printf("%s", what);
    for (i = 0; i < size; i++)
        printf(" %02x", bytes[i]);
}

static void print_element(const struct map *map, const unsigned char *key,
                          const unsigned char *value)
{
    print_bytes("key:", key, map->key_size);
    print_bytes("  value:", value, map->value_size);
    printf("\n");
}

void dump_map(const struct map *map)
{
    unsigned char *key = need(map->key_size), *next = need(map->key_size);
    unsigned char *value = need(map->value_size);
    const unsigned char *last = NULL;
    unsigned int n = 0;

    while (map_op(BPF_MAP_GET_NEXT_KEY, map->fd, last, next, 0) == 0) {
        memcpy(key, next, map->key_size);
        last = key;
        if (map_op(BPF_MAP_LOOKUP_ELEM, map->fd, key, value, 0) == 0) {
            print_element(map, key, value);
            n++;
        }
    }
    printf("%u elements\n", n);
    free(key);
    free(next);
    free(value);
}
