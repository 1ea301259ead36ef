/* Not compiled: wrong.S holds these functions, with debug information of lanes
   that is wrong, each in its own way. */
void no_lanes(void) { return; }
void negative_lanes(void) { return; }
void too_many_lanes(void) { return; }
void shrinking_lanes(void) {
  ; /* eight lanes */
  ; /* four lanes */
}
void overlapping(void) { return; }
void variables(void) { return; }
void unwinding(void) { return; }

void leaf(void) { return; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
