/* C without a library: records, unions, bit fields and arrays in registers and memory. */
struct point {
  double x, y;
};
struct bits {
  unsigned low : 3;
  int middle : 10;
};
union word {
  unsigned whole;
  unsigned char bytes[4];
  float number;
};
enum color { RED, GREEN = 5 };
struct node {
  struct node *next;
  int value;
  struct point at[2];
  union word word;
  struct bits bits;
  enum color color;
};
typedef int (*callback)(const struct node *);

volatile int sink;
static struct node nodes[3];
int table[2][3];

__attribute__((noinline)) int leaf(struct point p, struct node *n, int count) {
  int local = count * 3;
  struct point swapped = {p.y, p.x};
  union word word = {.whole = 5u + count};
  sink = local;
  sink = (int)swapped.x + word.bytes[1];
  for (int i = 0; i < count; i++)
    sink += n->value + table[i & 1][i % 3];
  return local + sink;
}

static inline int twice(int a, short b) {
  int sum = a + b;
  int unused = sum * 2;
  sink = sum;
  return sum + unused;
}

static int value_of(const struct node *n) { return n->value; }

__attribute__((noinline)) int middle(int count, const char *text) {
  struct node *first = nodes;
  int length = 0;
  callback call = sink ? 0 : value_of;
  while (text[length])
    length++;
  nodes[0].next = &nodes[1];
  nodes[0].color = GREEN;
  int both = twice(count, (short)length);
  return leaf((struct point){1.5, 2.5}, first, both) + length + (call ? call(first) : 0);
}

int main(int count, char **arguments) { return middle(count, arguments[0]) & 1; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
