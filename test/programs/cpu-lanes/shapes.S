/* Variables of a loop widened by 8, each in another kind of place; see shapes.c.
   COMP_DIR, the folder of shapes.c, is given on the command line. */

#include "../../../include/wavelane/Location/PrivateCodes.h"

        .data
        .balign 64
.Lints: .long   10, 11, 12, 13, 14, 15, 16, 17
.Llongs: .quad  100, 101, 102, 103, 104, 105, 106, 107
.Lchars: .byte  'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 0, 0, 0, 0, 0, 0, 0, 0
.Ltable: .short 1000, 0, 0, 0, 1001, 0, 0, 0, 1002, 0, 0, 0, 1003, 0, 0, 0
        .short  1004, 0, 0, 0, 1005, 0, 0, 0, 1006, 0, 0, 0, 1007, 0, 0, 0
        .globl  shapes_out
        .type   shapes_out, @object
        .size   shapes_out, 32
shapes_out: .skip 32

        .text
        .file   0 COMP_DIR "shapes.c"
        .globl  shapes
        .type   shapes, @function
shapes:
.Lbegin:
        .loc    0 3 0
        .cfi_startproc
        vmovdqu .Lints(%rip), %ymm0
        vmovdqu .Llongs(%rip), %ymm1
        vmovdqu .Llongs+32(%rip), %ymm2
        vmovdqu .Lchars(%rip), %xmm3
        movl    $40, %eax
        movl    $0xf3, %ecx
        .loc    0 7 3 prologue_end
        nop
        vmovdqu %ymm0, shapes_out(%rip)
        vzeroupper
        ret
.Lend:
        .cfi_endproc
        .size   shapes, .-shapes

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
        .uleb128 WAVELANE_AT_num_lanes, 0x0b /* DW_FORM_data1 */
        .uleb128 WAVELANE_AT_active_lane, 0x18 /* DW_FORM_exprloc */
        .byte   0, 0
        .uleb128 3, 0x34        /* DW_TAG_variable */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x49, 0x13     /* DW_AT_type, DW_FORM_ref4 */
        .uleb128 0x02, 0x18     /* DW_AT_location, DW_FORM_exprloc */
        .byte   0, 0
        .uleb128 4, 0x24        /* DW_TAG_base_type */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x3e, 0x0b     /* DW_AT_encoding */
        .uleb128 0x0b, 0x0b     /* DW_AT_byte_size */
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
        .asciz  "written by hand"
        .short  0x0c            /* DW_LANG_C99 */
        .asciz  "shapes.c"
        .asciz  COMP_DIR
        .long   .Lline
        .quad   .Lbegin
        .long   .Lend - .Lbegin
        .uleb128 2
        .asciz  "shapes"
        .quad   .Lbegin
        .long   .Lend - .Lbegin
        .uleb128 1
        .byte   0x9c            /* DW_OP_call_frame_cfa */
        .byte   8
        .uleb128 1
        .byte   0x52            /* DW_OP_reg2 rcx */
        .uleb128 3
        .asciz  "a"
        .long   .Lint - .Linfo
        .uleb128 7              /* reg17; push_lane; lit4; mul; offset */
        .byte   0x61, 0xe9, 3, 0x34, 0x1e, 0xe9, 4
        .uleb128 3
        .asciz  "wide"
        .long   .Llong - .Linfo
        .uleb128 14              /* reg18; piece 32; reg19; piece 32; piece_end; push_lane; lit8; mul; offset */
        .byte   0x62, 0x93, 0x20, 0x63, 0x93, 0x20, 0xe9, 0xa, 0xe9, 3, 0x38, 0x1e, 0xe9, 4
        .uleb128 3
        .asciz  "small"
        .long   .Lchar - .Linfo
        .uleb128 5              /* reg20; push_lane; offset */
        .byte   0x64, 0xe9, 3, 0xe9, 4
        .uleb128 3
        .asciz  "strided"
        .long   .Lshort - .Linfo
        .uleb128 15             /* addr table; push_lane; lit8; mul; offset */
        .byte   0x03
        .quad   .Ltable
        .byte   0xe9, 3, 0x38, 0x1e, 0xe9, 4
        .uleb128 3
        .asciz  "uniform"
        .long   .Lint - .Linfo
        .uleb128 1              /* reg0 */
        .byte   0x50
        .uleb128 3
        .asciz  "linear"
        .long   .Lint - .Linfo
        .uleb128 6              /* breg0 0; push_lane; plus; stack_value */
        .byte   0x70, 0, 0xe9, 3, 0x22, 0x9f
        .uleb128 3
        .asciz  "gone"
        .long   .Lint - .Linfo
        .uleb128 2              /* undefined */
        .byte   0xe9, 8
        .byte   0               /* end of shapes's children */
.Lint:
        .uleb128 4
        .asciz  "int"
        .byte   5, 4
.Llong:
        .uleb128 4
        .asciz  "long"
        .byte   5, 8
.Lchar:
        .uleb128 4
        .asciz  "char"
        .byte   6, 1
.Lshort:
        .uleb128 4
        .asciz  "short"
        .byte   5, 2
        .byte   0
.Linfo_end:

        .section .debug_line,"",@progbits
.Lline:
        .section .note.GNU-stack,"",@progbits

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
