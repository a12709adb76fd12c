"""Who includes whom, as the tables of docs/design/architecture.md say: both are read here.

layers_test.py     reads the sources as they lie there; nothing has to be built
"""

import glob
import os
import re
import unittest

import names

PAGE = "docs/design/architecture.md"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
GENERATED = "fedvs/v1/"  # from proto/, by protoc


def table(text, heading):
    """Rows of the table whose first line begins with `heading`: lists of cells."""
    rows = text[text.index("\n" + heading) + 1:].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]


def spans(cell):
    return names.CODE_SPAN.findall(cell)


def folders_of(text):
    """{folder: those it may include}, in the order of the table."""
    rows = table(text, "| folder |")
    return {spans(first)[0].rstrip("/"): spans(last) for first, _, last in rows}


def rules_of(text, heading):
    """(what, beginnings of headers, beginnings of files)."""
    return [(what, tuple(spans(headers)), tuple(spans(files)))
            for what, headers, files in table(text, heading)]


def all_includes():
    """(file below src/fedvs/, what it includes) of all sources."""
    found = []
    for file in sorted(glob.glob("src/fedvs/**/*.*", root_dir=names.ROOT, recursive=True)):
        if file.endswith((".h", ".cc")):
            short = file.removeprefix("src/fedvs/")
            found += [(short, header) for header in INCLUDE.findall(names.read(file))]
    return found


def room_of(file, folders):
    """The innermost folder of the table that a file below src/fedvs/ lies in."""
    inside = [folder for folder in folders if file.startswith(folder + "/")]
    return max(inside, key=len, default=os.path.dirname(file))


def edges(includes, folders):
    """{(folder, folder that it includes): a file that does}."""
    found = {}
    for file, header in includes:
        if header.startswith("fedvs/") and not header.startswith(GENERATED):
            ends = (room_of(file, folders), room_of(header.removeprefix("fedvs/"), folders))
            if ends[0] != ends[1]:
                found.setdefault(ends, file)
    return found


def cycle(pairs):
    """Folders that include each other, directly or not: one such chain, or none."""
    below = {}
    for upper, lower in pairs:
        below.setdefault(upper, set()).add(lower)

    def walk(path):
        for lower in sorted(below.get(path[-1], ())):
            if lower in path:
                return path[path.index(lower):] + [lower]
            if lower not in done:
                found = walk(path + [lower])
                if found:
                    return found
        done.add(path[-1])
        return []

    done = set()
    for folder in sorted(below):
        found = [] if folder in done else walk([folder])
        if found:
            return found
    return []


def outside(includes, rules):
    """Files with headers that belong to others."""
    return [f"{file} includes {header}, which is for {' '.join(only)} ({what})"
            for what, headers, only in rules for file, header in includes
            if header.startswith(headers) and not file.startswith(only)]


def unwanted(includes, rules):
    return [f"{file} includes {header} ({what})"
            for what, headers, banned in rules for file, header in includes
            if header.startswith(headers) and file.startswith(banned)]


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = names.read(PAGE)
        cls.folders = folders_of(cls.page)
        cls.includes = all_includes()
        cls.edges = edges(cls.includes, cls.folders)

    def test_the_table_has_every_folder(self):
        there = {os.path.dirname(path).removeprefix("src/fedvs/") for path in
                 glob.glob("src/fedvs/*/**/CMakeLists.txt", root_dir=names.ROOT, recursive=True)}
        self.assertEqual(set(self.folders), there)

    def test_the_table_names_low_levels_first(self):
        order = list(self.folders)
        for folder, lower in self.folders.items():
            for one in lower:
                self.assertLess(order.index(one), order.index(folder), f"{folder} and {one}")

    def test_cmake_builds_them_in_an_order_that_the_table_allows(self):
        text = names.read("src/fedvs/CMakeLists.txt")
        order = re.search(r"set\(folders ([^)]*)\)", text).group(1).split()
        self.assertEqual(order, list(self.folders))

    def test_folders_include_those_of_the_table_and_no_others(self):
        for (upper, lower), file in sorted(self.edges.items()):
            self.assertIn(lower, self.folders[upper],
                          f"{file} includes {lower}/, which {PAGE} does not let {upper}/ do")

    def test_the_table_names_none_that_is_not_included(self):
        for upper, allowed in self.folders.items():
            for lower in allowed:
                self.assertIn((upper, lower), self.edges,
                              f"{PAGE} has {lower} beside {upper}/, and nothing there includes it")

    def test_no_folders_include_each_other(self):
        self.assertEqual(cycle(self.edges), [])

    def test_libraries_stay_behind_our_own_types(self):
        rules = rules_of(self.page, "| of | headers that begin with | only in")
        self.assertEqual(outside(self.includes, rules), [])
        for what, headers, _ in rules:  # a rule about nothing would hold for ever
            self.assertTrue(any(header.startswith(headers) for _, header in self.includes), what)

    def test_state_machines_have_no_threads_clocks_or_sockets(self):
        rules = rules_of(self.page, "| of | headers that begin with | not in")
        self.assertEqual(unwanted(self.includes, rules), [])
        for what, headers, _ in rules:
            self.assertTrue(any(header.startswith(headers) for _, header in self.includes), what)


class TheCheckItself(unittest.TestCase):
    """Each kind of mistake: a check that finds nothing would pass above."""

    def test_reads_the_tables(self):
        page = "x\n| folder | holds | includes |\n|---|---|---|\n| `b/` | bees | `a` `c` |\n\nmore"
        self.assertEqual(folders_of(page), {"b": ["a", "c"]})

    def test_reads_includes_however_they_are_spaced(self):
        text = '#include "a.h"\n  #  include <b>\n// #include <c>\n'
        self.assertEqual(INCLUDE.findall(text), ["a.h", "b"])

    def test_sees_who_includes_whom(self):
        includes = [("a/x.h", "fedvs/b/y.h"), ("a/x.h", "fedvs/a/z.h"), ("a/x.h", "vector"),
                    ("a/x.h", "fedvs/v1/party.pb.h")]
        self.assertEqual(edges(includes, ["a", "b"]), {("a", "b"): "a/x.h"})

    def test_a_folder_in_a_folder_is_one_of_its_own(self):
        includes = [("a/x.h", "fedvs/a/b/y.h"), ("a/b/y.h", "fedvs/a/x.h"), ("a/c.h", "fedvs/a/d.h")]
        self.assertEqual(edges(includes, ["a", "a/b"]),
                         {("a", "a/b"): "a/x.h", ("a/b", "a"): "a/b/y.h"})

    def test_finds_cycles_of_any_length(self):
        self.assertEqual(cycle([("a", "b"), ("b", "c"), ("a", "c")]), [])
        self.assertEqual(cycle([("a", "b"), ("b", "a")]), ["a", "b", "a"])
        self.assertEqual(cycle([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]),
                         ["b", "c", "d", "b"])

    def test_finds_headers_that_belong_elsewhere(self):
        rules = [("gRPC", ("grpc/",), ("net/transport/grpc_",))]
        self.assertEqual(outside([("net/transport/grpc_hub.cc", "grpc/log.h")], rules), [])
        self.assertEqual(len(outside([("net/transport/hub.cc", "grpc/log.h")], rules)), 1)
        self.assertEqual(len(outside([("party/grpc_x.cc", "grpc/log.h")], rules)), 1)

    def test_finds_headers_that_are_not_wanted(self):
        rules = [("threads", ("thread",), ("protocol/",))]
        self.assertEqual(unwanted([("party/x.cc", "thread")], rules), [])
        self.assertEqual(len(unwanted([("protocol/x.cc", "thread")], rules)), 1)


if __name__ == "__main__":
    unittest.main()
