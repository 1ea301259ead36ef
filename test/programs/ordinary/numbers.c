/* Ordinary C: integers of every width, floats, bit fields, unions, arrays and structures by value. */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
  double x, y;
};
struct small {
  int a;
  short b;
  char c[2];
};
struct bits {
  unsigned low : 3;
  int middle : 10;
  unsigned high : 19;
};
union word {
  uint32_t whole;
  uint8_t bytes[4];
  float number;
};
enum color { RED, GREEN = 5, BLUE };

static int counter;
static const int limit = 12;
_Thread_local int per_thread = 3;
volatile int sink;

__attribute__((noinline)) static struct point middle(struct point a, struct point b) {
  struct point result = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  ++counter;
  return result;
}

__attribute__((noinline)) static int fold(struct small s, const char *text) {
  int total = s.a;
  for (const char *at = text; *at; ++at) {
    const int step = *at - '0';
    total = total * 3 + step;
  }
  return total + s.b + s.c[1];
}

__attribute__((noinline)) static uint64_t mix(uint8_t a, uint16_t b, uint32_t c, uint64_t d, int8_t e, long f, unsigned g) {
  uint64_t state = a;
  state = state << 8 | b;
  state ^= (uint64_t)c << 16;
  const int64_t wide = (int64_t)e * f;
  state += (uint64_t)wide + d % (g + 1);
  per_thread += e;
  return state;
}

__attribute__((noinline)) static float average(const float *numbers, int count) {
  float sum = 0;
  float least = numbers[0];
  for (int i = 0; i < count; ++i) {
    const float number = numbers[i];
    sum += number;
    if (number < least)
      least = number;
  }
  return sum / (float)count - least;
}

__attribute__((noinline)) static int sort(int *numbers, int count) {
  int swaps = 0;
  for (int i = 1; i < count; ++i) {
    const int key = numbers[i];
    int j = i - 1;
    while (j >= 0 && numbers[j] > key) {
      numbers[j + 1] = numbers[j];
      --j;
      ++swaps;
    }
    numbers[j + 1] = key;
  }
  return swaps;
}

__attribute__((noinline)) static long recursive(int depth, long total, const struct small *s) {
  const long here = total + depth * s->a;
  if (depth == 0)
    return here;
  return recursive(depth - 1, here, s) + 1;
}

__attribute__((noinline)) static int dynamic(int count) {
  int squares[count];
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    squares[i] = i * i;
    sum += squares[i];
  }
  sink = squares[count - 1];
  return sum;
}

__attribute__((noinline)) static double mixed(int n, double x, float y, long double z, bool flag) {
  const double scaled = x * n;
  const float half = y / 2;
  const long double both = z + scaled;
  const double _Complex c = scaled + half * I;
  return flag ? (double)both + creal(c) : cimag(c);
}

static inline int clamp(int value, int low, int high) {
  const int raised = value < low ? low : value;
  return raised > high ? high : raised;
}

__attribute__((noinline)) static int clamps(const int *numbers, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    const int inside = clamp(numbers[i], -limit, limit);
    total += inside;
  }
  return total;
}

int main(int argc, char **argv) {
  struct point a = {1, 2}, b = {argc * 3.0, 8};
  struct point m = middle(a, b);
  struct small s = {argc + 41, -7, {'x', 'y'}};
  const int folded = fold(s, "31415");
  struct bits packed = {5, -300, 99999};
  packed.middle += argc;
  union word w;
  w.number = 1.5f * (float)argc;
  enum color tint = argc > 1 ? RED : BLUE;
  const uint64_t mixed_up = mix(200, 60000, 4000000000u, 123456789012345ull, -5, -70000, 17);
  float numbers[6] = {3.5f, -1.25f, 8, 0, 2.75f, (float)argc};
  const float mean = average(numbers, 6);
  int values[8] = {40, -30, 7, 7, 100, 0, -1, argc};
  const int swaps = sort(values, 8);
  const long deep = recursive(5, 100, &s);
  const int dynamic_sum = dynamic(argc + 6);
  const double mixture = mixed(argc, 2.5, 1.5f, 0.25L, argc == 1);
  const int clamped = clamps(values, 8);
  char *copy = malloc(16);
  strcpy(copy, "ordinary");
  copy[0] = (char)(copy[0] - 32);
  printf("%g %d %d %u %d %llu %g %d %ld %d %g %d %s %s\n", m.x, folded, packed.middle, w.whole, tint, (unsigned long long)mixed_up, mean, swaps, deep,
         dynamic_sum, mixture, clamped, copy, argc > 2 ? argv[1] : "");
  free(copy);
  return counter - 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
