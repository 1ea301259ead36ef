//===-- GPUExpression.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUExpression.h"
#include "Builtins.h"
#include "Core/Support/OtherSide.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/ValueObject/ValueObject.h"
#include "lldb/ValueObject/ValueObjectVariable.h"
#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/GPU/SmallFloat.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <functional>
#include <optional>
#include <vector>

using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace gpu = ::wavelane::gpu;
namespace tok = clang::tok;

// A literal address isn't one here: clang would take 0 for the null pointer,
// which has other bits in these spaces. A call of what isn't defined is an
// error when it is reached (GPUExpression::DescribeRefusal).
static constexpr llvm::StringLiteral g_spaces = R"(
enum __wavelane_byte : unsigned char {};
template <unsigned long N> unsigned long long __wavelane_number(const unsigned (&v)[N], unsigned lane) { return v[lane]; }
template <class T> unsigned long long __wavelane_number(const T &v, unsigned) { return (unsigned long long)v; }
template <class T> T *__wavelane_generic(unsigned long long a) { return (T *)a; }
#define __WAVELANE_SPACE(name, number) \
  extern "C" void __wavelane_too_large_##name(); \
  unsigned long long __wavelane_fits_##name(unsigned long long a) { \
    if (a >> 32) __wavelane_too_large_##name(); \
    return a; } \
  template <class T> __attribute__((address_space(number))) T *__wavelane_##name(unsigned long long a) { \
    return (__attribute__((address_space(number))) T *)a; }
__WAVELANE_SPACE(local, 3)
__WAVELANE_SPACE(private_lane, 5)
__WAVELANE_SPACE(private_wave, 6)
#undef __WAVELANE_SPACE
)";

static constexpr llvm::StringLiteral g_sizes = R"(
template <class T> struct __wavelane_sized { typedef T type; };
template <class T> struct __wavelane_sized<const T> { typedef const typename __wavelane_sized<T>::type type; };
template <class T, unsigned long N> struct __wavelane_sized<T[N]> { typedef typename __wavelane_sized<T>::type type[N]; };
template <class T, unsigned long N> struct __wavelane_sized<const T[N]> { typedef typename __wavelane_sized<T>::type type[N]; };
#define __WAVELANE_SIZED(number) \
  template <class T> struct __wavelane_sized<__attribute__((address_space(number))) T *> { typedef unsigned type; };
__WAVELANE_SIZED(2)
__WAVELANE_SIZED(3)
__WAVELANE_SIZED(5)
__WAVELANE_SIZED(6)
#undef __WAVELANE_SIZED
)";

static constexpr llvm::StringLiteral g_assignment = R"(
template <class T, unsigned S> struct __wavelane_pointer {
  __attribute__((address_space(S))) T *p;
  operator T *() const { return (T *)p; }
  operator __attribute__((address_space(S))) T *() const { return p; }
};
template <class T> T __wavelane_value(T v) { return v; }
template <class T> __wavelane_pointer<T, 3> __wavelane_value(__attribute__((address_space(3))) T *v) { return {v}; }
template <class T> __wavelane_pointer<T, 5> __wavelane_value(__attribute__((address_space(5))) T *v) { return {v}; }
)";

static constexpr llvm::StringLiteral g_texts = R"(
struct __wavelane_text { char text[128]; };
struct __wavelane_writer {
  __wavelane_text t;
  unsigned at;
  void put(char c) { t.text[at++] = c; t.text[at] = 0; }
  void put(const char *words) { while (*words) put(*words++); }
  void put(unsigned long long n) {
    char digits[20];
    unsigned count = 0;
    do { digits[count++] = char('0' + n % 10); n /= 10; } while (n);
    while (count) put(digits[--count]);
  }
  void put(const unsigned (&n)[3]) {
    put((unsigned long long)n[0]); put(','); put((unsigned long long)n[1]); put(','); put((unsigned long long)n[2]); }
};
struct __wavelane_ids { unsigned long long agent, queue, dispatch, wave; };
void __wavelane_put(__wavelane_writer &w, const __wavelane_ids &ids) {
  w.put(ids.agent); w.put(':'); w.put(ids.queue); w.put(':'); w.put(ids.dispatch); w.put(':'); w.put(ids.wave);
}
void __wavelane_put(__wavelane_writer &w, const unsigned (&group)[3], unsigned wave) {
  w.put('('); w.put(group); w.put(")/"); w.put((unsigned long long)wave);
}
__wavelane_text __wavelane_dispatch_pos(const unsigned (&group)[3], unsigned wave) {
  __wavelane_writer w;
  w.at = 0;
  __wavelane_put(w, group, wave);
  return w.t;
}
__wavelane_text __wavelane_thread(const __wavelane_ids &ids, const unsigned (&group)[3], unsigned wave) {
  __wavelane_writer w;
  w.at = 0;
  w.put("AMDGPU Wave "); __wavelane_put(w, ids); w.put(' '); __wavelane_put(w, group, wave);
  return w.t;
}
__wavelane_text __wavelane_lane(const __wavelane_ids &ids, unsigned lane, const unsigned (&group)[3], const unsigned (&item)[3]) {
  __wavelane_writer w;
  w.at = 0;
  w.put("AMDGPU Lane "); __wavelane_put(w, ids); w.put('/'); w.put((unsigned long long)lane);
  w.put(" ("); w.put(group); w.put(")["); w.put(item); w.put(']');
  return w.t;
}
__wavelane_text __wavelane_three(char open, const unsigned (&n)[3], char close) {
  __wavelane_writer w;
  w.at = 0;
  w.put(open); w.put(n); w.put(close);
  return w.t;
}
__wavelane_text __wavelane_one(unsigned n) {
  __wavelane_writer w;
  w.at = 0;
  w.put((unsigned long long)n);
  return w.t;
}
bool __wavelane_same(const char *a, const char *b) {
  for (unsigned i = 0;; ++i) {
    if (a[i] != b[i]) return false;
    if (!a[i]) return true;
  }
}
bool __wavelane_streq(const __wavelane_text &a, const char *b) { return __wavelane_same(a.text, b); }
bool __wavelane_streq(const char *a, const char *b) { return __wavelane_same(a, b); }
bool operator==(const __wavelane_text &a, const char *b) { return __wavelane_same(a.text, b); }
bool operator!=(const __wavelane_text &a, const char *b) { return !__wavelane_same(a.text, b); }
bool operator==(const __wavelane_text &a, int b) {
  return b >= 0 && __wavelane_same(a.text, __wavelane_one(unsigned(b)).text);
}
bool operator!=(const __wavelane_text &a, int b) { return !(a == b); }
)";

static constexpr llvm::StringLiteral g_coordinates = R"(
struct __wavelane_coordinates { unsigned x, y, z; };
__wavelane_coordinates __wavelane_three_numbers(const unsigned (&n)[3]) { return {n[0], n[1], n[2]}; }
)";

// What SmallFloat::decode does.
static constexpr llvm::StringLiteral g_small_numbers = R"(
template <unsigned E, unsigned M, bool FNUZ> float __wavelane_decode(const unsigned char *bytes, unsigned at) {
  const unsigned all = (1u << (E + M)) - 1;
  unsigned bits = 0;
  for (unsigned i = 0; i < 1 + E + M; ++i) bits |= (bytes[(at + i) / 8] >> (at + i) % 8 & 1u) << i;
  const unsigned magnitude = bits & all, fraction = magnitude & ((1u << M) - 1), exponent = magnitude >> M;
  const unsigned sign = bits >> (E + M) << 31;
  const int bias = (1 << (E - 1)) - (FNUZ ? 0 : 1);
  const bool ieee = E >= 5 && !FNUZ;
  if (FNUZ ? sign && !magnitude : ieee ? exponent == (1u << E) - 1 && fraction : E == 4 && M == 3 && magnitude == all)
    return __builtin_bit_cast(float, 0x7fc00000u);
  if (ieee && exponent == (1u << E) - 1) return __builtin_bit_cast(float, sign | 0x7f800000u);
  if (exponent || E == 8)
    return __builtin_bit_cast(float, sign | (unsigned(int(exponent) - bias + 127) << 23) | fraction << (23 - M));
  const float size = float(fraction) * __builtin_bit_cast(float, unsigned(1 - bias - int(M) + 127) << 23);
  return sign ? -size : size;
}
float __wavelane_scale(signed char s) {
  return __builtin_bit_cast(float, s == -128 ? 0x7fc00000u : s == -127 ? 0x400000u : unsigned(s + 127) << 23); }
float __wavelane_scale(double s) { return float(s); }
float __wavelane_scale(float s) { return s; }
float __wavelane_scale(int s) { return float(s); }
float __wavelane_scale() { return 1; }
template <unsigned N> struct __wavelane_floats { float value[N]; };
template <unsigned E, unsigned M, bool FNUZ, unsigned N>
__wavelane_floats<N> __wavelane_scaled(const void *object, float scale) {
  __wavelane_floats<N> r;
  for (unsigned i = 0; i < N; ++i)
    r.value[i] = __wavelane_decode<E, M, FNUZ>((const unsigned char *)object, i * (1 + E + M)) * scale;
  return r;
}
)";

/// A variable of ROCgdb's that is text, or a function, by its name.
static llvm::StringRef FindText(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      // ROCgdb's manual has both.
      .Cases({"$_dispatch_pos", "$_wave_id"},
             "__wavelane_dispatch_pos($workgroup, $wave_in_group)")
      .Case("$_workgroup_pos", "__wavelane_three('(', $workgroup, ')')")
      .Case("$_lane_workgroup_pos", "__wavelane_three('[', $workitem, ']')")
      .Case("$_thread_workgroup_pos", "__wavelane_one($wave_in_group)")
      .Case("$_thread_systag",
            "__wavelane_thread({$_agent, $_queue, $_dispatch, $_wave}, "
            "$workgroup, $wave_in_group)")
      .Case("$_lane_systag",
            "__wavelane_lane({$_agent, $_queue, $_dispatch, $_wave}, $_lane, "
            "$workgroup, $workitem)")
      .Case("$_streq", "__wavelane_streq")
      .Default("");
}

/// What a built-in of the language is without debug information.
static llvm::StringRef FindWithoutDebugInfo(const BuiltinVariable &builtin) {
  switch (builtin.extent) {
  case LaneSource::eWorkItem:
    return "__wavelane_three_numbers($workitem)";
  case LaneSource::eWorkgroup:
    return "__wavelane_three_numbers($workgroup)";
  case LaneSource::eWorkgroupSize:
    return "__wavelane_three_numbers($_workgroup_size)";
  case LaneSource::eWorkgroupCount:
    return "__wavelane_three_numbers($_workgroup_count)";
  case LaneSource::eLaneCount:
    return "$_wave_size";
  }
  llvm_unreachable("not an extent");
}

namespace {

struct Word {
  tok::TokenKind kind = tok::unknown;
  size_t begin = 0, end = 0;
};

/// Where an expression is evaluated.
struct Place {
  bool is_on_gpu = true;
  bool has_debug_info = true;
  /// The error of a HIP call that is being reported, in C++; else empty.
  std::string hip_error;
  /// The kind of the numbers in a variable.
  std::function<std::optional<gpu::SmallFloat>(llvm::StringRef path)>
      find_small_float;
};

class Writer {
public:
  explicit Writer(llvm::StringRef expression, Place place = {})
      : m_text(expression.str()), m_place(std::move(place)) {
    clang::LangOptions options;
    options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = true;
    options.DollarIdents = options.LineComment = true;
    clang::Lexer lexer(clang::SourceLocation(), options, m_text.data(),
                       m_text.data(), m_text.data() + m_text.size());
    clang::Token token;
    while (!lexer.LexFromRawLexer(token) && token.isNot(tok::eof)) {
      const size_t end = lexer.getCurrentBufferOffset();
      m_words.push_back({token.getKind(), end - token.getLength(), end});
    }
    // The last one ends the text.
    if (token.isNot(tok::eof) && token.getLength())
      m_words.push_back(
          {token.getKind(), m_text.size() - token.getLength(), m_text.size()});
  }

  GPUExpression Write() {
    GPUExpression result;
    result.text = Write(0, m_words.size());
    result.error = m_error;
    if (m_needs_spaces)
      result.prefix += g_spaces;
    if (m_needs_sizes)
      result.prefix += g_sizes;
    if (m_needs_texts)
      result.prefix += g_texts;
    if (m_needs_coordinates)
      result.prefix += g_coordinates;
    if (m_needs_small_numbers)
      result.prefix += g_small_numbers;
    return result;
  }

  GPUExpression WriteAssignment() {
    size_t depth = 0, assignment = 0;
    for (size_t i = 0; i < m_words.size(); ++i) {
      if (Is(i, {tok::l_paren, tok::l_square, tok::l_brace}))
        ++depth;
      else if (Is(i, {tok::r_paren, tok::r_square, tok::r_brace}))
        depth -= depth > 0;
      else if (Is(i, {tok::semi}) || (Is(i, {tok::equal}) && assignment))
        return {};
      else if (Is(i, {tok::equal}) && !depth)
        assignment = i;
    }
    if (!assignment || assignment + 1 == m_words.size() ||
        Is(assignment + 1, {tok::l_brace}))
      return {};
    const size_t at = m_words[assignment].end;
    return {m_text.substr(0, at) + " __wavelane_value(" + m_text.substr(at) +
                ")",
            g_assignment.str(), ""};
  }

  /// \param find  What is written for a name; empty for the name.
  GPUExpression
  WriteNames(llvm::function_ref<std::string(llvm::StringRef)> find) const {
    std::string text;
    size_t copied = 0;
    for (size_t i = 0; i < m_words.size(); ++i) {
      if (!Is(i, {tok::raw_identifier}) || Text(i).starts_with("$") ||
          Is(i + 1, {tok::coloncolon}) ||
          (i && Is(i - 1, {tok::period, tok::arrow, tok::coloncolon})))
        continue;
      const std::string written = find(Text(i));
      if (written.empty())
        continue;
      text += llvm::StringRef(m_text).slice(copied, m_words[i].begin);
      text += written;
      copied = m_words[i].end;
    }
    return {copied ? text + m_text.substr(copied) : "", "", ""};
  }

  bool HasSpaceAddress() const {
    for (size_t i = 1; i + 1 < m_words.size(); ++i)
      if (m_words[i].kind == tok::hash)
        return true;
    return false;
  }

private:
  llvm::StringRef Text(size_t i) const {
    return llvm::StringRef(m_text).slice(m_words[i].begin, m_words[i].end);
  }
  bool Is(size_t i, std::initializer_list<tok::TokenKind> kinds) const {
    return i < m_words.size() && llvm::is_contained(kinds, m_words[i].kind);
  }
  bool IsName(size_t i, llvm::StringRef name) const {
    return Is(i, {tok::raw_identifier}) && Text(i) == name;
  }

  /// Behind the bracket that closes the one at \a i.
  size_t SkipBrackets(size_t i) const {
    size_t depth = 0;
    for (; i < m_words.size(); ++i) {
      if (Is(i, {tok::l_paren, tok::l_square, tok::l_brace}))
        ++depth;
      else if (Is(i, {tok::r_paren, tok::r_square, tok::r_brace}) &&
               --depth == 0)
        return i + 1;
    }
    return i;
  }

  /// Behind the unary expression at \a i.
  size_t SkipUnary(size_t i) const {
    while (Is(i, {tok::plus, tok::minus, tok::tilde, tok::exclaim, tok::star,
                  tok::amp, tok::plusplus, tok::minusminus}))
      ++i;
    if (Is(i, {tok::l_paren})) {
      i = SkipBrackets(i);
      // A cast.
      if (Is(i, {tok::raw_identifier, tok::numeric_constant}))
        return SkipUnary(i);
    } else if (Is(i, {tok::raw_identifier, tok::coloncolon})) {
      do
        ++i;
      while (Is(i, {tok::coloncolon}) ||
             (Is(i, {tok::raw_identifier}) && Is(i - 1, {tok::coloncolon})));
    } else {
      return std::min(i + 1, m_words.size());
    }
    return SkipPostfix(i);
  }

  size_t SkipPostfix(size_t i) const {
    while (true) {
      if (Is(i, {tok::l_paren, tok::l_square}))
        i = SkipBrackets(i);
      else if (Is(i, {tok::period, tok::arrow}))
        i = std::min(i + 2, m_words.size());
      else
        return i;
    }
  }

  const gpu::AddressSpace *FindSpace(llvm::StringRef name) {
    uint64_t number = 0;
    const bool is_number = !name.getAsInteger(0, number);
    std::string known;
    for (const gpu::AddressSpace &space : gpu::AddressSpaces) {
      if (is_number ? space.Number == number : name == space.Name)
        return &space;
      if (space.Number != gpu::space::Region)
        known += (known.empty() ? "" : ", ") + std::string(space.Name);
    }
    Fail(llvm::formatv("there is no address space '{0}': there are {1}", name,
                       known));
    return nullptr;
  }

  void Fail(std::string error) {
    if (m_error.empty())
      m_error = std::move(error);
  }

  /// Whether bytes are counted from the address: `void` has no size in C++.
  bool IsCounted(size_t begin, size_t end) const {
    while (begin && Is(begin - 1, {tok::l_paren}))
      --begin;
    while (Is(end, {tok::r_paren}))
      ++end;
    return (begin && Is(begin - 1, {tok::plus, tok::minus, tok::star,
                                    tok::plusplus, tok::minusminus})) ||
           Is(end, {tok::plus, tok::minus, tok::l_square});
  }

  /// Writes the address in a space at \a i, and goes behind it.
  std::string WriteSpaceAddress(size_t &i) {
    const size_t begin = i, operand = i + 2, end = SkipUnary(operand);
    const gpu::AddressSpace *space = FindSpace(Text(begin));
    i = std::max(end, operand);
    if (!space)
      return "";
    if (operand >= m_words.size()) {
      Fail(llvm::formatv("an address is missing after '{0}#'", space->Name));
      return "";
    }
    if (space->Number == gpu::space::Region) {
      Fail("region memory (GDS) can't be reached: the debug library has no "
           "such address space");
      return "";
    }
    int depth = 0;
    for (size_t at = operand; at < end; ++at)
      depth += Is(at, {tok::l_paren}) - Is(at, {tok::r_paren});
    if (depth) {
      Fail(llvm::formatv("a bracket isn't closed in '{0}': words with blanks "
                         "need quotes",
                         llvm::StringRef(m_text).slice(m_words[begin].begin,
                                                       m_words[end - 1].end)));
      return "";
    }
    m_needs_spaces = true;
    std::string address = Write(operand, end);
    const bool is_generic = space->Bits == 64;
    uint64_t number = 0;
    const bool is_number = end == operand + 1 &&
                           !Text(operand).rtrim("uUlL").getAsInteger(0, number);
    if (is_number && !is_generic && number > UINT32_MAX) {
      Fail(llvm::formatv("addresses of {0} memory have 32 bits, {1} has more",
                         space->Name, Text(operand)));
      return "";
    }
    if (!is_number)
      address = "__wavelane_number(" + address + ", $lane)";
    if (!is_number && !is_generic)
      address = llvm::formatv("__wavelane_fits_{0}({1})", space->Name, address);
    return llvm::formatv(
        "__wavelane_{0}<{1}>({2})", is_generic ? "generic" : space->Name,
        IsCounted(begin, end) ? "__wavelane_byte" : "void", address);
  }

  /// Writes the operand of `sizeof` at \a i as that of the type whose size it
  /// has on the GPU, and goes behind it.
  std::string WriteSize(size_t &i) {
    size_t operand = i + 1, end = 0;
    if (Is(operand, {tok::l_paren})) {
      // What is in brackets may be a type.
      end = SkipBrackets(operand);
      i = SkipPostfix(end);
      if (i == end) {
        ++operand;
        --end;
      } else {
        end = i;
      }
    } else {
      i = end = SkipUnary(operand);
    }
    m_needs_sizes = true;
    return "sizeof(__wavelane_sized<__typeof__(" + Write(operand, end) +
           ")>::type)";
  }

  /// `(int *)private_wave#0`: a generic pointer can't lead there, so the cast
  /// is to one into the space. Goes behind it.
  std::string WriteWaveCast(size_t &i) {
    const size_t end = SkipBrackets(i), star = end - 2;
    const std::string type = llvm::StringRef(m_text)
                                 .slice(m_words[i].begin, m_words[star].begin)
                                 .str();
    i = end;
    return llvm::formatv("{0}__attribute__((address_space({1}))) *)", type,
                         uint64_t(gpu::space::PrivateWave));
  }
  bool IsWaveCast(size_t i) const {
    const size_t end = Is(i, {tok::l_paren}) ? SkipBrackets(i) : 0;
    return end > i + 3 && Is(end - 2, {tok::star}) &&
           IsName(end, gpu::findSpace(gpu::space::PrivateWave)->Name) &&
           Is(end + 1, {tok::hash});
  }

  /// Writes the function call at \a i, and goes behind it.
  std::string WriteScaledNumbers(size_t &i) {
    const size_t open = i + 1,
                 end = Is(open, {tok::l_paren}) ? SkipBrackets(open) : open;
    i = end;
    size_t comma = open;
    for (size_t at = open + 1, depth = 0; at + 1 < end; ++at) {
      depth += Is(at, {tok::l_paren, tok::l_square, tok::l_brace});
      depth -= Is(at, {tok::r_paren, tok::r_square, tok::r_brace});
      if (!depth && Is(at, {tok::comma}) && comma == open)
        comma = at;
    }
    const size_t object_end = comma == open ? end - 1 : comma;
    if (end < open + 3 || object_end == open + 1) {
      Fail("usage: $_mx_get_scaled_float(NUMBER [, SCALE])");
      return "";
    }
    const llvm::StringRef object = llvm::StringRef(m_text).slice(
        m_words[open + 1].begin, m_words[object_end - 1].end);
    const std::optional<gpu::SmallFloat> kind =
        m_place.find_small_float ? m_place.find_small_float(object)
                                 : std::nullopt;
    if (!kind) {
      Fail(llvm::formatv("'{0}' isn't a variable, or a part of one, of HIP's "
                         "types for numbers of 4 to 16 bits",
                         object));
      return "";
    }
    m_needs_small_numbers = true;
    const std::string scale = comma == open ? "" : Write(comma + 1, end - 1);
    return llvm::formatv("__wavelane_scaled<{0}, {1}, {2}, {3}>(&({4}), "
                         "__wavelane_scale({5})){6}",
                         kind->Exponent, kind->Mantissa,
                         kind->IsFNUZ ? "true" : "false", kind->Count,
                         Write(open + 1, object_end), scale,
                         kind->Count == 1 ? ".value[0]" : "");
  }

  /// Writes the words from \a first up to \a last.
  std::string Write(size_t first, size_t last) {
    std::string result;
    size_t copied = first < m_words.size() ? m_words[first].begin : 0;
    for (size_t i = first; i < last && m_error.empty();) {
      const size_t at = i;
      std::string text;
      if (!m_place.is_on_gpu && !IsName(i, "$_hiperr") &&
          !IsName(i, "$_mx_get_scaled_float")) {
        // The host's own.
      } else if (Is(i, {tok::hash})) {
        Fail("'#' follows the name of an address space, as in local#0x40");
      } else if (Is(i, {tok::raw_identifier, tok::numeric_constant}) &&
                 Is(i + 1, {tok::hash})) {
        text = WriteSpaceAddress(i);
      } else if (IsWaveCast(i)) {
        text = WriteWaveCast(i);
      } else if (IsName(i, "sizeof") && i + 1 < last &&
                 !Is(i + 1, {tok::ellipsis})) {
        text = WriteSize(i);
      } else if (IsName(i, "$_mx_get_scaled_float")) {
        text = WriteScaledNumbers(i);
      } else if (Is(i, {tok::raw_identifier}) &&
                 !(i &&
                   Is(i - 1, {tok::period, tok::arrow, tok::coloncolon}))) {
        text = WriteName(Text(i));
        i += !text.empty();
      }
      if (i == at) {
        ++i;
        continue;
      }
      result += llvm::StringRef(m_text).slice(copied, m_words[at].begin);
      result += text;
      copied = m_words[i - 1].end;
    }
    if (last && last <= m_words.size() && copied < m_words[last - 1].end)
      result += llvm::StringRef(m_text).slice(copied, m_words[last - 1].end);
    return result;
  }

  /// \return What is written for a name; empty if it is the name.
  std::string WriteName(llvm::StringRef name) {
    if (name == "$_hiperr") {
      if (m_place.hip_error.empty())
        Fail("$_hiperr is known where a HIP call has failed: 'catch hiperr' "
             "stops there");
      return m_place.hip_error;
    }
    if (llvm::StringRef text = FindText(name); !text.empty()) {
      m_needs_texts = true;
      return text.str();
    }
    const BuiltinVariable *builtin =
        m_place.has_debug_info ? nullptr : FindBuiltin(name);
    if (!builtin)
      return "";
    m_needs_coordinates = true;
    return FindWithoutDebugInfo(*builtin).str();
  }

  const std::string m_text;
  const Place m_place;
  std::vector<Word> m_words;
  std::string m_error;
  bool m_needs_spaces = false, m_needs_sizes = false, m_needs_texts = false,
       m_needs_coordinates = false, m_needs_small_numbers = false;
};

} // namespace

/// The error of a HIP call, where the runtime reports it, in C++; empty
/// elsewhere.
static std::string FindHIPError(const ExecutionContext &exe_ctx) {
  Thread *thread = exe_ctx.GetThreadPtr();
  Target *target = exe_ctx.GetTargetPtr();
  // LLDB may hide the runtime's frames.
  lldb::RegisterContextSP registers_sp =
      thread ? thread->GetRegisterContext() : nullptr;
  Address entry;
  SymbolContext context;
  if (!registers_sp || !target ||
      !target->ResolveLoadAddress(registers_sp->GetPC(), entry))
    return "";
  entry.CalculateSymbolContext(&context, lldb::eSymbolContextFunction |
                                             lldb::eSymbolContextSymbol);
  if (context.GetFunctionName() != "__hipOnError")
    return "";
  // A condition is compiled once for all stops.
  StackFrame *frame = exe_ctx.GetFramePtr();
  if (frame && frame->GetFrameCodeAddress() == entry)
    return "(*(int *)$arg1)";
  const RegisterInfo *argument = registers_sp->GetRegisterInfo(
      lldb::eRegisterKindGeneric, LLDB_REGNUM_GENERIC_ARG1);
  RegisterValue value;
  return argument && registers_sp->ReadRegister(argument, value)
             ? llvm::formatv("(*(int *){0:x})", value.GetAsUInt64()).str()
             : "";
}

GPUExpression GPUExpression::Write(llvm::StringRef expression,
                                   const ExecutionContext &exe_ctx) {
  const Target *target = exe_ctx.GetTargetPtr();
  Place place;
  place.is_on_gpu =
      target && target->GetArchitecture().GetMachine() == llvm::Triple::amdgcn;
  if (!place.is_on_gpu && !expression.contains("$_hiperr") &&
      !expression.contains("$_mx_get_scaled_float"))
    return {expression.str(), "", ""};
  if (!place.is_on_gpu)
    place.hip_error = FindHIPError(exe_ctx);
  if (StackFrame *frame = exe_ctx.GetFramePtr()) {
    place.has_debug_info =
        frame->GetSymbolContext(lldb::eSymbolContextCompUnit).comp_unit;
    place.find_small_float = [frame](llvm::StringRef path) {
      lldb::VariableSP variable_sp;
      Status error;
      lldb::ValueObjectSP value_sp = frame->GetValueForVariableExpressionPath(
          path, lldb::eNoDynamicValues,
          StackFrame::eExpressionPathOptionCheckPtrVsMember, variable_sp,
          error);
      return value_sp && error.Success()
                 ? gpu::SmallFloat::ofClass(value_sp->GetCompilerType()
                                                .GetNonReferenceType()
                                                .GetCanonicalType()
                                                .GetTypeName()
                                                .GetStringRef())
                 : std::nullopt;
    };
  }
  return Writer(expression, std::move(place)).Write();
}

GPUExpression GPUExpression::WriteAssignment(llvm::StringRef expression) {
  return Writer(expression).WriteAssignment();
}

/// Whether a name is that of a variable in the frame, in a function of it.
static bool IsLocal(const ExecutionContext &exe_ctx, ConstString name) {
  StackFrame *frame = exe_ctx.GetFramePtr();
  lldb::VariableListSP variables_sp =
      frame ? frame->GetInScopeVariableList(/*get_file_globals=*/false)
            : nullptr;
  return variables_sp && variables_sp->FindVariable(name);
}

static bool HasGlobal(Target &target, ConstString name) {
  VariableList globals;
  target.GetImages().FindGlobalVariables(name, 1, globals);
  return globals.GetSize();
}

/// Whether a name is that of a variable or function in a target's frame or
/// code.
static bool IsKnown(const ExecutionContext &exe_ctx, ConstString name) {
  SymbolContextList functions;
  exe_ctx.GetTargetRef().GetImages().FindFunctions(
      name, lldb::eFunctionNameTypeBase, ModuleFunctionSearchOptions(),
      functions);
  return IsLocal(exe_ctx, name) || HasGlobal(exe_ctx.GetTargetRef(), name) ||
         functions.GetSize();
}

/// The object or function of a name in the target, by its address.
static std::string FindInTarget(Target &target, ConstString name) {
  VariableList globals;
  target.GetImages().FindGlobalVariables(name, 1, globals);
  if (globals.GetSize()) {
    const lldb::VariableSP variable_sp = globals.GetVariableAtIndex(0);
    lldb::ProcessSP process_sp = target.GetProcessSP();
    lldb::ValueObjectSP value_sp = ValueObjectVariable::Create(
        process_sp ? static_cast<ExecutionContextScope *>(process_sp.get())
                   : &target,
        variable_sp);
    const ValueObject::AddrAndType place =
        value_sp ? value_sp->GetAddressOf() : ValueObject::AddrAndType();
    if (!value_sp || place.type != eAddressTypeLoad ||
        place.address == LLDB_INVALID_ADDRESS)
      return "";
    const llvm::StringRef type = value_sp->GetTypeName().GetStringRef();
    // The declarator of an array's pointer isn't behind the type's name.
    return llvm::formatv(type.ends_with("]") || type.ends_with(")")
                             ? "(*(__typeof__({0}) *){1:x})"
                             : "(*({0} *){1:x})",
                         type, place.address);
  }
  SymbolContextList functions;
  target.GetImages().FindFunctions(name, lldb::eFunctionNameTypeBase,
                                   ModuleFunctionSearchOptions(), functions);
  SymbolContext found;
  if (!functions.GetContextAtIndex(0, found))
    return "";
  const Address address = found.function ? found.function->GetAddress()
                          : found.symbol ? found.symbol->GetAddress()
                                         : Address();
  const lldb::addr_t at = address.GetLoadAddress(&target);
  return at == LLDB_INVALID_ADDRESS
             ? ""
             : llvm::formatv("(*(void (*)()){0:x})", at).str();
}

GPUExpression GPUExpression::WriteOtherSide(llvm::StringRef expression,
                                            const ExecutionContext &exe_ctx) {
  Target *target = exe_ctx.GetTargetPtr();
  lldb::TargetSP other_sp = target ? GetOtherSide(*target) : nullptr;
  if (!other_sp)
    return {};
  return Writer(expression).WriteNames([&](llvm::StringRef text) {
    const ConstString name(text);
    return IsKnown(exe_ctx, name) ? "" : FindInTarget(*other_sp, name);
  });
}

std::string GPUExpression::DescribeRefusal(llvm::StringRef function) {
  if (!function.consume_front("__wavelane_too_large_"))
    return "";
  return llvm::formatv(
      "addresses of {0} memory have 32 bits, and this one has more", function);
}

bool lldb_private::wavelane::HasSpaceAddress(llvm::StringRef word) {
  return word.contains('#') && Writer(word).HasSpaceAddress();
}
