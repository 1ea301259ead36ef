// OpenMP's target regions: one lane, a function, a loop over teams, and a reduction. Compiled as C and as C++.
#include <stdio.h>

#pragma omp declare target
int device_number = 40;
int twice(int v) {
  int result = v * 2;
  return result + device_number; // callee
}
#pragma omp end declare target

int main(void) {
  int in_arr[8] = {5, 6, 7}, out_arr[8] = {0}, sum = 0, scale = 3;
#pragma omp target map(to : in_arr) map(tofrom : out_arr)
  {
    int a = in_arr[1];
    out_arr[0] = a + scale; // region
    out_arr[1] = twice(a);
    out_arr[2] = a;
  }
#pragma omp target teams distribute parallel for map(to : in_arr) map(tofrom : out_arr)
  for (int i = 0; i < 8; ++i) {
    int value = in_arr[i] * 2;
    out_arr[i] += value; // loop
  }
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : in_arr)
  for (int k = 0; k < 8; ++k)
    sum += in_arr[k]; // sum
  printf("%d %d %d %d\n", out_arr[0], out_arr[1], out_arr[2], sum);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
