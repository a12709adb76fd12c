"""How much one has to keep in mind at once: no file of protocol/, drive/ and party/ is long, and no
class there has many data members.

sizes_test.py      reads the sources as they lie there; nothing has to be built
"""

import glob
import re
import unittest

import names

FOLDERS = ("protocol", "drive", "party")
MOST_LINES = 250
MOST_MEMBERS = 15
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^\s*#[^\n]*',
                   re.DOTALL | re.MULTILINE)
HEAD = re.compile(r"\b(enum\s+)?(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)(?:<[^;{]*>)?"
                  r"(?:\s+final)?(?:\s*:[^;{()]*)?\s*\{")
NO_MEMBER = re.compile(r"(using|typedef|static|friend|template|enum|class|struct|union)\b")
TYPE = re.compile(r"(class|struct|union|enum)\b[^{;]*\{\s*\}")
LABEL = re.compile(r"^\s*(?:public|private|protected)\s*:(?!:)")
CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


def plain(text):
    """Without comments, strings and preprocessor lines."""
    return NOISE.sub(" ", text)


def end_of(text, start):
    """Where the bracket that opens at `start` is closed."""
    opening, closing, depth = text[start], CLOSING[text[start]], 0
    for at in range(start, len(text)):
        depth += (text[at] == opening) - (text[at] == closing)
        if depth == 0:
            return at
    return len(text)


def without_templates(text):
    """Up to a `=`, where `<` need not be a bracket any more."""
    out, at = "", 0
    while at < len(text) and text[at] != "=":
        if text[at] == "<":
            at = end_of(text, at)
        else:
            out += text[at]
        at += 1
    return out + text[at:at + 1]


def is_function(statement):
    return "(" in without_templates(statement).replace("alignas(", "") or "operator" in statement


def statements(body):
    """Declarations of a class's body, without what is in round brackets and in braces."""
    text, at = "", 0
    while at < len(body):
        letter = body[at]
        if letter in "({":
            at = end_of(body, at)
            text += letter + CLOSING[letter]
        elif letter != ";":
            text += letter
        text = LABEL.sub("", text)
        if letter == ";" or (letter == "{" and is_function(text)):
            yield text.strip()
            text = ""
        at += 1


def declared(statement):
    """Names of the data members that it declares."""
    statement = TYPE.sub("", statement).strip()  # a member may be declared behind its type
    if not statement or NO_MEMBER.match(statement) or is_function(statement):
        return []
    found, text, at = [], "", 0
    while at <= len(statement):
        letter = statement[at] if at < len(statement) else ","
        if letter == "<" and "=" in text:
            text += " "
        elif letter in CLOSING:
            text += letter
            at = end_of(statement, at)
        elif letter == ",":
            name = re.match(r"[^={(\[]*?(\w+)\s*(?:$|[={(\[]|:(?!:))", text.strip())
            found += [name.group(1)] if name else []
            text = ""
        else:
            text += letter
        at += 1
    return found


def classes(text):
    """(name, data members) of all classes and structs, those in others, too."""
    text = plain(text)
    for head in HEAD.finditer(text):
        if not head.group(1):
            opening = head.end() - 1
            body = text[opening + 1:end_of(text, opening)]
            yield head.group(2), [name for one in statements(body) for name in declared(one)]


def sources():
    for folder in FOLDERS:
        for file in sorted(glob.glob(f"src/fedvs/{folder}/**/*.*", root_dir=names.ROOT,
                                     recursive=True)):
            if file.endswith((".h", ".cc")):
                yield file, names.read(file)


class Sizes(unittest.TestCase):
    def test_no_file_is_long(self):
        lengths = {file: text.count("\n") for file, text in sources()}
        self.assertTrue(lengths)
        self.assertEqual({file: lines for file, lines in lengths.items() if lines > MOST_LINES}, {})

    def test_no_class_has_many_data_members(self):
        counts = {f"{file} {name}": len(members)
                  for file, text in sources() for name, members in classes(text)}
        self.assertTrue(counts)
        self.assertEqual({name: n for name, n in counts.items() if n > MOST_MEMBERS}, {})


class TheCheckItself(unittest.TestCase):
    def members(self, body, kind="class"):
        return dict(classes(f"{kind} It final : public That {{\n{body}\n}};"))["It"]

    def test_a_class_with_one_too_many_is_found(self):
        body = " public:\n  It();\n\n private:\n"
        body += "".join(f"  std::map<int, long> member{n}_;\n" for n in range(MOST_MEMBERS + 1))
        self.assertEqual(len(self.members(body)), MOST_MEMBERS + 1)

    def test_members_are_counted_however_they_are_declared(self):
        self.assertEqual(self.members("const That& a_; std::unique_ptr<B> b_;"), ["a_", "b_"])
        self.assertEqual(self.members("bool a_ = false, b_ = f(1, 2), c_{};"), ["a_", "b_", "c_"])
        self.assertEqual(self.members("std::function<void(int, int)> a_;"), ["a_"])
        self.assertEqual(self.members("std::function<int()> a_ = [] { int x; return 1; };"), ["a_"])
        self.assertEqual(self.members("Boxes<Event> a_{kRoom, 2};  // b_;"), ["a_"])
        self.assertEqual(self.members("std::vector<int> a_[kParts];"), ["a_"])
        self.assertEqual(self.members('std::string a_ = "b_; c_";'), ["a_"])
        self.assertEqual(self.members("mutable std::mutex a_;"), ["a_"])
        self.assertEqual(self.members("int from = 0, to = 0;", kind="struct"), ["from", "to"])

    def test_functions_types_and_constants_are_not_counted(self):
        self.assertEqual(self.members("int a(int b_) const { return b_ + c_; }\nint d_;"), ["d_"])
        self.assertEqual(self.members("explicit It(int a) : a_(a), b_(1) { c_ = 2; }"), [])
        self.assertEqual(self.members("Status f(int a_ = 3, That b_ = {}) override = 0;"), [])
        self.assertEqual(self.members("bool operator==(const It&) const = default;"), [])
        self.assertEqual(self.members("using A = B<C>; friend class D; struct E;"), [])
        self.assertEqual(self.members("static constexpr int kA = 1, kB = 2; enum class F { g, h };"),
                         [])
        self.assertEqual(self.members("template <class T>\n Status take(T&&) { int a_; }"), [])
        self.assertEqual(self.members("~It() override;\n protected:\n int a_;"), ["a_"])

    def test_members_of_a_class_in_a_class_are_its_own(self):
        found = dict(classes("class A {\n struct B {\n int c, d;\n };\n B e_;\n};"))
        self.assertEqual(found, {"A": ["e_"], "B": ["c", "d"]})
        found = dict(classes("struct A {\n struct B {\n int c = 0, d;\n } e, f = {};\n};"))
        self.assertEqual(found, {"A": ["e", "f"], "B": ["c", "d"]})

    def test_enumerations_and_forward_declarations_are_no_classes(self):
        self.assertEqual(list(classes("enum class A { kB, kC };\nclass D;\nstruct E;")), [])


if __name__ == "__main__":
    unittest.main()
