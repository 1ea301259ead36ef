/* A loop widened by 8 with a vector mask; see masked.c. COMP_DIR, the folder of
   masked.c, is given on the command line. */

#include "../../../include/wavelane/Location/PrivateCodes.h"

        .section .rodata
        .balign 32
.Lnumbers: .long 0, 1, 2, 3, 4, 5, 6, 7
.Lmask: .long   -1, -1, 0, -1, 0, 0, 0, -1

        .text
        .file   0 COMP_DIR "masked.c"
        .globl  masked
        .type   masked, @function
masked:
.Lbegin:
        .loc    0 3 0
        .cfi_startproc
        vmovdqa .Lnumbers(%rip), %ymm0
        vmovdqa .Lmask(%rip), %ymm5
        vpslld  $4, %ymm0, %ymm1
        .loc    0 6 3 prologue_end
        nop
        vmovmskps %ymm5, %eax
        vzeroupper
        ret
.Lend:
        .cfi_endproc
        .size   masked, .-masked

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
        .uleb128 0x11, 0x01     /* DW_AT_low_pc */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc */
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
        .asciz  "masked.c"
        .asciz  COMP_DIR
        .long   .Lline
        .quad   .Lbegin
        .long   .Lend - .Lbegin
        .uleb128 2
        .asciz  "masked"
        .quad   .Lbegin
        .long   .Lend - .Lbegin
        .byte   8
        .uleb128 .Lactive_end - .Lactive
.Lactive:
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 31 */
        .uleb128 31
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 63 */
        .uleb128 63
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 95 */
        .uleb128 95
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 127 */
        .uleb128 127
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 159 */
        .uleb128 159
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 191 */
        .uleb128 191
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 223 */
        .uleb128 223
        .byte   0x66, 0x9d, 1   /* reg22 ymm5; bit_piece 1 bit from bit 255 */
        .uleb128 255
.Lactive_end:
        .macro  variable name, type, bytes:vararg
        .uleb128 3
        .asciz  "\name"
        .long   .L\type - .Linfo
        .uleb128 .L\name\()_end - .L\name
.L\name:
        .byte   \bytes
.L\name\()_end:
        .endm
        variable a, int, 0x61, 0xe9, 3, 0x34, 0x1e, 0xe9, 4     /* reg17; push_lane; lit4; mul; offset */
        variable b, int, 0x62, 0xe9, 3, 0x34, 0x1e, 0xe9, 4     /* reg18 */
        .byte   0               /* end of the function's children */
.Lint:
        .uleb128 4
        .asciz  "int"
        .byte   5, 4            /* DW_ATE_signed */
.Ldouble:
        .uleb128 4
        .asciz  "double"
        .byte   4, 8            /* DW_ATE_float */
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
