/*
 * selfpatch.c - a hart patches its own code, with (-DFENCE) and without fence.i.
 *
 * Without it the hart may run the code that it has fetched before: rvftrace does that unless
 * --fetch says otherwise; QEMU always runs the new version.
 */
#include "version.h"
#include "virt.h"

int main(void)
{
    put_number("before: version", version());
    VERSION_WORD = LI_A0_2;
#ifdef FENCE
    fence_i();
#endif
    put_number("after: version", version());
    return 0;
}
