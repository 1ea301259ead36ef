# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the processor stops a program at its debug registers, which some virtual machines don't let it do."""
import ctypes
import os
import signal

TRACEME, POKEUSER, CONT = 0, 6, 7
DEBUG_REGISTERS = 848  # offsetof(struct user, u_debugreg)
WRITE_OF_FOUR_BYTES = 1 | 0xD << 16


def work():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    watched = ctypes.c_int(0)
    child = os.fork()
    if child == 0:
        libc.ptrace(TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        watched.value = 1
        os._exit(0)
    os.waitpid(child, 0)
    for register, value in (0, ctypes.addressof(watched)), (7, WRITE_OF_FOUR_BYTES):
        libc.ptrace(POKEUSER, child, DEBUG_REGISTERS + 8 * register, value)
    libc.ptrace(CONT, child, None, None)
    _, status = os.waitpid(child, 0)
    if not os.WIFSTOPPED(status):
        return False
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return os.WSTOPSIG(status) == signal.SIGTRAP
