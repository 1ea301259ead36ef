# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all pages keep to.

Usage: pages.py links FOLDER...   each link leads to a file that is there, and to a heading of it
       pages.py anchors SITE      each link of a page of the site that names a heading leads to one
       pages.py form FILE...      no line of prose is longer than 160 characters, no cell of a table longer than 200
       pages.py names TOP BUILD   docs/settings.md has each setting, docs/environment.md and the manual each variable that the sources read
       pages.py questions FILE    behind each link of the questions' table there is text within a screen's first 24 lines"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import checks_table


def without_code(text):
    return re.sub(r"(?ms)^(`{3,}).*?^\1$", "", text)


def anchors(page):
    """The headings' names in a link, as GitHub and mkdocs make them."""
    names = []
    for heading in re.findall(r"(?m)^#+ (.*)$", without_code(page.read_text())):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).strip().replace(" ", "-")
        names.append(name)
    return names


def dead_links(folder):
    for page in sorted(pathlib.Path(folder).rglob("*.md")):
        if {"node_modules", "build", ".git"} & set(page.parts) or any(part.startswith("build-") for part in page.parts):
            continue
        text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text()))
        for target in re.findall(r"\]\(([^)\s]+)\)|\bsrc(?:set)?=\"([^\"]+)\"", text):
            target = "".join(target)
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = page.parent / name if name else page
            if not file.exists():
                yield f"{page}: {target}: there is no such file"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{page}: {target}: there is no such heading"


class Site(html.parser.HTMLParser):
    """The names that a page of the site can be entered by, and its links."""

    def __init__(self, page):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])


def dead_anchors(folder):
    pages = {page.resolve(): Site(page) for page in pathlib.Path(folder).rglob("*.html")}
    for page, site in pages.items():
        for link in site.links:
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            other = pages.get((page.parent / name).resolve() if name else page)
            if anchor and other and anchor not in other.names:
                yield f"{page.name}: {link}: there is no such heading"


def long_lines(page):
    for number, line in enumerate(re.sub(r"(?ms)^(`{3,}).*?^\1$", lambda found: "\n" * found[0].count("\n"), pathlib.Path(page).read_text()).splitlines(), 1):
        if line.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line)[1:-1]:
                if len(cell.strip()) > 200:
                    yield f"{page}:{number}: a cell has {len(cell.strip())} characters"
        elif len(line) > 160:
            yield f"{page}:{number}: {len(line)} characters"


def settings(build):
    text = subprocess.run([f"{build}/bin/lldb", "--no-lldbinit", "-b", "-o", "settings show plugin.process.amdgpu"], check=True, text=True, stdout=subprocess.PIPE,
                          stdin=subprocess.DEVNULL).stdout
    return dict(re.findall(r"(?m)^plugin\.process\.amdgpu\.([\w-]+) \([\w -]+\) = ?(.*)", text))


def defaults(page):
    """The settings of the page's table, with the value in bold. A cell has values of one setting each, separated by ";", or of all."""
    known = {}
    for names, values in re.findall(r"(?m)^\| ((?:`[\w-]+`(?:, )?)+) \| ([^|]*) \|", page):
        names, parts = re.findall(r"`([\w-]+)`", names), values.split(";")
        for number, name in enumerate(names):
            bold = re.findall(r"\*\*`([^`]*)`\*\*", parts[number] if len(parts) == len(names) else values)
            known[name] = bold[0] if len(bold) == 1 else ""
    return known


def variables(top):
    """The variables of ours that the sources of what is installed read or set."""
    names = set()
    for folder in "source", "Plugins", "tools", "include", "python/wavelane", "utils/annotate_lanes", "editors/vscode/src":
        for file in (top / folder).rglob("*"):
            if file.suffix in (".cpp", ".h", ".py", ".ts"):
                text = file.read_text()
                names.update(re.findall(r"[\"'](WAVELANE_[A-Z_]+)[\"'=]", text))
                names.update(re.findall(r"\b(WAVELANE_[A-Z_]+): '", text))
    # What cmake defines for a header isn't a variable.
    return sorted(names)


def check_names(top, build):
    page = (top / "docs" / "settings.md").read_text()
    known = settings(build)
    for name in known:
        if not re.search(rf"(?m)^\|[^|]*`{name}`", page):
            yield f"docs/settings.md has no '{name}'"
    for name, value in defaults(page).items():
        if name != "library-files" and known.get(name, "").strip('"') != value:
            yield f"docs/settings.md says that the default of '{name}' is '{value}', not '{known.get(name)}'"
    checks, kinds = ([texts[0] for texts in checks_table.entries(what)] for what in ("CHECK", "FINDING"))
    page = (top / "docs" / "checks.md").read_text()
    for name in checks:
        if not re.search(rf"(?m)^- `--check LIST`:.*`{name}`", page):
            yield f"docs/checks.md has no '{name}' among the options"
    for name in checks + kinds:
        if f"`{name}`" not in page:
            yield f"docs/checks.md has no '{name}'"
    page = (top / "docs" / "environment.md").read_text()
    public, _, internal = page.partition("## Internal")
    listed = set(re.findall(r"WAVELANE_[A-Z_]+", page))
    read = variables(top)
    for name in sorted(set(read) - listed):
        yield f"docs/environment.md has no {name}"
    for name in sorted(listed - set(read)):
        yield f"docs/environment.md names {name}, which nothing reads"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{build}/bin/wavelane", "help", "--man", folder], check=True)
        manual = "".join(file.read_text() for file in pathlib.Path(folder).iterdir()).replace("\\-", "-").replace("\\fB", " ")
    for name in sorted(set(re.findall(r"`(WAVELANE_[A-Z_]+)`", public))):
        if not re.search(rf"\b{name}\b", manual):
            yield f"the manual has no {name}"
    for name in re.findall(r"WAVELANE_[A-Z_]+", internal):
        if re.search(rf"\b{name}\b", manual):
            yield f"the manual names {name}, which is internal"
    print(f"{len(known)} settings, {len(read)} variables, {len(kinds)} kinds of findings, ", end="")


def check_questions(page):
    answers = 0
    for row in re.findall(r"(?m)^\|(.*)\|(.*)\|$", page.read_text().partition("## For developers")[0]):
        for target in re.findall(r"\]\(([^)]*)\)", row[1]):
            answers += 1
            name, _, anchor = target.partition("#")
            text = (page.parent / name).read_text()
            if anchor:
                found = [line for line in text.splitlines() if line.startswith("#") and re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-") == anchor]
                text = text[text.index(found[0]):] if found else ""
            if not re.search(r"(?m)^(?![#\s|`!]).{20}|^\| `", "\n".join(text.splitlines()[1:24])):
                yield f"{target}: no answer on its first screen"
    print(f"{answers} answers, ", end="")


def main():
    kind, *names = sys.argv[1:]
    if kind == "names":
        faults = list(check_names(pathlib.Path(names[0]), names[1]))
    elif kind == "questions":
        faults = list(check_questions(pathlib.Path(names[0])))
    else:
        find = {"links": dead_links, "anchors": dead_anchors, "form": long_lines}[kind]
        faults = [fault for name in names for fault in find(name)]
        print(f"{kind}: {len(names)} looked at, ", end="")
    print("\n".join([f"{len(faults)} wrong", *faults]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
