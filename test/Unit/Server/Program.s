// gpu_code of Program.c, as the code object that it is loaded from.
  .text
  .globl gpu_code
  .type gpu_code,@function
gpu_code:
  .rept 6
  s_nop 0
  .endr
  s_barrier
  s_nop 0
  .long 0xffffffff
  s_endpgm
