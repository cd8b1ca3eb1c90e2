/*
 * frame.c - see frame.h. Level -1: 1 makes a kernel's memory a twelfth smaller and takes a quarter
 * longer to unpack, higher ones a sixth, and two to five times as long to pack.
 */
#include "base/frame.h"

#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = -1 };

size_t frame_bound(size_t size)
{
    return ZSTD_compressBound(size);
}

size_t frame_pack(const void *bytes, size_t size, void *to)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    size_t packed;

    if (!z)
        abort(); /* as for any memory: base/alloc.h */
    (void)ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
    (void)ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    packed = ZSTD_compress2(z, to, ZSTD_compressBound(size), bytes, size);
    if (ZSTD_isError(packed))
        abort(); /* there is room, so only memory can be missing */
    ZSTD_freeCCtx(z);
    return packed;
}

bool frame_unpack_with(ZSTD_DCtx *z, const void *frame, size_t frame_size, void *to, size_t size)
{
    return ZSTD_getFrameContentSize(frame, frame_size) == size &&
           ZSTD_findFrameCompressedSize(frame, frame_size) == frame_size &&
           ZSTD_decompressDCtx(z, to, size, frame, frame_size) == size;
}

bool frame_unpack(const void *frame, size_t frame_size, void *to, size_t size)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    bool good = z && frame_unpack_with(z, frame, frame_size, to, size);

    ZSTD_freeDCtx(z);
    return good;
}
