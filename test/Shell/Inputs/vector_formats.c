typedef float floats __attribute__((ext_vector_type(4)));
floats v = {1.25f, 1.25f, 2.5f, 2.5f};
int main() { return v[0] > 2; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
