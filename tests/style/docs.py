#!/usr/bin/env python3
"""docs.py - files that documents, comments and make files mention exist, links have targets,
and what a source lists its document has.

A name counts when its folder is one of the tree's (guest-kernel/kernel/fork.c), or, in the
emulator and in docs/, one of emu/'s rooms (cpu/blocks/block.c); one with NAME, TARGET, LAYOUT, `*` or `$`
in it is a pattern. Prints `ok - claim` or `not ok - claim` a line; status 0 when all hold.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "emu", "guest", "guest-kernel", "mk", "tests", "tools")
ROOMS = [path.name for path in (ROOT / "emu").iterdir() if path.is_dir()]
ENDINGS = "c|h|S|def|inc|lds|md|mk|py|sh|1|txt"
PATTERN = re.compile("NAME|TARGET|LAYOUT")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def names_below(folders):
    return re.compile(rf"(?<![\w./*${{}}-])((?:{'|'.join(folders)})/[\w./-]+\.(?:{ENDINGS}))(?![\w/*-])")


def texts():
    """Each file that is checked, and its contents."""
    yield from ((ROOT / name, (ROOT / name).read_text()) for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile"))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix.lstrip(".") in ENDINGS.split("|"):
                yield path, path.read_text(errors="replace")


def is_about_the_emulator(path):
    return path.relative_to(ROOT).parts[0] in ("emu", "docs")


def missing_names(path, text):
    found = set(names_below(FOLDERS).findall(text))
    gone = {name for name in found if not (ROOT / name).exists()}
    if is_about_the_emulator(path):
        found = set(names_below(ROOMS).findall(text))
        gone |= {name for name in found if not (ROOT / "emu" / name).exists()}
    return sorted(name for name in gone if not PATTERN.search(name))


def missing_links(path, text):
    if path.suffix != ".md":
        return []
    return [link for link in LINK.findall(text)
            if not link.startswith("http") and not (path.parent / link).exists()]


SECTION_LINK = re.compile(r"\]\(([^)#]*)#([^)]+)\)")


def sections(path):
    """The names by which links know the headings of a document."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", path.read_text(), re.M)}


def missing_sections(path, text):
    if path.suffix != ".md":
        return []
    links = [(path.parent / link if link else path, name) for link, name in SECTION_LINK.findall(text)
             if not link.startswith("http")]
    return [f"{target.name}#{name}" for target, name in links if target.exists() and name not in sections(target)]


# Lists in a source that a document must have, too: the source, the group in it that names
# one (None: the file's own name), the document, and how that writes it.
LISTS = {
    "rules of the auditor": ("emu/ftrace/audit/rules.def", r'^RULE\(\w+, *"([a-z-]+)"',
                             "docs/rules.md", "\n## {}\n"),
    "fields and words of the report": ("emu/ftrace/report/report_json.c", r'"([a-z_]+)"',
                                       "docs/report.md", "`{}"),
    "limits of what is kept": ("emu/ftrace/report/limits.def", r'^LIMIT\((\w+),', "docs/report.md", "`{}_left_out`"),
    "limits of findings": ("emu/ftrace/report/limits.def", r'^FINDINGS_LIMIT\((\w+),', "docs/report.md", "`{}`"),
    "parameters of the boot line": ("guest-kernel/**/*.c", r'^(?:__setup|BOOT_STRING)\("([a-z_]+=?)"',
                                    "docs/guest-kernel.md", "`{}"),
    "reasons of other results of Linux's tests": ("tests/linux/ftracetest-differences.txt", r"\t([^\t\n]+)$",
                                                  "docs/guest-tests.md", "{}"),
    "shares of the cycles in README.md": ("README.md", r"(\d+ % to \d+ %)", "docs/cost.md", "{}"),
    "workloads of bench-speed": ("tools/bench*", r'^    (?:Workload|Growth|Boot)\("([a-z]+)"',
                                 "docs/benchmarks.md", "\n| `{}` |"),
    "fuzz targets": ("tests/fuzz/fuzz_*.c", None, "docs/fuzzing.md", "\n| `{}` |"),
}


def untold(source, group, document, form):
    told = (ROOT / document).read_text()
    if group:
        names = {name for path in ROOT.glob(source)
                 for name in re.findall(group, path.read_text(), re.M)}
    else:
        names = {path.stem.split("_", 1)[1] for path in ROOT.glob(source)}
    if not names:
        return [(ROOT / source, "none found")]
    return [(ROOT / document, name) for name in sorted(names) if not tells(told, form.format(name))]


def tells(text, what):
    """Whether it occurs as a whole word, and not as the beginning of a longer one."""
    return re.search(re.escape(what) + ("" if what.endswith("=") else r"(?!\w)"), text)


# Targets that only other targets need.
INNER_TARGETS = {"all", "help", "tools", "FORCE", "bootstrap-test", "guest-mistakes", "guest-tested",
                 "guest-shared-check"}


def untold_targets():
    """Those of `make help' and those that there are, where they differ."""
    makefile = (ROOT / "Makefile").read_text()
    files = [makefile] + [path.read_text() for path in (ROOT / "mk").glob("*.mk")]
    told = {name for line in re.findall(r"^\t@echo 'make .*", makefile, re.M)
            for name in re.findall(r"['\s;]make ([a-z][a-z-]*)", line)}
    there = {name for text in files for line in re.findall(r"^\.PHONY: (.*)", text, re.M) for name in line.split()
             if "$" not in name} - INNER_TARGETS
    return [(ROOT / "Makefile", name) for name in sorted(told ^ there)]


VERSION = re.compile(r"\b(?:rvftrace|build) (\d+\.\d+)\b")


def old_versions():
    """Samples in documents that name another version of rvftrace than the first heading of CHANGELOG.md."""
    now = re.search(r"^## ([\d.]+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    if not now:
        return [(ROOT / "CHANGELOG.md", "expected a first heading like `## 1.0 (2026-11-27)'")]
    return [(path, f"{found}: now it is {now[1]}") for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*"))]
            if path.is_file() for found in VERSION.findall(path.read_text()) if found != now[1]]


def claim(sentence, missing):
    print(f"{'not ok' if missing else 'ok'} - {sentence}")
    for path, name in missing:
        print(f"# {path.relative_to(ROOT)}: {name}")
    return not missing


def main():
    everything = list(texts())
    good = claim("files that are spoken of are there",
                 [(path, name) for path, text in everything for name in missing_names(path, text)])
    good &= claim("links lead to files",
                  [(path, link) for path, text in everything for link in missing_links(path, text)])
    good &= claim("links to sections lead to headings",
                  [(path, name) for path, text in everything for name in missing_sections(path, text)])
    for what, entry in LISTS.items():
        good &= claim(f"the {what} are in {entry[2]}", untold(*entry))
    good &= claim("the targets of make help are those that there are", untold_targets())
    good &= claim("samples in documents name the version of CHANGELOG.md", old_versions())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
