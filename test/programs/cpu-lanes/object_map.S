/* An array of which one chunk lives in a vector register, described by an object
   map (DWARF issue 230712.4) as "dst" and by an overlay (issue 251120.1) as
   "dst_overlay". COMP_DIR, the folder of object_map.c, is given on the command
   line. */

#include "../../../include/wavelane/Location/PrivateCodes.h"

        .data
        .balign 32
.Ladd:  .long   1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000

        .text
        .file   0 COMP_DIR "object_map.c"
        .globl  add_1000
        .type   add_1000, @function
add_1000:
.Lbegin:
        .loc    0 3 0
        .cfi_startproc
        .loc    0 4 12 prologue_end
        xorl    %r8d, %r8d
.l1:
        .loc    0 4 21
        cmpq    $24, %r8
        jge     .l2
        .loc    0 5 5
        vmovdqu (%rdi,%r8,4), %ymm0
.l1.1:
        vpaddd  .Ladd(%rip), %ymm0, %ymm0
        .loc    0 5 12
.l1.2:
        vmovdqu %ymm0, (%rdi,%r8,4)
.l1.3:
        .loc    0 4 29
        addq    $8, %r8
        jmp     .l1
.l2:
        .loc    0 6 1
        vzeroupper
        ret
.l4:
        .cfi_endproc
        .size   add_1000, .-add_1000

        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11        /* DW_TAG_compile_unit */
        .byte   1
        .uleb128 0x25, 0x08     /* DW_AT_producer, DW_FORM_string */
        .uleb128 0x13, 0x05     /* DW_AT_language, DW_FORM_data2 */
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x1b, 0x08     /* DW_AT_comp_dir */
        .uleb128 0x10, 0x17     /* DW_AT_stmt_list, DW_FORM_sec_offset */
        .uleb128 0x11, 0x01     /* DW_AT_low_pc, DW_FORM_addr */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc, DW_FORM_data4 */
        .byte   0, 0
        .uleb128 2, 0x2e        /* DW_TAG_subprogram */
        .byte   1
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x3f, 0x19     /* DW_AT_external, DW_FORM_flag_present */
        .uleb128 0x11, 0x01     /* DW_AT_low_pc */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc */
        .uleb128 0x40, 0x18     /* DW_AT_frame_base, DW_FORM_exprloc */
        .byte   0, 0
        .uleb128 3, 0x34        /* DW_TAG_variable */
        .byte   1
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x49, 0x13     /* DW_AT_type, DW_FORM_ref4 */
        .uleb128 0x02, 0x17     /* DW_AT_location, DW_FORM_sec_offset */
        .byte   0, 0
        .uleb128 4, WAVELANE_TAG_object_map
        .byte   0
        .uleb128 WAVELANE_AT_mem_location, 0x18 /* DW_FORM_exprloc */
        .uleb128 WAVELANE_AT_cntl_ordinal, 0x18
        .uleb128 WAVELANE_AT_vec_location, 0x18
        .uleb128 WAVELANE_AT_element_size, 0x0b /* DW_FORM_data1 */
        .uleb128 WAVELANE_AT_element_count, 0x0b
        .uleb128 0x11, 0x01     /* DW_AT_low_pc */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc */
        .byte   0, 0
        .uleb128 5, 0x24        /* DW_TAG_base_type */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x3e, 0x0b     /* DW_AT_encoding */
        .uleb128 0x0b, 0x0b     /* DW_AT_byte_size */
        .byte   0, 0
        .uleb128 6, 0x01        /* DW_TAG_array_type */
        .byte   1
        .uleb128 0x49, 0x13     /* DW_AT_type */
        .byte   0, 0
        .uleb128 7, 0x21        /* DW_TAG_subrange_type */
        .byte   0
        .uleb128 0x37, 0x0b     /* DW_AT_count */
        .byte   0, 0
        .byte   0

        .section .debug_info,"",@progbits
.Linfo:
        .long   .Linfo_end - .Linfo_start
.Linfo_start:
        .short  5
        .byte   1, 8
        .long   .debug_abbrev
        .uleb128 1
        .asciz  "written by hand after DWARF issues 230712.4 and 251120.1"
        .short  0x0c            /* DW_LANG_C99 */
        .asciz  "object_map.c"
        .asciz  COMP_DIR
        .long   .Lline
        .quad   .Lbegin
        .long   .l4 - .Lbegin
        .uleb128 2
        .asciz  "add_1000"
        .quad   .Lbegin
        .long   .l4 - .Lbegin
        .uleb128 1
        .byte   0x9c            /* DW_OP_call_frame_cfa */
        .uleb128 3
        .asciz  "dst"
        .long   .Larray - .Linfo
        .long   .Lloclist0
.Lmap:
        .uleb128 4
        .uleb128 2
        .byte   0x75, 0         /* DW_OP_breg5 rdi */
        .uleb128 2
        .byte   0x78, 0         /* DW_OP_breg8 r8 */
        .uleb128 1
        .byte   0x61            /* DW_OP_reg17 ymm0 */
        .byte   4
        .byte   8
        .quad   .l1.1
        .long   .l1.3 - .l1.1
        .byte   0               /* end of dst's children */
        .uleb128 3
        .asciz  "dst_overlay"
        .long   .Larray - .Linfo
        .long   .Lloclist1
        .byte   0               /* end of dst_overlay's children */
        .byte   0               /* end of add_1000's children */
.Lint:
        .uleb128 5
        .asciz  "int"
        .byte   5, 4            /* DW_ATE_signed */
.Larray:
        .uleb128 6
        .long   .Lint - .Linfo
        .uleb128 7
        .byte   24
        .byte   0
        .byte   0
.Linfo_end:

        .section .debug_loclists,"",@progbits
        .long   .Llists_end - .Llists_start
.Llists_start:
        .short  5
        .byte   8, 0
        .long   0
.Lloclist0:
        .byte   7               /* DW_LLE_start_end */
        .quad   .Lbegin, .l1.1
        .uleb128 2
        .byte   0x75, 0         /* DW_OP_breg5 rdi */
        .byte   7
        .quad   .l1.1, .l1.3
        .uleb128 2f - 1f
1:      .byte   0x30            /* DW_OP_lit0 */
        .byte   0xe9
        .uleb128 WAVELANE_OP_object_map
        .long   .Lmap
2:
        .byte   7
        .quad   .l1.3, .l4
        .uleb128 2
        .byte   0x75, 0
        .byte   0
.Lloclist1:
        .byte   7
        .quad   .Lbegin, .l1.1
        .uleb128 2
        .byte   0x75, 0
        .byte   7
        .quad   .l1.1, .l1.3
        .uleb128 2f - 1f
1:      .byte   0x75, 0         /* DW_OP_breg5 rdi: base */
        .byte   0x61            /* DW_OP_reg17 ymm0: what lies over it */
        .byte   0x78, 0         /* DW_OP_breg8 r8 */
        .byte   0x34, 0x1e      /* DW_OP_lit4, DW_OP_mul: offset */
        .byte   0x08, 32        /* DW_OP_const1u: width */
        .byte   0xe9
        .uleb128 WAVELANE_OP_overlay
2:
        .byte   7
        .quad   .l1.3, .l4
        .uleb128 2
        .byte   0x75, 0
        .byte   0
.Llists_end:

        .section .debug_line,"",@progbits
.Lline:
        .section .note.GNU-stack,"",@progbits

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
