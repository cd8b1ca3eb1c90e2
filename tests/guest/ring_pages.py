"""ring_pages.py - entries out of the pages that per_cpu/cpuN/trace_pipe_raw gives.

The layout is Linux's sub-buffer; guest-kernel/include/linux/ring_buffer.h has the names used here.
"""
import collections
import struct

PAGE, HEADER = 4096, 16
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
TRACE_FN, TRACE_GRAPH_RET, TRACE_GRAPH_ENT = 1, 10, 11
MISSED_EVENTS, MISSED_STORED, COMMIT_MASK = 1 << 31, 1 << 30, 0xfffff

# kind: "fn", "entry", "return". time: of the clock, ns.
Entry = collections.namedtuple("Entry", "kind cpu time pid flags ip parent depth calltime rettime")


def entry_of(cpu, time, data):
    """None: of a type that is no call."""
    kind, flags, _, pid = struct.unpack_from("<HBBi", data)
    if kind == TRACE_FN:
        ip, parent = struct.unpack_from("<QQ", data, 8)
        return Entry("fn", cpu, time, pid, flags, ip, parent, None, None, None)
    if kind == TRACE_GRAPH_ENT:
        ip, depth = struct.unpack_from("<Qi", data, 8)
        return Entry("entry", cpu, time, pid, flags, ip, None, depth, None, None)
    if kind == TRACE_GRAPH_RET:
        ip, _, depth, _, calltime, rettime = struct.unpack_from("<QQiIQQ", data, 8)
        return Entry("return", cpu, time, pid, flags, ip, None, depth, calltime, rettime)
    return None


def entries_of_page(cpu, page):
    time, commit = struct.unpack_from("<QQ", page)
    at, end = HEADER, HEADER + (commit & COMMIT_MASK)
    while at < end:
        word, = struct.unpack_from("<I", page, at)
        type_len, delta = word & 31, word >> 5
        if type_len == PADDING:
            if not delta:
                return
            at += 4 + struct.unpack_from("<I", page, at + 4)[0]
            time += delta
            continue
        if type_len >= TIME_EXTEND:
            high, = struct.unpack_from("<I", page, at + 4)
            time = (high << 27) + delta + (time if type_len == TIME_EXTEND else 0)
            at += 8
            continue
        time += delta
        if type_len:
            data, size = at + 4, 4 * type_len
        else:
            data, size = at + 8, struct.unpack_from("<I", page, at + 4)[0] - 4
        entry = entry_of(cpu, time, page[data:data + size])
        if entry:
            yield entry
        at = data + size


def missed_of(raw):
    """How many events the pages say were lost before them; None: some, but not how many."""
    missed = 0
    for start in range(0, len(raw), PAGE):
        commit, = struct.unpack_from("<Q", raw, start + 8)
        if commit & MISSED_STORED:
            missed += struct.unpack_from("<Q", raw, start + HEADER + (commit & COMMIT_MASK))[0]
        elif commit & MISSED_EVENTS:
            return None
    return missed


def entries_of(cpu, raw):
    """All entries of a hart's pages, in the order in which they were written."""
    if len(raw) % PAGE:
        raise ValueError(f"cpu {cpu}: {len(raw)} bytes are no whole pages")
    return [entry for start in range(0, len(raw), PAGE)
            for entry in entries_of_page(cpu, raw[start:start + PAGE])]
