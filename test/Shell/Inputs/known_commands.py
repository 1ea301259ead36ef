# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks whether this lldb has a command named in a text, with its options."""
import re
import shlex

import lldb


class Commands:
    # Those that Wavelane adds.
    GROUPS = ("gpu",), ("thread", "lane"), ("dwarf",), ("job",), ("rank",), ("wavelane",)

    def __init__(self, debugger):
        self.interpreter = debugger.GetCommandInterpreter()
        self.helps = {}

    def run(self, command):
        result = lldb.SBCommandReturnObject()
        self.interpreter.HandleCommand(command, result)
        return result.Succeeded(), (result.GetOutput() or "") + (result.GetError() or "")

    def help(self, words):
        """The help text of the command, or None."""
        name = " ".join(words)
        if name not in self.helps:
            good, text = self.run("help " + name)
            self.helps[name] = text if good and "not a known command" not in text else None
            alias = re.search(rf"^'{re.escape(name)}' is an abbreviation for '([a-z -]+)'$", text, re.M)
            if alias and self.helps[name]:
                self.helps[name] = self.help(alias[1].split())
        return self.helps[name]

    @staticmethod
    def subcommands(text):
        """The subcommands listed by a help text."""
        _, marker, rest = text.partition("The following subcommands are supported:")
        return re.findall(r"^ {2,8}([a-z][-a-z]*) +--", rest, re.M) if marker else []

    def leaves(self, *words):
        """The given command and all below it, as words and help text."""
        text = self.help(words)
        yield words, text
        for name in self.subcommands(text or ""):
            yield from self.leaves(*words, name)

    def added(self):
        """The commands that Wavelane adds, without their groups."""
        leaves = [(words, text) for group in self.GROUPS for words, text in self.leaves(*group)]
        names = [" ".join(words) for words, text in leaves if not self.subcommands(text or "")]
        return names + re.findall(r"(?m)^  (reverse-[a-z]+) +--", self.run("help")[1])

    def leaf(self, words):
        """The words that name the command, and what is wrong with them, or None."""
        name, text = (words[0],), self.help(words[:1])
        if text is None:
            return name, f"no command '{words[0]}'"
        while names := self.subcommands(text):
            if len(words) == len(name):
                return name, f"'{' '.join(words)}' is a group of commands"
            name += (words[len(name)],)
            if name[-1] not in names:
                return name, f"no command '{' '.join(name)}'"
            text = self.help(name)
        return name, None

    def fault(self, command):
        """What is wrong with the command, or None."""
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        if not words:
            return "no command"
        name, why = self.leaf(words)
        if why:
            return why
        text, rest = self.help(name), words[len(name):]
        if name == ("settings", "set") or name == ("settings", "show"):
            good, text = self.run("settings show " + rest[0])
            return None if good and text.startswith(rest[0]) else f"no setting '{rest[0]}'"
        for word in rest:
            if word == "--":
                break
            if re.fullmatch(r"--[a-z][-a-z]*", word):
                if not re.search(re.escape(word) + r"\b(?!-)", text):
                    return f"'{' '.join(name)}' has no option {word}"
            elif re.fullmatch(r"-[a-zA-Z]", word) and not re.search(r"(?<![-\w])\[?" + word + r"\b|^\S+ .*\[-\w*" + word[1], text, re.M):
                return f"'{' '.join(name)}' has no option {word}"
        return None
