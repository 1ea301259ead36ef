#include <omp.h>
#include <stdio.h>

int main(void) {
  enum { N = 1000 };
  double a[N], b[N];
  int on_host = -1;
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma omp target teams distribute parallel for map(to : a) map(from : b) map(tofrom : on_host)
  for (int i = 0; i < N; ++i) {
    b[i] = 2 * a[i] + 1;
    if (i == 0)
      on_host = omp_is_initial_device();
  }
  printf("devices %d, on the host %d, b[999] = %g\n", omp_get_num_devices(), on_host, b[999]);
  return b[999] != 1999;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
