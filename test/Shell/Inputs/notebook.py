# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a notebook with Jupyter's nbconvert, and reads the HTML of its cells as a browser does.

Usage: notebook.py PROGRAMS PAGE FOLDER
  PAGE   has the first cell."""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys

programs, folder = sys.argv[1], pathlib.Path(sys.argv[3])
(first,) = re.findall(r"^```python\n(.*?)\n```", pathlib.Path(sys.argv[2]).read_text(), re.M | re.S)
cells = [first.replace("./saxpy", programs + "/saxpy-O0"), "wave = session.gpu.wave((3, 0, 0), 3)\nwave", 'wave.values("i")', 'wave.values("(char)(60 + i % 3) /* <b>no</b> */")', "session.close()"]
notebook = {"cells": [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": cell} for cell in cells],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 4}
(folder / "lanes.ipynb").write_text(json.dumps(notebook))
done = subprocess.run(["/usr/bin/jupyter-nbconvert", "--to", "notebook", "--execute", "--output", "out.ipynb", "lanes.ipynb"], cwd=folder, text=True,
                      env={**os.environ, "HOME": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)},
                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150)
if done.returncode:
    sys.exit(done.stdout)


class Table(html.parser.HTMLParser):
    """The caption and the cells of a table, which must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.caption, self.cells, self.tags = [], "", [], set()
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "td":
            self.cells.append({**dict(attributes), "text": ""})

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] == "caption":
            self.caption += data
        elif self.open[-1] == "td":
            self.cells[-1]["text"] += data


results = json.loads((folder / "out.ipynb").read_text())["cells"]
shown, wave, values, chars = (Table("".join(output["data"]["text/html"])) for cell in results for output in cell["outputs"] if "data" in output)


def shade(cell):
    return re.search(r"rgb\([^)]*\)", cell["style"])[0]


print(f"page: {shown.caption}, {len(shown.cells)} cells")
print(f"wave: {wave.caption}, {len(wave.cells)} cells, {sum('#2a9d55' in cell['style'] for cell in wave.cells)} green, "
      f"focus {sum('outline' in cell['style'] for cell in wave.cells)}")
print("hint:", wave.cells[5]["title"])
print("inactive:", wave.cells[63]["title"])
print(f"values: {values.caption}: {len(values.cells)} cells, {values.cells[0]['text']} to {values.cells[-1]['text']}, "
      f"shades from {shade(values.cells[0])} to {shade(values.cells[39])}, inactive {shade(values.cells[63])} in {values.cells[63]['style'].rsplit('color:')[-1]}")
print(f"escaped: {chars.caption}, markup {len(chars.tags - {'table', 'caption', 'tr', 'th', 'td'})}")
