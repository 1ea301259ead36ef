// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// To preload: a driver's answer to AMDKFD_IOC_GET_VERSION, from before it had a debugger's interface.
int ioctl(int file, unsigned long request, unsigned *version) {
  (void)file;
  if (request != 0x80084b01)
    return -1;
  version[0] = 1;
  version[1] = 12;
  return 0;
}
