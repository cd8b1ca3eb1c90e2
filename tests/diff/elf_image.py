"""elf_image.py - writes an ELF of segments alone, which both machines load and start."""
import struct

EM_RISCV, HEADER, PROGRAM_HEADER = 243, 64, 56


def write_image(path, entry, parts):
    """parts: (physical address, bytes) each; readable, writable and executable."""
    with open(path, "wb") as f:
        offset = HEADER + PROGRAM_HEADER * len(parts)
        f.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, EM_RISCV, 1, entry, HEADER, 0, 5, HEADER, PROGRAM_HEADER,
                            len(parts), 64, 0, 0))
        for at, data in parts:
            f.write(struct.pack("<IIQQQQQQ", 1, 7, offset, at, at, len(data), len(data), 1))
            offset += len(data)
        for _, data in parts:
            f.write(data)
