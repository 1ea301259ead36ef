// Code whose barriers BarriersTest looks for. SPLIT is for GPUs on which a wave arrives and waits in two instructions.
  .macro barrier name
  .ifdef SPLIT
    s_barrier_signal -1
\name:
    s_barrier_wait -1
  .else
\name:
    s_barrier
  .endif
  .endm

  .text
  .type helper,@function
helper:
  s_nop 0
  barrier in_helper
  s_setpc_b64 s[30:31]

  .p2align 8
  .globl first
  .type first,@function
first:
  // Constants that look like barriers.
  s_mov_b32 s0, 0xbf8a0000
  s_mov_b32 s0, 0xbf940000
  barrier in_first
  .ifndef SPLIT
grid_in_first:
  ds_gws_barrier v0 gds
  s_waitcnt lgkmcnt(0)
  .endif
  .long 0xffffffff
  barrier behind_data
  s_endpgm

  .p2align 8
  .globl second
  .type second,@function
second:
  s_nop 0
  barrier in_second
  s_endpgm

  .section .rodata
  .macro descriptor kernel
  .globl \kernel\().kd
  .type \kernel\().kd,@object
  .size \kernel\().kd, 64
\kernel\().kd:
  .zero 64
  .endm
  descriptor first
  descriptor second
