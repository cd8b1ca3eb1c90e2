"""elf_image.py - writes an ELF of segments, which both machines load and start; with symbols, if there are any."""
import struct

EM_RISCV, HEADER, PROGRAM_HEADER, SECTION_HEADER = 243, 64, 56, 64
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHF_CODE = 1, 2, 3, 6
SECTION_NAMES = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"


def symbol_table(symbols):
    """The contents of .symtab and .strtab. symbols: (name, address, size, st_info) each, all global and in section 1."""
    names, table = bytearray(1), bytearray(24 * (len(symbols) + 1))
    for n, (name, address, size, info) in enumerate(symbols, 1):
        struct.pack_into("<IBBHQQ", table, 24 * n, len(names), info, 0, 1, address, size)
        names += name.encode() + b"\0"
    return bytes(table), bytes(names)


def section(name, kind, flags, address, offset, size, link, info, entry_size):
    return struct.pack("<IIQQQQIIQQ", SECTION_NAMES.find(name), kind, flags, address, offset, size, link, info, 8, entry_size)


def write_image(path, entry, parts, symbols=()):
    """parts: (physical address, bytes) each; readable, writable and executable. With symbols the first part is its .text."""
    data_at = HEADER + PROGRAM_HEADER * len(parts)
    tables_at = data_at + sum(len(data) for _, data in parts)
    table, names = symbol_table(symbols) if symbols else (b"", b"")
    names_at = tables_at + len(table)
    sections_at, count = (names_at + len(names) + len(SECTION_NAMES), 5) if symbols else (0, 0)
    with open(path, "wb") as f:
        f.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, EM_RISCV, 1, entry, HEADER, sections_at, 5, HEADER,
                            PROGRAM_HEADER, len(parts), SECTION_HEADER, count, count - 1 if count else 0))
        offset = data_at
        for at, data in parts:
            f.write(struct.pack("<IIQQQQQQ", 1, 7, offset, at, at, len(data), len(data), 1))
            offset += len(data)
        for _, data in parts:
            f.write(data)
        if symbols:
            text_at, text = parts[0]
            f.write(table + names + SECTION_NAMES + bytes(SECTION_HEADER))
            f.write(section(b".text", SHT_PROGBITS, SHF_CODE, text_at, data_at, len(text), 0, 0, 0))
            f.write(section(b".symtab", SHT_SYMTAB, 0, 0, tables_at, len(table), 3, 1, 24))
            f.write(section(b".strtab", SHT_STRTAB, 0, 0, names_at, len(names), 0, 0, 0))
            f.write(section(b".shstrtab", SHT_STRTAB, 0, 0, names_at + len(names), len(SECTION_NAMES), 0, 0, 0))
