// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main(void) {
  int v[4] = {5, 6, 7}, out = 0;
#pragma omp target map(to : v) map(from : out)
  {
    int a = v[1];
    out = a + 1; // stop
  }
  return out == 0;
}
