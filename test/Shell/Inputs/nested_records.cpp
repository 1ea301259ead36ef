#include <tuple>
#include <utility>
#include <variant>
template <int N> struct Message { int id = N; };
template <class S> struct Make;
template <int... I> struct Make<std::integer_sequence<int, I...>> { using V = std::variant<Message<I>...>; using T = std::tuple<Message<I>...>; };
using Any = Make<std::make_integer_sequence<int, 300>>::V;
using Row = Make<std::make_integer_sequence<int, 300>>::T;
int main() {
  Any any = Message<7>{};
  Row row;
  std::get<3>(row).id = 33;
  return int(any.index()) + std::get<3>(row).id; // here
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
