# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each command of `wavelane`, in this folder.

Usage: wavelane_command.py BUILD PROGRAMS"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import stat
import subprocess
import sys

build, programs = sys.argv[1:]
top = pathlib.Path(__file__).resolve().parents[3]
wrong = []


def run(*words, before="", **environment):
    """The exit code and both outputs of `wavelane`, after a shell's command."""
    command = ["/bin/sh", "-c", f'{before} exec "$@"', "sh", f"{build}/bin/wavelane", *words]
    done = subprocess.run(command, text=True, errors="replace", timeout=120, env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def expect(name, result, code, wanted):
    if result[0] == code and re.search(wanted, result[1], re.S):
        print(f"{name}: yes")
    else:
        wrong.append(name)
        print(f"{name}: NO, but: {result[0]} {result[1][:2000]}")


def check_help():
    overview = run("help")[1]
    names = re.findall(r"^  ([\w-]+) ", overview, re.M)
    print("commands:", names)
    for name in names:
        expect(f"help {name}", run("help", name), 0, rf"^usage: wavelane {name} ")
        expect(f"{name} --help", run(name, "--help"), 0, r"(?i)^(usage|overview): ")
    expect("help doctor's option", run("help", "doctor"), 0, r"--json +Prints JSON\n")
    expect("no command", run(), 0, r"^usage: wavelane COMMAND")
    expect("unknown command", run("dokter"), 2, r"^wavelane: error: unknown command 'dokter': wavelane help lists them; did you mean 'doctor'\?\n$")
    expect("unknown topic", run("help", "dokter"), 2, r"^wavelane help: error: unknown command 'dokter': wavelane help lists them; did you mean 'doctor'\?\n$")
    expect("unknown option", run("doctor", "--jsn"), 2, r"Did you mean '--json'")
    expect("version", run("--version"), 0, r"^wavelane \d+\.\d+\.\d+\nlldb \d+\.\d+\.\d+\nrocdbgapi 0\.\d+\.\d+ \(the simulated GPU's\)\n$")
    return names


def completions(shell, line):
    """What a shell proposes for a line."""
    script = pathlib.Path(f"completion.{shell}")
    words = line.split() + ([""] if line.endswith(" ") else [])
    quoted = " ".join(f"'{word}'" for word in words)
    ask = {
        "bash": f"source ./{script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _wavelane; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        "fish": f"source ./{script}; complete -C '{line}'",
    }
    done = subprocess.run([shell, *(["--norc"] if shell == "bash" else ["--no-config"]), "-c", ask[shell]], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "HOME": os.getcwd()})
    return [text.split("\t")[0] for text in done.stdout.splitlines()]


def check_completion(names):
    for shell in "bash", "fish":
        if not shutil.which(shell):
            continue
        pathlib.Path(f"completion.{shell}").write_text(run("help", "--completion", shell)[1])
        for line, wanted in (("wavelane do", ["doctor"]), ("wavelane doctor --j", ["--json"]), ("wavelane check --leak", ["--leak-check"]),
                             ("wavelane help rep", ["report"]), ("wavelane check --check ra", ["race"]), ("wavelane run --runtime am", ["amd"]),
                             ("wavelane compile --gpu gfx110", ["gfx1100", "gfx1101", "gfx1102", "gfx1103"]), ("wavelane help --completion f", ["fish"]), ("wavelane run --schedule ch", ["chaos"]),
                             ("wavelane debug --attach-p", ["--attach-pid"]), ("wavelane dwarf --dir", ["--direct-e9"])):
            have = completions(shell, line)
            expect(f"{shell}: {line}", (0, str(sorted(have))), 0, re.escape(str(wanted)))
        have = completions(shell, "wavelane ")
        expect(f"{shell}: all commands", (0, str(sorted(have))), 0, re.escape(str(sorted(names))))
    if shutil.which("zsh"):
        # A terminal of its own, in which a Tab is typed.
        pathlib.Path("_wavelane").write_text(run("help", "--completion", "zsh")[1])
        script = """
          zmodload zsh/zpty
          zpty it 'zsh -f -i'
          zpty -w it "PS1=; fpath=($PWD \\$fpath); autoload -U compinit; compinit -u -d $PWD/dump; echo READY"
          zpty -r it text '*READY*READY*'
          zpty -n -w it $'wavelane doc\\t--j\\t'
          zpty -r it text '*--json*' && print FOUND
        """
        done = subprocess.run(["zsh", "-f", "-c", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        expect("zsh: wavelane doc<Tab> --j<Tab>", (0, done.stdout), 0, "FOUND")
    expect("an unknown shell", run("help", "--completion", "csh"), 2, "no completion for 'csh': it must be bash, zsh or fish")


def check_file_names():
    """The names of files, by typing a Tab: one has a space and other letters."""
    pathlib.Path("моя программа").write_text("")
    (pathlib.Path("folder") / "inner").mkdir(parents=True, exist_ok=True)
    for shell, start, file in (("bash", ["bash", "--norc", "-i"], "моя\\ программа"), ("fish", ["fish", "--no-config", "-i"], "моя\\ программа")):
        if not shutil.which(shell):
            continue
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(PS1="READY> ", TERM="dumb", HOME=os.getcwd(), LC_ALL="C.UTF-8")
            os.execvp(start[0], start)
        for name, typed, wanted in (("a file", "wavelane run моя\t", file), ("an option's file", "wavelane check --json моя\t", file),
                                    ("a folder", "wavelane run ./fold\t", "./folder/")):
            os.write(terminal, f"\x15source ./completion.{shell}\n".encode() + typed.encode())
            text = b""
            while wanted not in text.decode(errors="replace") and select.select([terminal], [], [], 20)[0]:
                text += os.read(terminal, 65536)
            expect(f"{shell}: {name}", (0, text.decode(errors="replace")), 0, re.escape(wanted))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def check_manual(names):
    code, text = run("help", "--man", "man1")
    pages = sorted(path.name for path in pathlib.Path("man1").iterdir())
    others = ("annotate-lanes", "lldb", "lldb-dap", "lldb-mcp", "lldb-server", "rank")
    expect("manual", (code, str(pages)), 0, re.escape(str(sorted(["wavelane.1", *(f"wavelane-{name}.1" for name in (*names, *others))]))))
    for page in pages:
        sections = re.findall(r"(?m)^\.SH (.*)", pathlib.Path(f"man1/{page}").read_text())
        expect(f"{page} is described", (0, str("DESCRIPTION" in sections or page == "wavelane.1")), 0, "True")
        expect(f"{page}'s sections", (0, str(sections)), 0, r"^\['NAME', 'SYNOPSIS', .*'EXAMPLES', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'SEE ALSO'\]$")
        # Its examples have commands and options that there are.
        for example in re.findall(r"(?m)^\\fB(wavelane[^\\]*(?:\\-[^\\]*)*)\\fR$", pathlib.Path(f"man1/{page}").read_text().partition(".SH EXAMPLES")[2].partition(".SH EXIT")[0]):
            words = example.replace("\\-", "-").split()
            known = names if words[0] == "wavelane" else ()
            expect(f"{page}: {' '.join(words)}", (0, str(words[0] != "wavelane" or words[1] in known)), 0, "True")
    if shutil.which("man") and shutil.which("groff"):
        for page in pages:
            done = subprocess.run(["man", "--warnings", "-l", f"man1/{page}"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "MANWIDTH": "100"})
            expect(f"man {page}", (done.returncode, done.stderr), 0, "^$")
    expect("a folder that can't be made", run("help", "--man", "/proc/man"), 1, "wavelane help: error: /proc/man: ")


def check_usage():
    """A command line that is wrong has the exit code 2, and one line."""
    for words in (("--halp",), ("-x",), ("nosuch",), ("tutorial",), ("why-not", "x.hip"), ("why-not", "x.hip:0", "/bin/true"), ("doctor", "--jsn"), ("report",),
                  ("dwarf", "--frob"), ("help", "nosuch"), ("help", "--man"), ("debug", "--frob", "/bin/true"), ("run", "--frob"), ("check",)):
        expect(f"wavelane {' '.join(words)}", run(*words), 2, r"^wavelane[^\n]*: [^\n]+\n$")
    mcp = f"{build}/bin/wavelane-lldb-mcp"
    for words, code, wanted in (["--help"], 0, "^usage: wavelane-lldb-mcp\n"), (["x"], 2, "unknown argument 'x'"):
        done = subprocess.run([mcp, *words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        expect(f"wavelane-lldb-mcp {words[0]}", (done.returncode, done.stdout), code, wanted)


def check_doctor():
    code, text = run("doctor", "--json")
    reported = json.loads(text)
    expect("doctor --json", (code, str(sorted(check["name"] for check in reported["checks"]))), 0,
           "'compilers', 'debug library', .*'gpu', .*'programs', 'ptrace', 'python'")
    expect("doctor: device libraries", (0, str([check["found"] for check in reported["checks"] if check["name"] == "device libraries"])), 0,
           "without .*gfx1100.*gfx1201")
    expect("doctor --json's keys", (0, str({key for check in reported["checks"] for key in check} | set(reported))), 0, "'found'")
    expect("doctor: no compiler", run("doctor", before="PATH=/nowhere;"), 0,
           r"warning +compilers +no compiler for HIP[^\n]*\n +-> sudo apt-get install clang-19 ")
    expect("doctor: home", run("doctor", HOME="/proc"), 0, r"note +home +/proc can't be written: LLDB keeps no history")
    expect("doctor: no home", run("doctor", before="unset HOME;"), 0, r"note +home +HOME isn't set")
    expect("doctor: TMPDIR", run("doctor", TMPDIR="/nowhere"), 1, r"error +folders +/nowhere can't be written[^\n]*\n +-> set TMPDIR")
    expect("doctor: a mistyped variable", run("doctor", WAVELANE_CU="4", WAVELANE_GUP="gfx90a"), 0,
           r"warning +environment +WAVELANE_CU has no effect: did you mean WAVELANE_CUS\?\n(.*\n)*.*WAVELANE_GUP has no effect: did you mean WAVELANE_PROCESSOR\?\n")
    expect("doctor: a wrong variable", run("doctor", WAVELANE_CUS="four"), 1,
           r"error +environment +WAVELANE_CUS is 'four': it must be a number from 1 to 512\n +-> unset what is wrong, or correct it")
    expect("doctor: addresses", run("doctor", before="ulimit -v 20000000;"), 1, r"error +addresses [^\n]*64 GB\n +-> ulimit -v unlimited")
    expect("doctor: another server", run("doctor", LLDB_DEBUGSERVER_PATH="/bin/true"), 0,
           r"warning +lldb-server +LLDB_DEBUGSERVER_PATH names /bin/true, which knows no waves\n +-> unset LLDB_DEBUGSERVER_PATH")
    expect("doctor: Python", run("doctor", PYTHONHOME="/nowhere"), 1, r"error +programs +LLDB doesn't start: PYTHONHOME is /nowhere, which has no Python 3\.\d+\n +-> unset PYTHONHOME\n")
    wrong_home = r"PYTHONHOME is /nowhere, which has no Python 3\.\d+: unset PYTHONHOME\n"
    expect("debug: PYTHONHOME", run("debug", "--batch", PYTHONHOME="/nowhere"), 127, f"^wavelane-lldb: error: {wrong_home}$")
    expect("report: PYTHONHOME", run("report", f"{programs}/saxpy-O0", PYTHONHOME="/nowhere"), 1, f"^wavelane report: error: {wrong_home}$")
    expect("--version: PYTHONHOME", run("--version", PYTHONHOME="/nowhere"), 0, f"\nlldb can't be started: {wrong_home}rocdbgapi ")
    expect("debug: a right PYTHONHOME", run("debug", "--batch", "-o", "script print(6 * 7)", PYTHONHOME="/usr"), 0, r"\n42\n$")


def check_compile():
    shutil.copy(top / "test/programs/hip/sum.hip", ".")
    shutil.copy(top / "test/programs/hip/check.h", ".")
    expect("compile", run("compile", "sum.hip"), 0, r"^\S*clang\S* -x hip --offload-arch=gfx[^\n]* sum.hip -O0 -o sum -no-hip-rt -lamdhip64\n$")
    expect("what was compiled", run("run", "./sum"), 1, r"^sum: got \d+, want 32640: FAILED\n$")
    expect("compile's own options", run("compile", "--gpu", "gfx1030", "--dry-run", "sum.hip", "-O2", "-o", "a b"), 0,
           r"--offload-arch=gfx1030 .* sum.hip -O2 -o 'a b' -no-hip-rt -lamdhip64\n$")
    expect("compile: the GPUs of an argument", run("compile", "--dry-run", "--offload-arch=gfx1030", "--offload-arch", "gfx906:xnack-", "sum.hip"), 0,
           r"^(?!.*--offload-arch=gfx90a).* sum.hip --offload-arch=gfx1030 --offload-arch gfx906:xnack- ")
    expect("compile: two ways", run("compile", "--dry-run", "--gpu", "gfx1030", "sum.hip", "--offload-arch=gfx906"), 2,
           "--gpu and --offload-arch both name a GPU: use one of them")
    expect("compile: no device library", run("compile", "--dry-run", "sum.hip", "--offload-arch=gfx1201"), 1, "have none for gfx1201: install a newer ROCm")
    pathlib.Path("wrap.hip").write_text('''#include <cstdio>
__global__ void wrap(unsigned *out) { atomicInc(out, 9); atomicDec(out + 1, 9); }
int main() {
  unsigned *out;
  if (hipMallocManaged((void **)&out, 8)) return 1;
  wrap<<<1, 64>>>(out);
  if (hipDeviceSynchronize()) return 1;
  printf("%u %u\\n", out[0], out[1]);
}
''')
    expect("compile: atomicInc", run("compile", "wrap.hip"), 0, "hip5.h")
    # 64 steps in a circle of ten, up and down from 0.
    expect("what was compiled with atomicInc", run("run", "./wrap"), 0, "^4 6\n$")
    expect("compile: what HIP 5 lacks", run("compile", "wrap.hip", "-DatomicInc=cooperative_groups::reduce"), 1, "HIP's headers in /usr/include are version 5")
    expect("compile: an object", run("compile", "--dry-run", "sum.hip", "-c"), 0, r" sum.hip -c -O0\n$")
    expect("compile: the compiler's arguments first", run("compile", "--dry-run", "-O2", "-o", "first.hip", "-DSize=8", "sum.hip", "--gpu=gfx1030"), 0,
           r"--offload-arch=gfx1030 .* sum.hip -O2 -o first.hip -DSize=8 -no-hip-rt -lamdhip64\n$")
    shutil.copy("sum.hip", "plain")
    expect("compile: a file without an ending", run("compile", "plain"), 1, "the program would replace its source plain: name it with -o")
    expect("compile: it is still there", (0, pathlib.Path("plain").read_text()), 0, "__global__")
    expect("compile: only options", run("compile", "-O2"), 2, "no source file given: wavelane compile saxpy.hip")
    expect("compile: no file", run("compile", "none.hip"), 1, "wavelane compile: error: there is no file none.hip")
    expect("compile: nothing", run("compile"), 2, "no source file given: wavelane compile saxpy.hip")
    expect("compile: unknown GPU", run("compile", "--gpu", "gfx1", "sum.hip"), 1, "unknown GPU 'gfx1': wavelane run --help lists")
    expect("compile: no compiler", run("compile", "sum.hip", before="PATH=/nowhere;"), 1, "no compiler for HIP: sudo apt-get install clang-19 ")
    expect("compile: an error", run("compile", "sum.hip", "-DSize=+"), 1, "error: expected")


def check_runs():
    saxpy = f"{programs}/saxpy-O0"
    expect("run", run("run", saxpy), 0, "saxpy: PASSED")
    expect("check", run("check", "./sum"), 1, r"Race in local memory.*sum.hip:9:11.* findings ")
    expect("check: one", run("check", "--check", "memory", "./sum"), 1, "0 findings")
    expect("check: one, in a word", run("check", "--check=memory", "./sum"), 1, "0 findings")
    expect("check: the program's own --check", run("check", "--json", "found.json", "./sum", "--check", "memory"), 1, "Race in local memory")
    expect("run: a slip", run("run", "--devce", "gfx90a", "./sum"), 2, r"unknown option --devce, did you mean --device\? wavelane-run --help describes")
    expect("run: a runtime's slip", run("run", "--runtime", "amdd", "./sum"), 2, r"must be auto, amd or wavelane; did you mean 'amd'\?")
    # The option that follows another one's value isn't the program's.
    expect("check: behind a value", run("check", "--max", "5", "--check", "race", "./sum"), 1, r"\(race: 1\)")
    expect("run: a word for a flag", run("run", "--count=1", "./sum"), 2, "unknown option --count=1")
    expect("count", run("count", saxpy), 0, r"saxpy\.hip:13")
    expect("dwarf", run("dwarf", "disassemble", "91 2c"), 0, r"^DW_OP_fbreg 44\n$")
    expect("debug", run("debug", "--batch", "-o", "run", "--", saxpy), 0, "saxpy: PASSED")
    expect("debug: no standard input", run("debug", "-o", "breakpoint set -n saxpy", "-o", "run", saxpy, before="exec <&-;"), 0, "15 more waves are stopped")
    expect("doctor: no standard output", run("doctor", before="exec >&-;"), 0, "^$")
    expect("debug: nothing there", run("debug", "./nothing"), 1, "^wavelane debug: error: there is no program ./nothing\n$")
    expect("check: nothing there", run("check", "./nothing"), 127, "^wavelane-run: cannot run ./nothing: No such file or directory\n$")
    expect("check: findings that can't be written", run("check", "--json", "/nowhere/found.json", saxpy), 126, "^wavelane-run: cannot write /nowhere/found.json: [^\n]*\n$")
    expect("check --help", run("check", "--help"), 0, "^usage: wavelane check ")
    for name, options, text in (("run", ["--nonsense"], "unknown option --nonsense"), ("check", [], "no program given"), ("count", ["--cus", "x"], "--cus must be a number"),
                                ("run", ["--device"], "--device needs a value")):
        expect(f"{name} {options}", run(name, *options), 2, rf"^wavelane-run: {text}[^\n]*; wavelane-run --help describes the options\n$")
    expect("doctor: a wrong option", run("doctor", "--nonsense"), 2, "^wavelane doctor: Unknown command line argument '--nonsense'.  Try: 'wavelane doctor --help'[^\n]*\n$")
    expect("help: a wrong option", run("help", "--nox"), 2, "^wavelane help: [^\n]* Try: 'wavelane help --help'\n$")
    for words, text in ((["dwarf", "--nonsense"], "wavelane-dwarf: Unknown command line argument '--nonsense'.  Try: 'wavelane-dwarf --help'"),
                        (["dwarf", "nonsense"], "wavelane-dwarf: Unknown subcommand 'nonsense'.  Try: 'wavelane-dwarf --help'"),
                        (["dwarf", "check", "--idd", "x", "y"], "wavelane-dwarf: Unknown command line argument '--idd'.  Try: 'wavelane-dwarf --help'  Did you mean '--id'?"),
                        (["dwarf", "eval"], "wavelane-dwarf: Not enough positional command line arguments specified: "
                         "Must specify at least 1 positional argument.  Try: 'wavelane-dwarf --help'"),
                        (["report", "--output", "x"], "wavelane report: Unknown command line argument '--output'.  Try: 'wavelane report --help'  Did you mean '-o'?"),
                        (["report", "-o"], "wavelane report: for the -o option: requires a value.  Try: 'wavelane report --help'"),
                        (["debug", "--nonsense", saxpy], "wavelane debug: error: unknown option --nonsense; wavelane debug --help describes the options, and the program's own follow --"),
                        (["debug", "--bach", saxpy],
                         "wavelane debug: error: unknown option --bach, did you mean --batch? wavelane debug --help describes the options, and the program's own follow --"),
                        (["debug", "-b", saxpy, "-o"], "wavelane debug: error: -o needs a value; wavelane debug --help describes the options")):
        expect(" ".join(words), run(*words), 2, f"^{re.escape(text)}\n$")
    expect("debug: the program's own option", run("debug", "--batch", "--", saxpy, "--nonsense"), 0, r'target.run-args +"--nonsense"\n$')
    shutil.copy("sum", "own-sum")
    expect("run: without a folder", run("run", "own-sum"), 127, "^wavelane-run: cannot run own-sum: write ./own-sum\n$")
    expect("check: without a folder", run("check", "own-sum"), 127, "^wavelane-run: cannot run own-sum: write ./own-sum\n$")
    expect("run: not in PATH", run("run", "nothing"), 127, "^wavelane-run: cannot run nothing: it isn't in PATH\n$")
    expect("run: nothing there", run("run", "./nothing"), 127, "wavelane-run: cannot run ./nothing: No such file or directory")


def check_report():
    expect("report", run("report", "-o", "a page.html", "--break", "saxpy.hip:13", "--variable", "i", f"{programs}/saxpy-O0"), 0, "^wrote a page.html\n$")
    expect("its page", (0, pathlib.Path("a page.html").read_text()), 0, "saxpy.hip:13.*Values of <code>i</code>")
    expect("report: a fault", run("report", f"{programs}/faults-O0", "violation"), 0, "^wrote wavelane.html\n$")
    expect("report: its page", (0, pathlib.Path("wavelane.html").read_text()), 0, "memory violation")
    expect("report: no fault", run("report", "-o", "none.html", f"{programs}/saxpy-O0"), 1, "ended without a fault: --break FILE:LINE says where")
    expect("report: never there", run("report", "-o", "none.html", "--break", "saxpy.hip:99", f"{programs}/saxpy-O0"), 1, "never stopped at saxpy.hip:99")
    expect("report: no program", run("report", "./nothing"), 1, "./nothing: No such file or directory")
    expect("report: where nothing can be written", run("report", "-o", "/nowhere/p.html", "--break", "saxpy", f"{programs}/saxpy-O0"), 1, "can't write /nowhere/p.html: No such file or directory")
    if os.getuid() == 0:
        # As /dev/full is; whoever isn't root can't replace it.
        os.mknod("full", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        expect("report: a full device", run("report", "-o", "full", "--break", "saxpy", f"{programs}/saxpy-O0"), 1, "can't write full: No space left on device")
        expect("report: it stays one", (0, str(stat.S_ISCHR(os.lstat("full").st_mode))), 0, "True")
    expect("no pages", (0, str(pathlib.Path("none.html").exists())), 0, "False")


names = check_help()
check_completion(names)
check_file_names()
check_manual(names)
check_usage()
check_doctor()
check_compile()
check_runs()
check_report()
print(f"{len(wrong)} wrong")
