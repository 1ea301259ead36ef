# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an example shows, compared with what a program prints. Only process ids, addresses, hosts and the user's folder may differ."""
import re


def pattern(line):
    """A line of an example as a pattern."""
    text = re.escape(" ".join(line.split()))
    text = re.sub(r"0x[0-9a-f]{6,16}", "0x[0-9a-f]+", text)
    text = re.sub(r"\br\d+\b", r"r\\d+", text)  # which register a compiler takes
    text = re.sub(r"Process\\ \d+", r"Process\\ \\d+", text)
    text = re.sub(r"^(\d+\\ )\w+\\ \d+(?=\\ (stopped|ended))", r"\1\\S+\\ \\d+", text)  # a rank's host and process
    text = text.replace("/data/", r"/\S*/")  # a user's folder
    # Checks that have found nothing.
    if text.find(r",\ \.\.\.\)") >= 0:
        text = re.sub(r"\w+:\\ [1-9]", lambda found: r"(?:\w+:\ 0,\ )*" + found[0], text).replace(r",\ \.\.\.\)", r"(?:,\ \w+:\ 0)*\)")
    return re.compile(text)


def fault(shown, real, may_say_more):
    """What is wrong, or None: each line shown must appear, and no others except those of a process that starts or ends, and where "..." stands."""
    left = [line for line in (" ".join(line.split()) for line in real) if line]
    left_out = False
    for line in filter(str.strip, shown):
        if line.strip() == "...":
            left_out = True
            continue
        found = next((i for i, other in enumerate(left) if pattern(line).fullmatch(other)), None)
        if found is None:
            return f"doesn't print '{line}', but {left}"
        if left_out:
            del left[:found]
            found, left_out = 0, False
        if not may_say_more and found != 0:
            return f"prints '{left[0]}' before '{line}'"
        del left[found]
    if left_out:
        return None
    if may_say_more:
        left = [line for line in left if not re.match(r"Process \d+ |Target \d+: ", line)]
    return f"also prints {left}" if left else None


def split(lines, prompt):
    """The commands after the prompt, each with the lines below it."""
    parts = []
    for line in lines:
        if line.startswith(prompt):
            parts.append((line[len(prompt):], []))
        elif parts:
            parts[-1][1].append(line)
    return parts
