"""Docs name what exists: functions, types and tests in tables; paths and links anywhere.

names_test.py     reads the sources as they lie there; nothing has to be built
"""

import unittest

import names


class Tables(unittest.TestCase):
    def test_every_function_type_and_test_exists(self):
        for page in ("docs/paper-map.md", "docs/glossary.md"):
            with self.subTest(page):
                self.assertEqual(names.unresolved_in_tables(names.read(page)), [])


class Pages(unittest.TestCase):
    def test_every_path_exists(self):
        for page in names.docs():
            with self.subTest(page):
                self.assertEqual(names.missing_paths(names.read(page)), [])

    def test_every_link_leads_somewhere(self):
        for page in names.docs():
            with self.subTest(page):
                self.assertEqual(names.broken_links(page, names.read(page)), [])


class TheCheckItself(unittest.TestCase):
    """Each kind of mistake, beside the right name: a check that finds nothing would pass above."""

    def test_finds_functions_that_the_named_file_does_not_have(self):
        row = "| (4) | `coding/lagrange.cc` `model_matrix`, `model_matrjx` | |"
        self.assertEqual([line for line, _ in names.unresolved_in_tables(row)], [1])
        self.assertIn("`model_matrjx`", names.unresolved_in_tables(row)[0][1])
        # A function of another file, a name in a comment only, a word within a longer one.
        self.assertTrue(names.unresolved_in_cell("`quant/fixed_point.cc` `model_matrix`"))
        self.assertTrue(names.unresolved_in_cell("`coding/lagrange.cc` `newest`"))
        self.assertTrue(names.unresolved_in_cell("`coding/lagrange.cc` `model_matri`"))

    def test_finds_overloads_that_do_not_exist(self):
        self.assertEqual(names.unresolved_in_cell("`protocol/client/client.cc` `on(Welcome)`"), [])
        self.assertTrue(names.unresolved_in_cell("`protocol/client/client.cc` `on(Farewells)`"))

    def test_finds_names_without_a_file(self):
        self.assertTrue(names.unresolved_in_cell("`model_matrix`"))
        self.assertTrue(names.unresolved_in_cell("`coding/lagrange.cc`; `model_matrix`"))

    def test_finds_strings_that_the_named_file_does_not_have(self):
        self.assertEqual(names.unresolved_in_cell('`model/central_model.cc`: `"mlp"`'), [])
        self.assertTrue(names.unresolved_in_cell('`model/central_model.cc`: `"nlp"`'))

    def test_finds_tests_that_do_not_exist(self):
        good = "`coding/opening_test.cc` `Open.RecoversSumsOfProductsWhicheverPartiesStraggle`"
        self.assertEqual(names.unresolved_in_cell(good), [])
        self.assertTrue(names.unresolved_in_cell(good.replace("Whichever", "Whoever")))
        # Of another file, and of none at all.
        self.assertTrue(names.unresolved_in_cell(good.replace("opening_test", "lagrange_test")))
        self.assertTrue(names.unresolved_in_cell("`Open.RecoversNothing`"))

    def test_finds_files_that_do_not_exist(self):
        self.assertTrue(names.unresolved_in_cell("`coding/lagrangian.cc`"))
        text = "`tests/no_such_test.cc`, src/fedvs/no/, `docs/{job,nob}.md`, `coding/no_*.h`, docs."
        self.assertEqual([path for _, path in names.missing_paths(text)],
                         ["tests/no_such_test.cc", "src/fedvs/no/", "docs/nob.md", "coding/no_*.h"])

    def test_finds_links_to_no_page_and_no_heading(self):
        text = "# Here, a heading\n[](job.md) [](no.md) [](#here-a-heading) [](#no) [](data.md#no)"
        self.assertEqual([target for _, target in names.broken_links("docs/page.md", text)],
                         ["no.md", "#no", "data.md#no"])


if __name__ == "__main__":
    unittest.main()
