# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what ctest ran: count_cases.py RESULTS < ctest's output prints "PASSED FAILED SKIPPED".

RESULTS is the folder of the GoogleTest programs' results as JSON, one for each of ctest's tests that is such a program;
their cases count. Each other test is one case, as is a program that failed and left no failed case: it crashed."""
import json
import pathlib
import re
import sys


def main():
    passed = failed = skipped = programs = failed_programs = 0
    for path in pathlib.Path(sys.argv[1]).glob("*.json"):
        try:
            suites = json.loads(path.read_text())["testsuites"]
        except (ValueError, KeyError):
            continue
        programs += 1
        cases = [case for suite in suites for case in suite["testsuite"] if case["status"] == "RUN"]
        bad = sum("failures" in case for case in cases)
        out = sum(case["result"] == "SKIPPED" for case in cases)
        passed, failed, skipped = passed + len(cases) - bad - out, failed + bad, skipped + out
        failed_programs += bad > 0
    summary = re.search(r", (\d+) tests failed out of (\d+)$", sys.stdin.read(), re.MULTILINE)
    if not summary:
        print(passed, failed + 1, skipped)
        return
    failed_tests, tests = map(int, summary.groups())
    failed += failed_tests - failed_programs
    passed += tests - programs - (failed_tests - failed_programs)
    print(max(passed, 0), failed, skipped)


if __name__ == "__main__":
    main()
