"""pmp.py - physical memory protection as the manual has it (vol. II, 3.7), for the model of mmutest.py, and entries at random."""
R, W, X, L = 1, 2, 4, 0x80
OFF, TOR, NA4, NAPOT = (n << 3 for n in range(4))
MATCHING, ENTRIES, CFG_BYTES = 3 << 3, 16, 8
ADDRESS = (1 << 54) - 1
MACHINE = 3
EVERYTHING = (ADDRESS, NAPOT | R | W | X)
PERMISSIONS = (0, R, R | W, X, R | X, R | W | X)


class Mixed(Exception):
    """Several entries decide about the bytes of an access that a machine may make in parts."""


class Pmp:
    """The registers, and what they permit."""

    def __init__(self):
        self.address, self.cfg = [0] * ENTRIES, [0] * ENTRIES
        self.address[0], self.cfg[0] = EVERYTHING  # as mmu.S begins a program

    def span(self, n):
        """The bytes [from, to) that an entry matches."""
        address, kind = self.address[n], self.cfg[n] & MATCHING
        if kind == TOR:
            return (self.address[n - 1] if n else 0) << 2, address << 2
        if kind == NA4:
            return address << 2, (address << 2) + 4
        if kind == NAPOT:
            size = (address ^ address + 1) + 1
            return (address & ~(size - 1)) << 2, (address & ~(size - 1)) + size << 2
        return 0, 0

    def deciding(self, begin, end):
        """The first entry that matches any of the bytes, and whether it matches all; (None, True): none does."""
        for n in range(ENTRIES):
            first, last = self.span(n)
            if first < end and begin < last:
                return n, first <= begin and end <= last
        return None, True

    def is_mixed(self, pa, size):
        """Whether not one entry, or none, decides about all of the bytes."""
        return len({self.deciding(at, at + 1)[0] for at in range(pa, pa + size)}) > 1

    def permits(self, pa, size, bit, mode, may_split=False):
        """Whether the access may be made. bit: R, W or X. may_split: it is misaligned, or a fetch."""
        n, whole = self.deciding(pa, pa + size)
        if may_split and self.is_mixed(pa, size):
            raise Mixed
        if n is None:
            return mode == MACHINE
        return whole and bool(self.cfg[n] & bit or mode == MACHINE and not self.cfg[n] & L)

    def splits(self, area):
        """Whether an entry ends within eight bytes of the area, which no access of eight bytes may then touch."""
        return any(at % 8 and area[0] <= at < area[0] + area[1] for n in range(ENTRIES) for at in self.span(n))

    def with_entry(self, n, address, cfg):
        """Another one, with that entry."""
        other = Pmp()
        other.address, other.cfg = list(self.address), list(self.cfg)
        other.address[n], other.cfg[n] = address, cfg
        return other

    # ---- registers ----

    def is_locked(self, n):
        """Whether pmpaddr n keeps its value: its entry is locked, or is the base of one."""
        above = self.cfg[n + 1] if n + 1 < ENTRIES else 0
        return bool(self.cfg[n] & L or above & L and above & MATCHING == TOR)

    def write_address(self, n, value):
        """csrw pmpaddr n; what is read then."""
        if not self.is_locked(n):
            self.address[n] = value & ADDRESS
        return self.address[n]

    def read_cfg(self, half):
        """pmpcfg0 (half 0) or pmpcfg2."""
        return int.from_bytes(bytes(self.cfg[half * CFG_BYTES:(half + 1) * CFG_BYTES]), "little")

    def write_cfg(self, half, value):
        """csrw pmpcfg0 (half 0) or pmpcfg2; what is read then. W without R is reserved: W is then 0."""
        for n, wanted in enumerate(value.to_bytes(CFG_BYTES, "little"), half * CFG_BYTES):
            wanted &= L | MATCHING | R | W | X
            if not wanted & R:
                wanted &= ~W
            if not self.cfg[n] & L:
                self.cfg[n] = wanted
        return self.read_cfg(half)


# ---- at random ----

def random_address(r, areas, kind):
    """A pmpaddr whose range, of that kind, has to do with one of the areas: (physical address, bytes) each."""
    base, size = r.choice(areas)
    page = base + r.randrange(size // 4096) * 4096
    if kind == NAPOT:
        bits = r.choice((3, 3, 4, 6, 9, 11, 12, 12, 12, 13, 16, 21, 30))
        return (page + r.randrange(4096) >> bits << bits) >> 2 | (1 << bits - 3) - 1
    return page + r.choice((0, 0, r.randrange(4096), r.randrange(0, 4096, 8))) >> 2


def random_cfg(r, for_qemu):
    """A byte of pmpcfg that is not locked."""
    cfg = r.choice((OFF, TOR, NA4, NAPOT, NAPOT, NAPOT)) | r.choice(PERMISSIONS)
    if not for_qemu and not r.randrange(8):  # reserved bits, and W without R
        cfg |= r.choice((W, 0x20, 0x40, 0x60))
    return cfg


def spoils(pmp, n, area):
    """Whether the entry, locked, would be in the way of M mode outside of the area."""
    first, last = pmp.span(n)
    return first < area[0] or last > area[0] + area[1]
