// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that "uses a GPU": the debug library of the tests executes gpu_code.
#include <unistd.h>

// s_nop 0 (six), s_barrier, s_nop 0, an instruction that isn't one, s_endpgm; then at 16 s_branch to itself
volatile unsigned gpu_code[32] = {
    0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000,
    0xbf8a0000, 0xbf800000, 0xffffffff, 0xbf810000, [16] = 0xbf82ffff};

// As a program with GPU code has it: others get no variables for a GPU.
__attribute__((section(".hip_fatbin"), used)) static const char bundles[16];

void _loader_debug_state(void) { __asm__ volatile("nop"); }

void kernel(void) __asm__("_Z5saxpyPfi");
void kernel(void) { __asm__ volatile("nop"); }

int main(void) {
  kernel();
  _loader_debug_state();
  // The tests end it, or it ends by itself after ten seconds.
  for (int i = 0; i < 200; ++i)
    usleep(50000);
  return 3;
}
