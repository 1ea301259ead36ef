# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much of a device's memory the kernel would write into this process's core, after 40 MiB were allocated and 20 of them freed. usage: dumped_memory.py RUNTIME"""
import ctypes
import re
import sys

hip = ctypes.CDLL(sys.argv[1])


def dumped():
    """MiB of the device's memory in a core, and outside."""
    sizes = {False: 0, True: 0}
    with open("/proc/self/smaps") as file:
        for mapping in re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", file.read()):
            if re.match(r".*/memfd:wavelane", mapping):
                sizes["dd" not in re.search(r"VmFlags:(.*)", mapping)[1].split()] += int(re.search(r"Size: *(\d+) kB", mapping)[1]) // 1024
    return sizes[True], sizes[False] > 50000


pointers = [ctypes.c_void_p(), ctypes.c_void_p()]
for pointer in pointers:
    assert hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(20 << 20)) == 0
print("two allocations:", *dumped())
assert hip.hipFree(pointers[0]) == 0
print("one allocation:", *dumped())
