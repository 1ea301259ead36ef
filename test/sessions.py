# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions as lit runs them: over our debug library, or over the one that WAVELANE_DBGAPI_LIBRARY names.

Over another library, AMD's, sessions that use none or one of their own are left out, and what can't work over it is
unsupported, as amd-library.exceptions says."""
import fnmatch
import os
import lit.Test
import lit.formats

OVER_ANOTHER = bool(os.environ.get("WAVELANE_DBGAPI_LIBRARY"))
NO_LIBRARY = ["build-*.test", "lldb-patches.test", "manual.test", "pages.test", "update-lldb.test", "check-init.test", "check-memory.test", "check-race.test", "check-sync.test", "check-wait.test", "cpu-lanes-*", "dwarf-expression.test", "explicit-simd.test", "gpu-cores-fatal.test", "hardware-device.test", "installed.test", "notebook.test",
              "python-package-cpu.test", "python-style.test", "run-*", "site.test", "wavelane-command.test"]
TOP = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(TOP, "amd-library.exceptions")) as lines:
    EXCEPTIONS = dict(line.rstrip("\n").split("\t") for line in lines if not line.startswith("#"))


def unknown():
    """Exceptions that no session has as its name."""
    return [name for name in EXCEPTIONS
            if name.endswith(".test") and not os.path.exists(os.path.join(TOP, "Shell", name))]


# A loaded machine can change the order of what processes print, or make one slow, so a session that fails runs again.
# lit distinguishes it from one that passes at once ("Passed With Retry"). One that hangs takes minutes, so it runs again once.
ATTEMPTS = {lit.Test.FAIL: 3, lit.Test.TIMEOUT: 2}


class Sessions(lit.formats.ShTest):
    def getTestsInDirectory(self, *arguments):
        for test in super().getTestsInDirectory(*arguments):
            if not OVER_ANOTHER or not any(fnmatch.fnmatch(test.path_in_suite[-1], name) for name in NO_LIBRARY):
                yield test

    def execute(self, test, lit_config):
        reason = EXCEPTIONS.get("/".join(test.path_in_suite[1:]))
        if OVER_ANOTHER and reason:
            return lit.Test.Result(lit.Test.UNSUPPORTED, reason)
        attempt, result = 1, super().execute(test, lit_config)
        while result.code in ATTEMPTS:
            lit_config.note(f"attempt {attempt} of {test.getFullName()}:\n{result.output}")
            if attempt >= ATTEMPTS[result.code]:
                break
            attempt, result = attempt + 1, super().execute(test, lit_config)
        if attempt > 1 and result.code == lit.Test.PASS:
            result.code = lit.Test.FLAKYPASS
        return result
