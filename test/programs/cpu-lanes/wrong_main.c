void no_lanes(void), negative_lanes(void), too_many_lanes(void), shrinking_lanes(void);
void overlapping(void), variables(void), unwinding(void);

int main(void) {
  no_lanes();
  negative_lanes();
  too_many_lanes();
  shrinking_lanes();
  overlapping();
  variables();
  unwinding();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
