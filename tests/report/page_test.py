"""Pages of a run and of a comparison, in headless Chromium. Screenshots stay for people to look at.

page_test.py REPORT_SAMPLES FOLDER     exit status 77: Chromium is not installed
"""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import browser

SAMPLES, FOLDER = sys.argv[1:3]
METHODS = ["fedvs", "fedvs-paper", "wait", "ignore", "vafl", "wait-dp"]
PARKINSON = "#fig2-parkinson .plot"
TIMELINE = ".timeline .plot"
CTRL = 2  # in DevTools' modifiers


def words():
    with open(os.path.join(os.path.dirname(__file__), "page_words.js"), encoding="utf-8") as file:
        return file.read()


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([SAMPLES, FOLDER], check=True)
        cls.page = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.__exit__()

    def tearDown(self):
        self.assertEqual(self.page.complaints(), [])

    def open(self, name, width=1280, height=900, phone=False, scheme="light"):
        self.page.media(scheme=scheme)
        self.page.screen(width, height, phone)
        self.page.open(os.path.join(FOLDER, name + ".html"))
        self.page.evaluate(words() + "0")

    def js(self, expression):
        value = self.page.evaluate(expression)
        self.page.settle()
        return value

    def shot(self, name, whole=True):
        self.page.screenshot(os.path.join(FOLDER, name + ".png"), whole)

    def point(self, what, across, down):
        left, top, width, height = self.js(f"box_of('{what}')")
        return left + across * width, top + down * height

    def hover(self, what, across, down):
        x, y = self.point(what, across, down)
        for step in (2, 1, 0):  # a hand does not jump
            self.page.mouse("mouseMoved", x - step, y)
            self.page.settle()

    def press(self, button, root="document"):
        self.js(f"press({root}, '{button}')")

    def drag(self, what, begin, end):
        self.page.mouse("mousePressed", *self.point(what, *begin), button="left", buttons=1)
        for share in (0.5, 1):
            at = [a + share * (b - a) for a, b in zip(begin, end)]
            self.page.mouse("mouseMoved", *self.point(what, *at), button="left", buttons=1)
        self.page.mouse("mouseReleased", *self.point(what, *end), button="left")
        self.page.settle()

    def double_click(self, what, across, down):
        at = self.point(what, across, down)
        for count in (1, 2):
            self.page.mouse("mousePressed", *at, button="left", buttons=1, clickCount=count)
            self.page.mouse("mouseReleased", *at, button="left", clickCount=count)
        self.page.settle()

    def test_every_chart_of_a_comparison_has_a_line_a_shade_and_a_button_for_every_method(self):
        self.open("comparison")
        self.shot("comparison-light")
        drawn = self.js("plots().map((one) => [curves(one).length, shades(one).length])")
        self.assertEqual(drawn, [[len(METHODS), len(METHODS)]] * 3)
        self.assertEqual(self.js("legend_names()"), [METHODS] * 3)

    def test_a_method_has_one_colour_in_all_charts_and_no_other_method_has_it(self):
        self.open("comparison")
        colours = self.js("plots().map(strokes)")
        self.assertEqual(colours, [colours[0]] * 3)
        self.assertEqual(len(set(colours[0])), len(METHODS))

    def test_the_x_axis_switches_in_one_chart_or_in_all(self):
        self.open("comparison")
        has = "plots().map((one) => labels(one).includes('{}'))".format
        self.press("rounds", "chart('fig2-caltech7')")
        self.assertEqual(self.js(has("rounds")), [False, True, False])
        self.press("MB per client", "document.querySelector('.bar')")
        self.assertEqual(self.js(has("MB per client")), [True] * 3)
        pressed = "all('.chart .choice [aria-pressed=true]').map((button) => button.textContent)"
        self.assertEqual(self.js(pressed), ["MB per client", "linear"] * 3)

    def test_the_x_scale_switches(self):
        self.open("comparison")
        before = self.js("ticks_of('fig2-emnist')")
        self.press("log", "document.querySelector('.bar')")
        self.assertNotEqual(self.js("ticks_of('fig2-emnist')"), before)
        self.shot("comparison-log")

    def test_a_series_goes_and_comes_back(self):
        self.open("comparison")
        drawn = "plots().map((one) => [curves(one).length, shades(one).length])"
        self.press("wait", "chart('fig2-parkinson')")
        self.assertEqual(self.js(drawn), [[5, 5], [6, 6], [6, 6]])
        self.press("wait", "chart('fig2-parkinson')")
        self.assertEqual(self.js(drawn), [[6, 6]] * 3)

    def test_hovering_tells_the_values_of_all_series(self):
        self.open("comparison")
        self.hover(PARKINSON, 0.25, 0.6)
        tip = self.js("tip()")
        for wanted in ["virtual time, s:", "ended", *METHODS]:
            self.assertIn(wanted, tip)
        self.shot("comparison-hover", whole=False)

    def test_dragging_zooms_and_a_double_click_undoes_it(self):
        self.open("comparison")
        before = self.js("ticks_of('fig2-parkinson')")
        self.drag(PARKINSON, (0.2, 0.5), (0.4, 0.7))
        self.assertNotEqual(self.js("ticks_of('fig2-parkinson')"), before)
        self.double_click(PARKINSON, 0.4, 0.7)
        self.assertEqual(self.js("ticks_of('fig2-parkinson')"), before)

    def test_the_wheel_zooms_with_ctrl_and_else_scrolls_the_page(self):
        self.open("comparison")
        at = self.point(PARKINSON, 0.3, 0.5)
        before = self.js("ticks_of('fig2-parkinson')")
        self.page.mouse("mouseWheel", *at, deltaX=0, deltaY=-300, modifiers=CTRL)
        self.page.settle()
        zoomed = self.js("ticks_of('fig2-parkinson')")
        self.assertNotEqual(zoomed, before)
        self.page.mouse("mouseWheel", *at, deltaX=0, deltaY=-100)
        self.page.settle()
        self.assertEqual(self.js("ticks_of('fig2-parkinson')"), zoomed)

    def test_a_run_has_accuracy_loss_and_a_timeline_that_is_painted(self):
        self.open("run")
        self.shot("run-light")
        self.assertEqual(self.js("plots().map((one) => curves(one).length)"), [1, 2])
        painted = self.js("painted_colours()")
        for name in ("answered", "late"):
            wanted = self.js(f"theme_colour('{name}')")
            channels = (str(int(wanted[i : i + 2], 16)) for i in (1, 3, 5))
            self.assertIn(",".join(channels), painted)

    def test_the_timeline_tells_about_a_round_and_about_many(self):
        self.open("run")
        self.hover(TIMELINE, 0.5, 0.12)
        self.assertRegex(self.js("tip(timeline())"), r"client \d+, round \d+\n.*\nits upload")
        self.shot("run-hover", whole=False)
        self.press("all", "timeline()")
        self.hover(TIMELINE, 0.6, 0.12)
        self.assertRegex(self.js("tip(timeline())"), r"rounds \d+ – \d+\n.*\n.*open \d+ of these")

    def test_the_timeline_moves_by_its_buttons(self):
        self.open("run")
        self.hover(TIMELINE, 0.5, 0.12)
        before = self.js("tip(timeline())")
        self.press("\u25b6", "timeline()")
        self.hover(TIMELINE, 0.5, 0.12)
        self.assertNotEqual(self.js("tip(timeline())"), before)

    def test_thousands_of_rounds_of_128_clients_are_shown(self):
        self.open("large")
        self.press("all", "timeline()")
        self.shot("large-all")
        self.hover(TIMELINE, 0.95, 0.75)
        self.assertRegex(self.js("tip(timeline())"), r"client 1\d\d, rounds 2[89]\d\d – ")

    def test_phones_scroll_down_only(self):
        for name in ("comparison", "run"):
            for width in (320, 360):
                with self.subTest(page=name, width=width):
                    self.open(name, width, 740, phone=True)
                    self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width)
            self.shot(f"{name}-phone")

    def test_dark_follows_the_system_and_the_button(self):
        self.open("run", scheme="dark")
        self.shot("run-dark")
        dark = self.js("[ground(), strokes(plots()[0])]")
        self.js("chart('theme').click()")
        light = self.js("[ground(), strokes(plots()[0])]")
        self.assertNotEqual(light[0], dark[0])
        self.assertNotEqual(light[1], dark[1])
        self.open("run", scheme="light")
        self.assertEqual(self.js("[ground(), strokes(plots()[0])]"), light)
        self.js("chart('theme').click()")
        self.assertEqual(self.js("[ground(), strokes(plots()[0])]"), dark)
        self.assertEqual(self.js("curves(plots()[0]).length"), 1)  # redrawn in the new colour

    def test_paper_is_white_without_buttons_and_charts_fit_it(self):
        widths = "plots().map((one) => one.querySelector('svg').getBoundingClientRect().width)"
        for name in ("comparison", "run"):
            self.open(name, scheme="dark")
            self.page.media("print", "dark")
            self.assertEqual(self.js("ground()"), "rgb(255, 255, 255)")
            self.assertEqual(self.js("visible('.tools button, .choice, #theme')"), 0)
            self.assertLessEqual(max(self.js(widths)), 680)  # px, A4 within its margins
            self.page.media(scheme="dark")
            self.page.pdf(os.path.join(FOLDER, f"{name}.pdf"))

    def test_every_button_and_chart_has_a_name(self):
        for name in ("comparison", "run"):
            self.open(name)
            self.assertEqual(self.js("nameless('button, .plot')"), 0)

    def test_what_a_job_says_stays_text(self):
        self.open("comparison")
        settings = self.js("document.querySelector('#settings pre').textContent")
        self.assertIn("</script><script>alert(1)", settings)
        self.assertEqual(self.js("document.scripts.length"), 2)

    def test_odd_reports_are_shown_too(self):
        # One evaluation, a series on one axis only, no series, no ages, models left out, no rounds.
        self.open("odd")
        self.shot("odd")
        self.assertEqual(self.js("plots().length"), 2)
        self.press("rounds", "chart('lonely')")
        self.press("log", "chart('lonely')")
        self.press("log", "chart('empty')")
        self.assertEqual(self.js("all('.timeline').length"), 2)
        self.assertIn("left out", self.js("timeline().innerText"))


if __name__ == "__main__":
    if browser.program() is None:
        print("skipped: Chromium is not installed (apt-get install chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
