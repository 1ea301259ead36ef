// As kernel.hip in OpenCL: what compilers write of private variables and of pointers into an address space. No local memory: at -O0,
// clang 22 puts a kernel's body into a function, which it lets have none.
struct pair {
  int first;
  float second;
};

__attribute__((noinline)) int combine(struct pair both, local const int *at, private const int *own, int lane) {
  int sum = both.first * 3 + *own;
  int values[3] = {sum, sum + lane, at == (local const int *)8};
  private int *chosen = &values[lane % 3];
  return *chosen + lane; // in the function
}

kernel void work(global int *out, long scale, float bias) {
  int lane = __builtin_amdgcn_workitem_id_x();
  int mine = lane * 5;
  struct pair both = {lane * 7, bias * lane};
  long wide = scale * lane + both.first;
  wide += lane % 2 * 1000000000000;
  int result = combine(both, (local const int *)(uint)(lane * 4), &mine, lane); // in the kernel
  out[lane] = result + (int)wide + mine;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
