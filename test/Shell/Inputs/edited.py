# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HIP code from clang's assembly with changes: debug information of other compilers, or wrong debug information."""
import os
import re
import subprocess

BITCODE = os.path.join(os.environ["WAVELANE_BUILD"], "test", "programs", "bitcode")


def run(*words):
    subprocess.run(words, check=True)


def compile_gpu(source, gpu, *flags):
    """The assembly of the GPU's part."""
    return subprocess.run(("clang++-19", "-x", "hip", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", "-w",
                           "--cuda-device-only", f"--offload-arch={gpu}", *flags, "-S", source, "-o", "-"),
                          check=True, capture_output=True, text=True).stdout


def make_code(gpu, assembly, out, *after_link):
    """Makes the code object `out`; commands of `after_link` change it: it is their word {}."""
    with open(out + ".s", "w") as file:
        file.write(assembly)
    run("clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-c", out + ".s", "-o", out + ".o")
    run("ld.lld-19", "-shared", out + ".o", "-o", out)
    for command in after_link:
        run(*(out if word == "{}" else word for word in command))
    return out


def build(source, gpu, assembly, out):
    """Makes the program `out` of the source's host part and of GPU code."""
    code = make_code(gpu, assembly, out + ".co")
    run("clang-offload-bundler-19", "-type=o", "-bundle-align=4096", "-input=/dev/null", "-input=" + code,
        f"-targets=host-x86_64-unknown-linux--,hipv4-amdgcn-amd-amdhsa--{gpu}", f"-output={out}.hipfb")
    run("clang++-19", "-x", "hip", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", "-w", "--cuda-host-only",
        f"--offload-arch={gpu}", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", out + ".hipfb", source, "-o", out,
        "-lamdhip64")
    return out


def replace(text, pattern, new, count=0):
    """Like re.sub, but no match, or fewer than `count`, is an error."""
    text, found = re.subn(pattern, new, text, count=count, flags=re.MULTILINE)
    if not found:
        raise SystemExit(f"the compiler's assembly has no {pattern}")
    return text
