# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report of waves, opened in a browser."""
import html.parser
import os
import subprocess
import sys
import tempfile

from stops import Session
from why import whether


class Page(html.parser.HTMLParser):
    """The document as parsed by the browser."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag not in ("meta", "br"):
            self.open.append([tag, attributes, ""])

    def handle_endtag(self, tag):
        while self.open:
            name, attributes, text = self.open.pop()
            self.texts.append((name, text.strip()))
            if self.open:
                self.open[-1][2] += text
            if name == tag:
                break

    def handle_data(self, data):
        if self.open:
            self.open[-1][2] += data

    def all(self, tag):
        return [text for name, text in self.texts if name == tag]

    def count(self, tag, **attributes):
        return sum(name == tag and all(found.get(key) == value for key, value in attributes.items()) for name, found in self.elements)


def look_at(path, folder):
    """The browser's document for the file, and its complaints."""
    result = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                             "--enable-logging=stderr", f"--user-data-dir={folder}/profile", "--dump-dom", "file://" + path],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=150, errors="replace")
    complaints = [line for line in result.stderr.splitlines() if "CONSOLE" in line or "Refused to" in line]
    return Page(result.stdout), complaints


def has(texts, wanted, part=False):
    return whether(any(wanted in text if part else wanted == text for text in texts), f"no '{wanted}' in {texts}")


def report(page, complaints):
    print("complaints", complaints)
    print("scripts", page.count("script"), "images", page.count("img"), "links", page.count("link") + page.count("a"))
    for title in page.all("h1") + page.all("h2"):
        print("title", title)


programs = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    page = os.path.join(folder, "a page.html")
    with Session(f"{programs}/stops-O0") as s:
        print(s.command("wavelane report"))
        s.at("store")
        s.run()
        # The program's own names have angle brackets; so have these values and this expression.
        print(s.command(f"wavelane report '{page}' --variable i --variable '(char)(60 + i % 3) /* <script>alert(1)</script> */' --waves 3 -v nothing")
              .replace(folder, "FOLDER").splitlines()[0])
        seen, complaints = look_at(page, folder)
        report(seen, complaints)
        cells = [text for text in seen.all("td")]
        print("kernel", has(cells, "scale<int>"), has(cells, "0 of 4 workgroups done, 4 running, 0 waiting", part=True))
        print("line", has(cells, "16"), has(cells, "breakpoint"), has(cells, "// store", part=True))
        print("divergence", seen.count("rect", **{"class": "on"}), "on", seen.count("rect", **{"class": "off"}), "off",
              has(cells, "64 of 64"), has(cells, "40 of 64"))
        titles = seen.all("title")
        print("values", titles.count("lane 17: 17"), titles.count("lane 63: 191"), has(titles, "lane 0: '<'"), has(titles, "lane 2: '>'"))
        fills = {attributes.get("fill") for tag, attributes in seen.elements if tag == "rect"}
        print("shades", has(fills, "#440154"), has(fills, "#fde725"))
        print("more", sum("13 more waves not shown" in text for text in seen.all("p")))
        print("error", has(seen.all("pre"), "undeclared identifier 'nothing'", part=True))

        print(s.command("wavelane report /nowhere/out.html"))
        print(s.command(f"wavelane report '{page}' --waves none").splitlines()[0])
        print(s.command("wavelane nothing"))

    # The page doesn't grow with the number of waves.
    os.environ["WAVELANE_CUS"] = "32"
    with Session(f"{programs}/many", "5000") as s:
        s.command("breakpoint set -n many")
        s.run()
        print(s.command(f"wavelane report '{page}' --variable threadIdx.x").split(":")[0])
        with open(page) as file:
            text = file.read()
        print("bounded", whether(len(text) < 1000000, len(text)), whether("960 more waves not shown" in text, text[:2000]))
    del os.environ["WAVELANE_CUS"]

    # Waves at several lines, one at a barrier.
    with Session(f"{programs}/stops-O0", "straggle") as s:
        s.at("last")
        s.run()
        print(s.command(f"wavelane report '{page}'").replace(folder, "FOLDER"))
        seen, complaints = look_at(page, folder)
        report(seen, complaints)
        cells = seen.all("td")
        print("states", sorted(set(cells) & {"breakpoint", "at a barrier", "halted", "running"}))
