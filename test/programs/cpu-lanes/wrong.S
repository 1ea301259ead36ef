/* Functions whose debug information of lanes is wrong; see wrong.c. COMP_DIR, the
   folder of wrong.c, is given on the command line. */

#include "../../../include/wavelane/Location/PrivateCodes.h"

        .text
        .file   0 COMP_DIR "wrong.c"
        .macro  begin name, line
        .globl  \name
        .type   \name, @function
\name:
        .loc    0 \line 0
        .cfi_startproc
        movl    $42, %eax
        .loc    0 \line 3 prologue_end
        .endm
        .macro  end name
        ret
.L\name\()_end:
        .cfi_endproc
        .size   \name, .-\name
        .endm

.Lbegin:
        begin   no_lanes, 3
        end     no_lanes
        begin   negative_lanes, 4
        end     negative_lanes
        begin   too_many_lanes, 5
        end     too_many_lanes
        begin   shrinking_lanes, 6
.Leight:
        .loc    0 7 3
        nop
.Lfour:
        .loc    0 8 3
        nop
        end     shrinking_lanes
        begin   overlapping, 10
.Loverlap:
        nop
        end     overlapping
        begin   variables, 11
.Lmap_begin:
        nop
.Lmap_end:
        end     variables
        .globl  unwinding
        .type   unwinding, @function
unwinding:
        .loc    0 12 0
        .cfi_startproc
        /* DW_CFA_expression rbx: push_lane, an operation that it may not have. */
        .cfi_escape 0x10, 3, 2, 0xe9, 3
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .loc    0 12 3 prologue_end
        call    .Lleaf
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        end     unwinding
.Lleaf: .loc    0 14 0
        .cfi_startproc
        nop
        ret
        .cfi_endproc
.Lend:

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
        .macro  subprogram code, children, form
        .uleb128 \code, 0x2e    /* DW_TAG_subprogram */
        .byte   \children
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x11, 0x01     /* DW_AT_low_pc */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc */
        .uleb128 WAVELANE_AT_num_lanes, \form
        .byte   0, 0
        .endm
        subprogram 2, 1, 0x0d   /* DW_FORM_sdata */
        subprogram 3, 1, 0x17   /* DW_FORM_sec_offset */
        .uleb128 4, 0x34        /* DW_TAG_variable */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x49, 0x13     /* DW_AT_type, DW_FORM_ref4 */
        .uleb128 0x02, 0x18     /* DW_AT_location, DW_FORM_exprloc */
        .byte   0, 0
        .uleb128 5, 0x34        /* DW_TAG_variable */
        .byte   0
        .uleb128 0x03, 0x08
        .uleb128 0x49, 0x13
        .uleb128 0x02, 0x17     /* DW_AT_location, DW_FORM_sec_offset */
        .byte   0, 0
        .uleb128 6, 0x34        /* DW_TAG_variable, with children */
        .byte   1
        .uleb128 0x03, 0x08
        .uleb128 0x49, 0x13
        .uleb128 0x02, 0x18
        .byte   0, 0
        .uleb128 7, WAVELANE_TAG_object_map
        .byte   0
        .uleb128 WAVELANE_AT_mem_location, 0x18 /* DW_FORM_exprloc */
        .uleb128 WAVELANE_AT_cntl_ordinal, 0x18
        .uleb128 WAVELANE_AT_vec_location, 0x18
        .uleb128 WAVELANE_AT_element_size, 0x0b /* DW_FORM_data1 */
        .uleb128 WAVELANE_AT_element_count, 0x0b
        .uleb128 0x11, 0x01     /* DW_AT_low_pc */
        .uleb128 0x12, 0x06     /* DW_AT_high_pc */
        .byte   0, 0
        .uleb128 8, 0x24        /* DW_TAG_base_type */
        .byte   0
        .uleb128 0x03, 0x08     /* DW_AT_name */
        .uleb128 0x3e, 0x0b     /* DW_AT_encoding */
        .uleb128 0x0b, 0x0b     /* DW_AT_byte_size */
        .byte   0, 0
        .byte   0

        .macro  function code, name
        .uleb128 \code
        .asciz  "\name"
        .quad   \name
        .long   .L\name\()_end - \name
        .endm
        .macro  variable name, bytes:vararg
        .uleb128 4
        .asciz  "\name"
        .long   .Lint - .Linfo
        .uleb128 .L\name\()_e - .L\name\()_b
.L\name\()_b:
        .byte   \bytes
.L\name\()_e:
        .endm
        .macro  map_at map
        .uleb128 2f - 1f
1:      .byte   0x30, 0xe9      /* DW_OP_lit0, DW_OP_object_map */
        .uleb128 WAVELANE_OP_object_map
        .long   \map
2:
        .endm
        .macro  map label, size, count, end
.L\label:
        .uleb128 7
        .uleb128 2
        .byte   0x77, 0         /* DW_OP_breg7 rsp */
        .uleb128 1
        .byte   0x30            /* DW_OP_lit0 */
        .uleb128 1
        .byte   0x61            /* DW_OP_reg17 ymm0 */
        .byte   \size, \count
        .quad   .Lmap_begin
        .long   \end - .Lmap_begin
        .endm

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
        .asciz  "wrong.c"
        .asciz  COMP_DIR
        .long   .Lline
        .quad   .Lbegin
        .long   .Lend - .Lbegin
        function 2, no_lanes
        .sleb128 0
        variable one, 0x30, 0x9f        /* DW_OP_lit0, DW_OP_stack_value */
        .byte   0
        function 2, negative_lanes
        .sleb128 -8
        variable two, 0xe9, 3, 0x9f     /* push_lane, DW_OP_stack_value */
        .byte   0
        function 2, too_many_lanes
        .sleb128 1000000
        .byte   0
        function 3, shrinking_lanes
        .long   .Lshrinking
        variable lane, 0xe9, 3, 0x9f
        .byte   0
        function 3, overlapping
        .long   .Loverlapping
        .uleb128 5
        .asciz  "twice"
        .long   .Lint - .Linfo
        .long   .Ltwice
        variable fine, 0x50             /* DW_OP_reg0 eax */
        .byte   0
        function 2, variables
        .sleb128 8
        variable no_register, 0x90, 0xe8, 7       /* DW_OP_regx 1000 */
        variable no_memory, 0x30                  /* DW_OP_lit0 */
        variable empty_stack, 0x22, 0x9f          /* DW_OP_plus, DW_OP_stack_value */
        variable cut, 0x23                        /* DW_OP_plus_uconst without its operand */
        variable outside, 0x61, 0x08, 64, 0xe9, 4 /* reg17; const1u 64; offset: past ymm0's end */
        variable unknown, 0xe9, 0x7f              /* an operation that doesn't exist */
        .uleb128 6
        .asciz  "no_elements"
        .long   .Lint - .Linfo
        map_at .Lno_elements
        map     no_elements, 4, 0, .Lmap_end
        .byte   0
        .uleb128 6
        .asciz  "too_large"
        .long   .Lint - .Linfo
        map_at .Ltoo_large
        map     too_large, 64, 64, .Lmap_end      /* more than a register holds */
        .byte   0
        .uleb128 6
        .asciz  "elsewhere"
        .long   .Lint - .Linfo
        map_at .Lelsewhere
        map     elsewhere, 4, 8, .Lmap_begin      /* holds nowhere */
        .byte   0
        .uleb128 6
        .asciz  "no_map"
        .long   .Lint - .Linfo
        map_at .Lint                             /* a type */
        .byte   0
        variable good, 0x50, 0xe9, 0xa            /* eax; piece_end without a piece */
        variable right, 0x50
        .byte   0
        function 2, unwinding
        .sleb128 4
        variable inner, 0x50
        .byte   0
.Lint:
        .uleb128 8
        .asciz  "int"
        .byte   5, 4            /* DW_ATE_signed */
        .byte   0
.Linfo_end:

        .section .debug_loclists,"",@progbits
        .long   .Llists_end - .Llists_start
.Llists_start:
        .short  5
        .byte   8, 0
        .long   0
        .macro  entry begin, end, bytes:vararg
        .byte   7               /* DW_LLE_start_end */
        .quad   \begin, \end
        .uleb128 2
        .byte   \bytes
        .endm
.Lshrinking:
        entry   .Leight, .Lfour, 0x38, 0x9f       /* DW_OP_lit8, DW_OP_stack_value */
        entry   .Lfour, .Lshrinking_lanes_end, 0x34, 0x9f
        .byte   0
.Loverlapping:
        entry   overlapping, .Loverlapping_end, 0x38, 0x9f
        entry   .Loverlap, .Loverlapping_end, 0x34, 0x9f
        .byte   0
.Ltwice:
        entry   overlapping, .Loverlapping_end, 0x31, 0x9f
        entry   .Loverlap, .Loverlapping_end, 0x32, 0x9f
        .byte   0
.Llists_end:

        .section .debug_line,"",@progbits
.Lline:
        .section .note.GNU-stack,"",@progbits

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
