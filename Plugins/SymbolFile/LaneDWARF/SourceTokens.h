//===-- SourceTokens.h - declarations in a program's source -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable that the compiler dropped may have an initialiser of which all
// parts still exist: `const int row = blockIdx.y * 16 + threadIdx.y;`. It has
// that value if it is never changed, which its source shows. In doubt, it is
// changed. In the same way, a parameter has the value that its call passes.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SOURCETOKENS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SOURCETOKENS_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// An integer of C++, of 4 or 8 bytes: smaller ones are promoted.
struct SourceInteger {
  uint64_t bits = 0;
  unsigned size = 4; ///< in bytes
  bool is_signed = true;

  /// The integer of that size and sign; of less than 4 bytes, promoted.
  static SourceInteger Make(uint64_t bits, unsigned size, bool is_signed);
};

/// What is known of functions.
class SourceFunctions {
public:
  virtual ~SourceFunctions() = default;
  /// Whether all functions called \a name take the argument \a index by value.
  virtual bool TakeValue(llvm::StringRef name, size_t index) = 0;
};

/// The tokens of a file of C++.
class SourceTokens {
public:
  explicit SourceTokens(std::string text);
  SourceTokens(const SourceTokens &) = delete;
  SourceTokens &operator=(const SourceTokens &) = delete;

  /// The tokens of an initialiser.
  using Range = std::pair<size_t, size_t>;
  /// Finds `name = ...;` that begins at \a line.
  /// \return nullopt if there is no such declaration, or more than one.
  std::optional<Range> FindInitialiser(llvm::StringRef name,
                                       unsigned line) const;

  /// Finds the argument \a index of the call of \a function at a place, whose
  /// column is counted in bytes, from 1.
  /// \param[in] count  How many parameters the function has.
  /// \return nullopt if no such call, or argument, can be seen there.
  std::optional<Range> FindArgument(unsigned line, unsigned column,
                                    llvm::StringRef function, size_t index,
                                    size_t count) const;

  /// Whether the variable or parameter that is declared at \a line may have
  /// another value later than after its declaration.
  /// \param[in] is_pointer  Its elements aren't its value.
  bool MayChange(llvm::StringRef name, unsigned line, bool is_pointer,
                 SourceFunctions &functions) const;

  /// The value of a name, such as "n" or "blockIdx.x".
  using Lookup =
      llvm::function_ref<std::optional<SourceInteger>(llvm::StringRef name)>;
  /// Computes an initialiser as C++ would.
  /// \return nullopt if it isn't integer arithmetic, or has no value.
  std::optional<SourceInteger> Evaluate(Range initialiser, Lookup lookup) const;

  /// An array in local memory whose size the launch of the kernel decides:
  /// `extern __shared__ float tile[][16];`
  struct DynamicArray {
    std::string name;
    /// The tokens of the elements' type, such as "unsigned", "char".
    std::vector<std::string> type;
    /// The counts of the inner dimensions.
    std::vector<uint64_t> counts;
    unsigned line = 0;
  };
  /// The arrays that are declared in the body of \a function, whose name is at
  /// \a line; or those declared outside all functions, if \a line is 0.
  std::vector<DynamicArray> FindDynamicArrays(llvm::StringRef function,
                                              unsigned line) const;
  /// The files that the file includes by `#include "NAME"`.
  const std::vector<std::string> &GetIncludes() const { return m_includes; }
  /// Whether the variable that is declared at \a line is `__shared__`.
  bool IsShared(llvm::StringRef name, unsigned line) const;
  /// Whether the body of a function uses \a name.
  bool Uses(llvm::StringRef function, unsigned line,
            llvm::StringRef name) const;

  /// Whether a function of this file may call itself, by way of others of it:
  /// the compiler can make a loop of that.
  bool MayCallItself(llvm::StringRef function) const;

  /// The name, if the initialiser is nothing else.
  std::optional<llvm::StringRef> GetName(Range initialiser) const;
  /// The number, if the initialiser is a literal of `double`, or of `float`.
  std::optional<llvm::APFloat> GetFloat(Range initialiser) const;
  /// A pointer's name and what is added to it: `p + n`, `&p[n]` or `p`, where
  /// the second range is empty.
  std::optional<std::pair<llvm::StringRef, Range>>
  GetElement(Range initialiser) const;

  /// The source of an initialiser, in one line.
  std::string GetText(Range initialiser) const;

private:
  struct Token {
    enum Kind : uint8_t { eName, eNumber, ePunctuation, eText };
    Kind kind = ePunctuation;
    unsigned line = 0, column = 0;
    llvm::StringRef text;
  };
  class Parser;

  void Tokenise();
  /// \return The index of the declaration's name; nullopt unless there is
  ///     exactly one at \a line.
  std::optional<size_t> FindDeclaration(llvm::StringRef name,
                                        unsigned line) const;
  bool IsName(size_t at) const {
    return at < m_tokens.size() && m_tokens[at].kind == Token::eName;
  }
  bool Is(size_t at, llvm::StringRef punctuation) const {
    return at < m_tokens.size() && m_tokens[at].kind == Token::ePunctuation &&
           m_tokens[at].text == punctuation;
  }
  bool IsOneOf(size_t at, llvm::ArrayRef<llvm::StringLiteral> texts) const;
  bool IsChangedAt(size_t at, bool is_pointer,
                   SourceFunctions &functions) const;
  /// Whether the parenthesis at \a open encloses something else than
  /// arguments, or the argument \a index is passed by value.
  bool PassesValue(size_t open, size_t index, SourceFunctions &functions) const;
  /// Whether each variable called \a name of this file is a lambda that takes
  /// the argument \a index by value.
  bool IsLambdaOfValue(llvm::StringRef name, size_t index) const;
  /// Whether the brace at \a open begins the values of an array of numbers.
  bool IsArrayOfNumbers(size_t open) const;
  /// The tokens between the braces of a function's body.
  /// \return Empty if there is no body.
  Range FindBody(llvm::StringRef function, unsigned line) const;
  /// The token behind the bracket that closes the one at \a open.
  size_t SkipBrackets(size_t open) const;
  /// The declaration with the name `__shared__`, or with a macro of HIP's, at
  /// \a at.
  std::optional<DynamicArray> ParseDynamicArray(size_t at) const;
  /// \return The first token at \a line, or behind it.
  size_t FindLine(unsigned line) const;

  std::string m_text;
  std::vector<Token> m_tokens;
  /// Names in the file's preprocessor directives.
  llvm::StringSet<> m_in_directives;
  std::vector<std::string> m_includes;
};

} // namespace wavelane
} // namespace lldb_private

#endif
