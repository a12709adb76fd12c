"""Figures by gnuplot: whole files, with the series in them.

figure_file_test.py REPORT_SAMPLES FOLDER     exit status 77: gnuplot is not installed
"""

import os
import shutil
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

SAMPLES, FOLDER = sys.argv[1:3]
METHODS = ["fedvs", "fedvs-paper", "wait", "ignore", "vafl", "wait-dp"]


class FigureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([SAMPLES, FOLDER, "--figures"], check=True)

    def test_the_svg_is_well_formed_and_names_title_axes_and_series(self):
        root = xml.parse(os.path.join(FOLDER, "time.svg")).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        texts = root.iter("{http://www.w3.org/2000/svg}text")
        words = ["".join(text.itertext()).strip() for text in texts]
        hostile = "</script><script>alert(1)</script><!-- & 'quoted' \"twice\""
        for wanted in [*METHODS, "virtual time, s", "test accuracy, %", hostile]:
            self.assertIn(wanted, words)

    def test_every_method_has_its_colour_for_the_line_and_the_shade(self):
        with open(os.path.join(FOLDER, "time.svg"), encoding="utf-8") as file:
            text = file.read().lower()
        for colour in ("#0057b8", "#2f97d6", "#b97a00", "#00875f", "#d1490c", "#a83a86"):
            red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
            both = text.count(colour) + text.count(f"rgb({red:3d}, {green:3d}, {blue:3d})") \
                + text.count(f"rgb( {red}, {green}, {blue})")
            self.assertGreaterEqual(both, 2, colour)

    def test_the_png_is_a_png_of_the_size_meant(self):
        with open(os.path.join(FOLDER, "rounds.png"), "rb") as file:
            head = file.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", head[16:24]), (1440, 900))


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("skipped: gnuplot is not installed (apt-get install gnuplot-nox)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
