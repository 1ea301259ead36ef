"""A HIP program whose GPU code is clang's assembly, changed by a function: debug information of other compilers, or wrong."""
import os
import re
import subprocess

BITCODE = os.path.join(os.environ["WAVELANE_BUILD"], "test", "programs", "bitcode")


def run(*words):
    subprocess.run(words, check=True)


def compile_gpu(source, gpu, *flags):
    """The assembly of the GPU's part."""
    return subprocess.run(("clang++-19", "-x", "hip", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", "-w",
                           "--cuda-device-only", f"--offload-arch={gpu}", "-g", *flags, "-S", source, "-o", "-"),
                          check=True, capture_output=True, text=True).stdout


def build(source, gpu, assembly, out, *after_link):
    """Makes `out` of the source's host part and of GPU code; commands of `after_link` change its file, called {}."""
    with open(out + ".s", "w") as file:
        file.write(assembly)
    code = out + ".co"
    run("clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-c", out + ".s", "-o", out + ".o")
    run("ld.lld-19", "-shared", out + ".o", "-o", code)
    for command in after_link:
        run(*(code if word == "{}" else word for word in command))
    run("clang-offload-bundler-19", "-type=o", "-bundle-align=4096", "-inputs=/dev/null," + code,
        f"-targets=host-x86_64-unknown-linux--,hipv4-amdgcn-amd-amdhsa--{gpu}", f"-output={out}.hipfb")
    run("clang++-19", "-x", "hip", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", "-w", "--cuda-host-only",
        f"--offload-arch={gpu}", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", out + ".hipfb", source, "-o", out,
        "-lamdhip64")
    return out


def replace(text, pattern, new, count=0):
    """Like re.sub, but what isn't there is an error; also where fewer than `count` are."""
    text, found = re.subn(pattern, new, text, count=count, flags=re.MULTILINE)
    if not found:
        raise SystemExit(f"the compiler's assembly has no {pattern}")
    return text
