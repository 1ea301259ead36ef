/* Figure D.74 on x86-64 with AVX2 and its description of figure D.75.
   Pseudo registers: r0 rdi (dst), r1 rsi (src), r2 rdx (len), r3 r8 (i),
   r4 r9, r5 eax, r6 ecx, v0 ymm0, v1 ymm1. Where the figure has "jmp.ge", this
   has "jg", as otherwise the last element would be left out, and the register
   that is copied to r3 at the end of the wide loop is r4, not "r8".

   COMP_DIR, the folder of vec_add.c, is given on the command line. */

#include "../../../include/wavelane/Location/PrivateCodes.h"

        .text
        .file   0 COMP_DIR "vec_add.c"
        .globl  vec_add
        .type   vec_add, @function
vec_add:
.Lbegin:
        .loc    0 4 0
        .cfi_startproc
        movslq  %edx, %rdx
.l0:
        .loc    0 6 12 prologue_end
        xorl    %r8d, %r8d
.l1:
        .loc    0 6 21
        leaq    8(%r8), %r9
        cmpq    %rdx, %r9
        jg      .l2
        .loc    0 7 5
        vmovdqu (%rdi,%r8,4), %ymm0
.l1.1:
        vmovdqu (%rsi,%r8,4), %ymm1
.l1.2:
        vpaddd  %ymm1, %ymm0, %ymm0
        vmovdqu %ymm0, (%rdi,%r8,4)
.l1.3:
        .loc    0 6 28
        movq    %r9, %r8
        jmp     .l1
.l2:
        .loc    0 6 21
        leaq    1(%r8), %r9
        cmpq    %rdx, %r9
        jg      .l3
        .loc    0 7 5
        movl    (%rdi,%r8,4), %eax
.l2.1:
        movl    (%rsi,%r8,4), %ecx
.l2.2:
        addl    %ecx, %eax
        movl    %eax, (%rdi,%r8,4)
.l2.3:
        .loc    0 6 28
        movq    %r9, %r8
        jmp     .l2
.l3:
        .loc    0 8 1
        vzeroupper
        ret
.l4:
        .cfi_endproc
        .size   vec_add, .-vec_add

        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11        /* DW_TAG_compile_unit */
        .byte   1
        .uleb128 0x25, 0x08     /* DW_AT_producer, DW_FORM_string */
        .uleb128 0x13, 0x05     /* DW_AT_language, DW_FORM_data2 */
        .uleb128 0x03, 0x08     /* DW_AT_name, DW_FORM_string */
        .uleb128 0x1b, 0x08     /* DW_AT_comp_dir, DW_FORM_string */
        .uleb128 0x10, 0x17     /* DW_AT_stmt_list, DW_FORM_sec_offset */
        .uleb128 0x11, 0x01     /* DW_AT_low_pc, DW_FORM_addr */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc, DW_FORM_data4 */
        .byte   0, 0
        .uleb128 2, 0x2e        /* DW_TAG_subprogram */
        .byte   1
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x3a, 0x0b     /* DW_AT_decl_file, DW_FORM_data1 */
        .uleb128 0x3b, 0x0b     /* DW_AT_decl_line */
        .uleb128 0x27, 0x19     /* DW_AT_prototyped, DW_FORM_flag_present */
        .uleb128 0x3f, 0x19     /* DW_AT_external */
        .uleb128 0x11, 0x01     /* DW_AT_low_pc */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc */
        .uleb128 0x40, 0x18     /* DW_AT_frame_base, DW_FORM_exprloc */
        .uleb128 WAVELANE_AT_num_lanes, 0x17 /* DW_FORM_sec_offset */
        .byte   0, 0
        .uleb128 3, 0x05        /* DW_TAG_formal_parameter */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x49, 0x13     /* DW_AT_type, DW_FORM_ref4 */
        .uleb128 0x02, 0x18     /* DW_AT_location, DW_FORM_exprloc */
        .byte   0, 0
        .uleb128 4, 0x34        /* DW_TAG_variable */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x49, 0x13     /* DW_AT_type */
        .uleb128 0x02, 0x17     /* DW_AT_location, DW_FORM_sec_offset */
        .byte   0, 0
        .uleb128 5, 0x24        /* DW_TAG_base_type */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x3e, 0x0b     /* DW_AT_encoding, DW_FORM_data1 */
        .uleb128 0x0b, 0x0b     /* DW_AT_byte_size */
        .byte   0, 0
        .uleb128 6, 0x0f        /* DW_TAG_pointer_type */
        .byte   0
        .uleb128 0x49, 0x13     /* DW_AT_type */
        .byte   0, 0
        .byte   0

        .section .debug_info,"",@progbits
.Linfo:
        .long   .Linfo_end - .Linfo_start
.Linfo_start:
        .short  5
        .byte   1, 8            /* DW_UT_compile, address size */
        .long   .debug_abbrev
        .uleb128 1
        .asciz  "written by hand after DWARF issue 211206.1, D.17"
        .short  0x0c            /* DW_LANG_C99 */
        .asciz  "vec_add.c"
        .asciz  COMP_DIR
        .long   .Lline
        .quad   .Lbegin
        .long   .l4 - .Lbegin
        .uleb128 2
        .asciz  "vec_add"
        .byte   0, 4
        .quad   .Lbegin
        .long   .l4 - .Lbegin
        .uleb128 1
        .byte   0x9c            /* DW_OP_call_frame_cfa */
        .long   .Lloclist0
        .uleb128 3
        .asciz  "dst"
        .long   .Lpointer - .Linfo
        .uleb128 1
        .byte   0x55            /* DW_OP_reg5 rdi */
        .uleb128 3
        .asciz  "src"
        .long   .Lpointer - .Linfo
        .uleb128 1
        .byte   0x54            /* DW_OP_reg4 rsi */
        .uleb128 3
        .asciz  "len"
        .long   .Lint - .Linfo
        .uleb128 1
        .byte   0x51            /* DW_OP_reg1 rdx */
        .uleb128 4
        .asciz  "i"
        .long   .Lint - .Linfo
        .long   .Lloclist1
        .byte   0               /* end of vec_add's children */
.Lint:
        .uleb128 5
        .asciz  "int"
        .byte   5, 4            /* DW_ATE_signed */
.Lpointer:
        .uleb128 6
        .long   .Lint - .Linfo
        .byte   0
.Linfo_end:

        .section .debug_loclists,"",@progbits
        .long   .Llists_end - .Llists_start
.Llists_start:
        .short  5
        .byte   8, 0            /* address size, segment selector size */
        .long   0               /* offset entries */
.Lloclist0:
        .byte   7               /* DW_LLE_start_end */
        .quad   .l1, .l2
        .uleb128 2
        .byte   0x38, 0x9f      /* DW_OP_lit8, DW_OP_stack_value */
        .byte   0
.Lloclist1:
        .byte   7
        .quad   .l0, .l1
        .uleb128 2
        .byte   0x90, 8         /* DW_OP_regx r8 */
        .byte   7
        .quad   .l1, .l2
        .uleb128 7
        .byte   0x92, 8, 0      /* DW_OP_bregx r8 0 */
        .byte   0xe9, 3         /* DW_OP_push_lane */
        .byte   0x22, 0x9f      /* DW_OP_plus, DW_OP_stack_value */
        .byte   7
        .quad   .l2, .l4
        .uleb128 2
        .byte   0x90, 8
        .byte   0
.Llists_end:

        .section .debug_line,"",@progbits
.Lline:
        .section .note.GNU-stack,"",@progbits

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
