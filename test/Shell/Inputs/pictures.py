# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the pictures of docs/pictures.md in a folder, light and dark: a terminal's session as SVG, a report's page as PNG.

Usage: pictures.py BUILD FOLDER DOCUMENTED
DOCUMENTED has the pictures that the page shows: prints which are missing there, and whose text is another one now.
Debian's python3-rich draws the terminal, chromium the page."""
import io
import pathlib
import re
import subprocess
import sys
import tempfile

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI
from rich.text import Text

SESSION = ("breakpoint set -f saxpy.hip -l 13", "run", "thread lane list --grid", "thread lane select 17", "frame variable i t")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options).stdout


def session(build, folder):
    """README's session with its colors, as a terminal gets it; in the tutorial's folder."""
    words = [build / "bin" / "wavelane", "debug", "--no-lldbinit", "-b"]
    for command in SESSION:
        words += ["-o", command]
    text = run(*words, "-O", "settings set use-color true", "--", "./saxpy", cwd=folder)
    text = text[text.index("breakpoint set"):].partition("\n(lldb) quit")[0]
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("Process ") or " launched: " not in line)
    return Text.from_ansi("(lldb) " + text.strip())


def draw(text, file, is_dark):
    console = Console(record=True, width=130, file=io.StringIO())
    console.print(text)
    svg = console.export_svg(title="wavelane debug ./saxpy", theme=DIMMED_MONOKAI if is_dark else DEFAULT_TERMINAL_THEME, unique_id="session")
    # Without a font of the network, and with a name for those who don't see it.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S).replace("Fira Code", "monospace")
    file.write_text(svg)


def words(file):
    """A picture's text, without addresses and the numbers of processes."""
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>|<defs>.*?</defs>", "", file.read_text(), flags=re.S))
    return re.sub(r"0x[0-9a-f]+|Process&#160;\d+|Process \d+", "_", " ".join(text.split()))


def terminal(build, folder, out):
    text = session(build, folder)
    for name, is_dark in ("light", False), ("dark", True):
        draw(text, out / f"session-{name}.svg", is_dark)


def report(build, folder, out):
    page = pathlib.Path(folder) / "report.html"
    run(build / "bin" / "wavelane", "report", "-o", page, "--break", "saxpy.hip:13", "--variable", "t", "./saxpy", cwd=folder)
    for name, words in ("light", []), ("dark", ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]):
        run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1120,1100", f"--user-data-dir={folder}/profile-{name}",
            *words, f"--screenshot={out}/report-{name}.png", page.as_uri())


def main():
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run(build / "bin" / "wavelane", "tutorial", folder)
        terminal(build, folder, out)
        report(build, folder, out)
    kept = pathlib.Path(sys.argv[3])
    print(*sorted(file.name for file in out.iterdir() if file.stat().st_size > 1000))


    print("missing:", [file.name for file in out.iterdir() if not (kept / file.name).exists()])
    print("out of date:", [file.name for file in out.glob("*.svg") if (kept / file.name).exists() and words(file) != words(kept / file.name)])


if __name__ == "__main__":
    main()
