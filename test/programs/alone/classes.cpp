/* C++ without a library: bases, virtual functions, templates, references and closures. */
namespace shapes {
enum class Kind : unsigned char { Square, Circle };

struct Shape {
  Kind kind;
  explicit Shape(Kind k) : kind(k) {}
  virtual long area() const = 0;
};

template <typename T, int N> struct Box {
  T items[N];
  static constexpr int count = N;
  T &operator[](int at) { return items[at]; }
};

struct Named {
  const char *name;
  unsigned is_old : 1, age : 7;
};

struct Square : Shape, virtual Named {
  long side;
  explicit Square(long s) : Shape(Kind::Square), side(s) { name = "square"; }
  long area() const override { return side * side; }
};
} // namespace shapes

volatile long sink;
extern "C" void __cxa_pure_virtual() {}
namespace __cxxabiv1 {
struct __class_type_info {
  virtual void f();
};
} // namespace __cxxabiv1

template <typename T> __attribute__((noinline)) T largest(shapes::Box<T, 4> &box, const T &least) {
  T found = least;
  for (int i = 0; i < box.count; i++) {
    const T &item = box[i];
    found = item > found ? item : found;
  }
  sink = found;
  return found;
}

__attribute__((noinline)) long visit(const shapes::Shape &shape, long shapes::Square::*member, const shapes::Square &square) {
  auto scaled = [&](long by) {
    long area = shape.area() * by;
    sink = area;
    return area + square.*member;
  };
  return scaled(3) + (shape.kind == shapes::Kind::Square);
}

int main(int count, char **) {
  shapes::Box<long, 4> box = {{1, 5, 3, count}};
  shapes::Square square(largest(box, 2L));
  return visit(square, &shapes::Square::side, square) > 1000;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
