// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/*===-- PrivateCodes.h - numbers that nobody has assigned yet -------------===*\
|*
|* Operations, attributes and a tag of DWARF 6 and of its proposals have no
numbers
|* so far. These are the project's own, from DWARF's user ranges; when real ones
are
|* assigned, they change here and nowhere else. The preprocessor alone reads
this, so
|* that assembly files can include it.
|*
|* Numbers that LLVM has assigned are in Operations.def and Attributes.def.
\*===----------------------------------------------------------------------===*/

#ifndef WAVELANE_LOCATION_PRIVATECODES_H
#define WAVELANE_LOCATION_PRIVATECODES_H

/* Operations: sub-opcodes of DW_OP_LLVM_user (0xe9). */
#define WAVELANE_OP_push_iteration 0x2001
#define WAVELANE_OP_LLVM_overlay 0x2002
#define WAVELANE_OP_LLVM_bit_overlay 0x2003
#define WAVELANE_OP_aspace_implicit_pointer 0x2004
#define WAVELANE_OP_composite 0x2010
#define WAVELANE_OP_overlay 0x2011
#define WAVELANE_OP_bit_overlay 0x2012
#define WAVELANE_OP_mem 0x2013
#define WAVELANE_OP_multiloc 0x2014
#define WAVELANE_OP_object_map 0x2020

/* Attributes. */
#define WAVELANE_AT_num_lanes 0x3ec0
#define WAVELANE_AT_active_lane 0x3ec1
#define WAVELANE_AT_augmentation 0x3ec2
#define WAVELANE_AT_iterations 0x3ec3
#define WAVELANE_AT_mem_location 0x3ec8
#define WAVELANE_AT_cntl_ordinal 0x3ec9
#define WAVELANE_AT_vec_location 0x3eca
#define WAVELANE_AT_element_size 0x3ecb
#define WAVELANE_AT_element_count 0x3ecc
#define WAVELANE_AT_map_chunk 0x3ecd

/* Tags. */
#define WAVELANE_TAG_object_map 0x43f0

#endif
