# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a file against SARIF 2.1.0's rules for all that a report uses, and that a fault in it would be noticed.

The numbers of sections are those of the OASIS standard. Each object has its properties, what they must be, and which are required;
another name is an error, as in the standard's JSON schema.
Usage: sarif_rules.py FILE
"""
import copy
import json
import re
import sys
from urllib.parse import urlsplit


def text(v):
    return isinstance(v, str) and v != ""


def number(least):
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= least


def uri(v):
    # RFC 3986: what isn't allowed is escaped.
    return isinstance(v, str) and re.fullmatch(r"([\w\-.~!$&'()*+,;=:@/?#\[\]]|%[0-9A-F]{2})+", v, re.A) is not None and urlsplit(v) is not None


LEVELS = ("none", "note", "warning", "error")
MESSAGE = {"text": (text, True)}  # 3.11
ARTIFACT = {"uri": (uri, True)}  # 3.4
REGION = {"startLine": (number(1), True), "startColumn": (number(1), False), "snippet": (MESSAGE, False)}  # 3.30
PHYSICAL = {"artifactLocation": (ARTIFACT, True), "region": (REGION, False)}  # 3.29
LOGICAL = {"fullyQualifiedName": (text, True)}  # 3.33
LOCATION = {"physicalLocation": (PHYSICAL, True), "logicalLocations": ([LOGICAL], False), "message": (MESSAGE, False)}  # 3.28
BAG = lambda v: isinstance(v, dict) and all(isinstance(key, str) for key in v)  # 3.8
RESULT = {"ruleId": (text, True), "ruleIndex": (number(0), True), "level": (lambda v: v in LEVELS, True), "message": (MESSAGE, True),
          "locations": ([LOCATION], False), "relatedLocations": ([LOCATION], False), "occurrenceCount": (number(1), False),
          "properties": (BAG, False)}  # 3.27
RULE = {"id": (text, True), "shortDescription": (MESSAGE, True), "properties": (BAG, False)}  # 3.49
DRIVER = {"name": (text, True), "rules": ([RULE], True)}  # 3.19
RUN = {"tool": ({"driver": (DRIVER, True)}, True), "results": ([RESULT], True)}  # 3.14
LOG = {"$schema": (uri, False), "version": (lambda v: v == "2.1.0", True), "runs": ([RUN], True)}  # 3.13


def problems(value, rule, at="log"):
    if callable(rule):
        return [] if rule(value) else [f"{at}: {value!r}"]
    if isinstance(rule, list):
        if not isinstance(value, list):
            return [f"{at}: not an array"]
        found = [p for i, v in enumerate(value) for p in problems(v, rule[0], f"{at}[{i}]")]
        # "uniqueItems" of the schema.
        seen = [json.dumps(v, sort_keys=True) for v in value]
        return found + ([f"{at}: the same twice"] if len(set(seen)) < len(seen) and "relatedLocations" not in at else [])
    if not isinstance(value, dict):
        return [f"{at}: not an object"]
    found = [f"{at}.{name}: unknown" for name in value if name not in rule]
    for name, (inner, required) in rule.items():
        if name in value:
            found += problems(value[name], inner, f"{at}.{name}")
        elif required:
            found.append(f"{at}.{name}: missing")
    return found


def whole(log):
    found = problems(log, LOG)
    if found:
        return found
    for i, run in enumerate(log["runs"]):
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        if len(set(rules)) < len(rules):
            found.append(f"runs[{i}]: two rules of one id")
        for j, result in enumerate(run["results"]):
            if result["ruleIndex"] >= len(rules) or rules[result["ruleIndex"]] != result["ruleId"]:
                found.append(f"runs[{i}].results[{j}]: ruleIndex isn't that of {result['ruleId']}")  # 3.27.6
    return found


def faults(log):
    """The log with one fault each."""
    changes = [
        lambda log: log.update(version="2.0"), lambda log: log.update(more=1), lambda log: log.pop("runs"),
        lambda log: log["runs"][0]["results"][0].pop("message"),
        lambda log: log["runs"][0]["results"][0].update(ruleIndex=1 + log["runs"][0]["results"][0]["ruleIndex"]),
        lambda log: log["runs"][0]["results"][0].update(level="fatal"),
        lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
        lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b"),
    ]
    for change in changes:
        changed = copy.deepcopy(log)
        change(changed)
        yield changed


with open(sys.argv[1]) as file:
    log = json.load(file)
for problem in whole(log):
    print(problem)
print("results:", sum(len(run["results"]) for run in log["runs"]))
print("unnoticed faults:", sum(not whole(changed) for changed in faults(log)))
