"""Puts the tables of a run into docs/performance.md, between the markers of each, and the chart beside
it."""
import os
import re
import shutil

PAGE, CHART = "docs/performance.md", "docs/images/growth.svg"
PICTURES = {"growth": "\n\n![Measured, and as the paper predicts](images/growth.svg)"}


def fill(pages, header):
    """`pages`: name -> text. What was not measured stays as it is."""
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    for name, table in {**pages, "machine": header}.items():
        block = f"<!-- {name} -->\n```\n{table.strip()}\n```{PICTURES.get(name, '')}\n<!-- /{name} -->"
        text = re.sub(f"<!-- {name} -->.*?<!-- /{name} -->", lambda _, b=block: b, text,
                      flags=re.DOTALL)
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write(text)


def copy_chart(chart):
    os.makedirs(os.path.dirname(CHART), exist_ok=True)
    shutil.copyfile(chart, CHART)
