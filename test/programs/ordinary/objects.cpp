// Ordinary C++: containers, templates, inheritance, lambdas, exceptions, references and what is passed by value.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace shapes {
struct Shape {
  explicit Shape(std::string name) : name(std::move(name)) {}
  virtual ~Shape() = default;
  virtual double area() const = 0;
  std::string name;
};
struct Square : Shape {
  explicit Square(double side) : Shape("square"), side(side) {}
  double area() const override {
    const double result = side * side;
    return result;
  }
  double side;
};
struct Circle final : Shape {
  explicit Circle(double radius) : Shape("circle"), radius(radius) {}
  double area() const override {
    constexpr double pi = 3.14159;
    return pi * radius * radius;
  }
  double radius;
};
} // namespace shapes

template <typename T> struct Box {
  T content;
  int uses = 0;
  T &get() {
    ++uses;
    return content;
  }
};

struct Pair {
  long first, second;
};

NOINLINE static size_t count(std::string_view text, char wanted) {
  size_t found = 0;
  for (const char c : text) {
    const bool is_it = c == wanted;
    found += is_it;
  }
  return found;
}

NOINLINE static Pair swapped(Pair p) {
  const long kept = p.first;
  p.first = p.second;
  p.second = kept;
  return p;
}

template <typename T> NOINLINE static T largest(const std::vector<T> &items, T start) {
  T best = start;
  for (const T &item : items)
    if (item > best)
      best = item;
  return best;
}

NOINLINE static std::optional<int> parse(const std::string &text) {
  if (text.empty())
    return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c < '0' || c > '9')
      throw std::invalid_argument(text);
    value = value * 10 + (c - '0');
  }
  return value;
}

NOINLINE static int careful(const std::string &text) {
  try {
    const std::optional<int> number = parse(text);
    return number.value_or(-1);
  } catch (const std::invalid_argument &problem) {
    const char *what = problem.what();
    return -int(count(what, 'x')) - 2;
  }
}

NOINLINE static double total(const std::vector<std::unique_ptr<shapes::Shape>> &all) {
  double sum = 0;
  for (const auto &shape : all) {
    const double here = shape->area();
    sum += here;
  }
  return sum;
}

NOINLINE static int visit(const std::variant<int, std::string> &either) {
  if (const int *number = std::get_if<int>(&either)) {
    const int doubled = *number * 2;
    return doubled;
  }
  const std::string &text = std::get<std::string>(either);
  return int(text.size());
}

NOINLINE static long apply(long (*function)(long, long), long a, long b) {
  const long once = function(a, b);
  const long twice = function(once, b);
  return twice;
}

class Account {
public:
  Account(int id, double money) : id(id), money(money) {}
  NOINLINE bool take(double amount) {
    const double left = money - amount;
    if (left < 0)
      return false;
    money = left;
    ++moves;
    return true;
  }

private:
  const int id;
  double money;
  unsigned moves : 7 = 0;
  bool is_open : 1 = true;
};

int main(int argc, char **) {
  std::vector<std::unique_ptr<shapes::Shape>> all;
  all.push_back(std::make_unique<shapes::Square>(argc + 1.0));
  all.push_back(std::make_unique<shapes::Circle>(2.0));
  const double area = total(all);
  const size_t commas = count("a,b,,c", ',');
  Pair pair = swapped({argc + 10L, 20});
  const std::vector<int> numbers = {3, 1, 4, 1, 5, 9, 2, 6};
  const int best = largest(numbers, argc);
  const double best_double = largest<double>({1.5, -2.5}, 0.5);
  const int parsed = careful("123");
  const int refused = careful("12x");
  Box<std::string> box{"contents"};
  box.get() += "!";
  std::map<std::string, int> ages = {{"ann", 31}, {"bob", 28}};
  ages["cyd"] = argc;
  int sum = 0;
  for (const auto &[name, age] : ages)
    sum += age + int(name.size());
  const int visited = visit(42) + visit(std::string("four"));
  int factor = argc + 2;
  auto scale = [&factor, sum](int value) {
    const int scaled = value * factor;
    return scaled + sum;
  };
  const int scaled = scale(7);
  const long applied = apply([](long a, long b) { return a * b + 1; }, 3, 4);
  Account account(7, 100);
  const bool taken = account.take(30) && !account.take(500);
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const int span = *high - *low;
  std::tuple<int, char, double> triple{1, 'z', 2.5};
  std::get<0>(triple) += span;
  std::printf("%g %zu %ld %d %g %d %d %s %d %d %d %ld %d %d %d\n", area, commas, pair.first, best, best_double, parsed, refused, box.content.c_str(), sum,
              visited, scaled, applied, taken, span, std::get<0>(triple));
  return std::accumulate(numbers.begin(), numbers.end(), 0) == 31 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
