# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers of checks that say why."""


def whether(condition, *seen):
    """'yes', or 'no' with what was seen instead."""
    return "yes" if condition else "no: " + "; ".join(str(item) for item in seen)


def outcome(answer):
    """'done', or 'refused' with the reason, of a response of the Debug Adapter Protocol."""
    return "done" if answer["success"] else "refused: " + answer.get("message", "without a reason").split("\n")[0]
