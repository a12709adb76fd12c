"""What docs name, and whether the sources have it: paths, functions, types, tests and links."""

import functools
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

CODE_SPAN = re.compile(r"`([^`\n]+)`")
# A path of the repository, wherever it stands: `tests/coding/lagrange_test.cc`, src/fedvs/party/.
PATH = re.compile(r"(?<![\w/.-])(?:src|tests|docs|scripts)/[\w./*{},-]*[\w*/}]")
# A source file as docs call it for short, in backticks: below src/fedvs/ or below tests/.
SHORT_PATH = re.compile(r"[a-z_]+(?:/[\w*]+)+\.(?:h|cc|py)")
TEST_NAME = re.compile(r"([A-Z]\w*)\.([A-Z]\w*)")
# `encode`, `Shape::threshold`, and an overload by the type that it takes: `on(Welcome)`.
CODE_NAME = re.compile(r"((?:[A-Za-z_]\w*::)*)([A-Za-z_]\w*)(?:\(([A-Za-z_]\w*)\))?")
STRING = re.compile(r'"([\w-]+)"')
# Spans that name neither code nor tests: commands, flags, settings of a job, files of a run.
NOT_A_NAME = re.compile(r"fedvs .*|--.*|[a-z_.]+ = .*|[a-z]+\.toml")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def docs():
    """README and every page below docs/, by their paths from the root."""
    pages = glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True)
    return ["README.md", *sorted(pages)]


@functools.lru_cache(maxsize=None)
def code_of(path):
    """A source file without its comments and strings: a name in a comment is not code."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', read(path))
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def sources(path):
    """Header and source that `path` stands for, below src/fedvs/ or tests/."""
    for base in ("src/fedvs/", "tests/"):
        if os.path.isfile(os.path.join(ROOT, base, path)):
            stem = os.path.splitext(base + path)[0]
            return sorted(glob.glob(glob.escape(stem) + ".*", root_dir=ROOT))
    return []


def all_tests():
    return sorted(glob.glob("tests/**/*_test.cc", root_dir=ROOT, recursive=True))


def has_test(files, suite, name):
    macro = re.compile(rf"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*{suite},\s*{name}\b")
    return any(macro.search(code_of(file)) for file in files if file.endswith(".cc"))


def has_code(files, name):
    """Whether all parts of `name` are words of the code; of f(Type), Type as a parameter of f."""
    scopes, last, parameter = CODE_NAME.fullmatch(name).groups()
    code = "\n".join(code_of(file) for file in files)
    words = [*filter(None, scopes.split("::")), last]
    if not all(re.search(rf"\b{word}\b", code) for word in words):
        return False
    return parameter is None or re.search(rf"\b{last}\([^)]*\b{parameter}\b", code) is not None


def unresolved_in_cell(cell):
    """What a cell of the table names in backticks and the sources do not have.

    A name or a "string" belongs to the file before it, up to the next semicolon. A test without a
    file may be anywhere."""
    return [what for part in cell.split(";") for what in unresolved_in_part(part)]


def unresolved_in_part(part):
    wrong, files = [], []
    for span in CODE_SPAN.findall(part):
        test = TEST_NAME.fullmatch(span)
        if SHORT_PATH.fullmatch(span):
            files = sources(span)
            good = bool(files)
        elif test:
            good = has_test(files or all_tests(), *test.groups())
        elif STRING.fullmatch(span):
            good = any(span in read(file) for file in files)
        elif NOT_A_NAME.fullmatch(span):
            good = True
        else:
            good = CODE_NAME.fullmatch(span) is not None and bool(files) and has_code(files, span)
        if not good:
            wrong.append(f"`{span}`" + (f" in {', '.join(files)}" if files else ""))
    return wrong


def unresolved_in_tables(text):
    """(line, what is named and missing) of every row of the tables in `text`."""
    wrong = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("|"):
            for cell in line.split("|"):
                wrong += [(number, what) for what in unresolved_in_cell(cell)]
    return wrong


def alternatives(pattern):
    """a_{b,c}.h as a_b.h and a_c.h."""
    braces = re.search(r"\{([^{}]*)\}", pattern)
    if not braces:
        return [pattern]
    head, tail = pattern[:braces.start()], pattern[braces.end():]
    choices = braces.group(1).split(",")
    return [path for choice in choices for path in alternatives(head + choice + tail)]


def exists(path):
    return bool(glob.glob(os.path.join(ROOT, path)))


def missing_paths(text):
    """(line, path) of every path in `text` that the repository does not have."""
    wrong = []
    for number, line in enumerate(text.splitlines(), start=1):
        for path in PATH.findall(line):
            wrong += [(number, one) for one in alternatives(path) if not exists(one)]
        for span in CODE_SPAN.findall(line):
            inside = span.startswith(("src/", "tests/", "docs/", "scripts/"))
            if SHORT_PATH.fullmatch(span) and not inside and top_folder(span):
                if not any(exists(base + span) for base in ("src/fedvs/", "tests/", "")):
                    wrong.append((number, span))
    return wrong


def top_folder(path):
    """Whether the first folder of `path` is one of ours: others' files are named in docs, too."""
    first = path.split("/")[0]
    bases = ("src/fedvs", "tests", "")
    return any(os.path.isdir(os.path.join(ROOT, base, first)) for base in bases)


def anchors(text):
    """The names that headings get: in small letters, hyphens for spaces, nothing else."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        found.add(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"))
    return found


def broken_links(page, text):
    """(line, target) of every relative link that leads nowhere; `text` is what stands in `page`."""
    wrong = []
    for number, line in enumerate(text.splitlines(), start=1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if target.startswith(("http:", "https:", "mailto:")):
                continue
            path, _, anchor = target.partition("#")
            whole = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if whole != page and not exists(whole):
                wrong.append((number, target))
            elif anchor and anchor not in anchors(text if whole == page else read(whole)):
                wrong.append((number, target))
    return wrong
