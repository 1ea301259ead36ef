"""The 'for' statements of a C or C++ file that count a variable up from zero by one."""
import re

HEADER = re.compile(r"""\bfor\s*\(\s*(?:[\w:\s]*?\b)?(?P<name>[A-Za-z_]\w*)\s*(?:=\s*0|\{\s*0?\s*\}|\(\s*0\s*\))[uUlL]*\s*;
    \s*(?P=name)\s*(?:<|!=)\s*(?P<bound>[^;]*?)\s*;
    \s*(?:\+\+\s*(?P=name)|(?P=name)\s*\+\+|(?P=name)\s*\+=\s*1)\s*\)""", re.VERBOSE)


class ForStatement:
    def __init__(self, name, bound, first_line, last_line):
        self.name, self.bound, self.first_line, self.last_line = name, bound, first_line, last_line

    def literal_trip_count(self):
        """The number of iterations where the bound is written as a number, else None."""
        match = re.fullmatch(r"(\d+|0[xX][0-9a-fA-F]+)[uUlL]*", self.bound)
        return int(match[1], 0 if match[1].lower().startswith("0x") else 10) if match else None


def _blanked(text):
    """The text with comments and literals blanked, every line kept."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


def _end_of_statement(text, at):
    """Where the statement that begins there ends: after its brace, or after its semicolon."""
    depth = 0
    for position in range(at, len(text)):
        c = text[position]
        if c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
            if depth <= 0 and c == "}":
                return position
        elif c == ";" and depth == 0:
            return position
    return len(text) - 1


def for_statements(text):
    """Each such statement of the text, in its order."""
    text = _blanked(text)
    constants = {a or b: v for a, b, v in re.findall(
        r"(?:#[ \t]*define[ \t]+(\w+)[ \t]+|(?:\benum\b[^;{]*\{[^}]*?|\bconst(?:expr)?\b[^;={]*?)\b(\w+)\s*=\s*)(\d+)[uUlL]*\b(?!\s*[-+*/])", text)}
    for match in HEADER.finditer(text):
        end = _end_of_statement(text, match.end())
        bound = constants.get(match["bound"], match["bound"])
        yield ForStatement(match["name"], bound, text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end) + 1)
