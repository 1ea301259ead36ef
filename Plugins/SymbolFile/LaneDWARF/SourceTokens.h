//===-- SourceTokens.h - declarations in a program's source -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable that the compiler dropped may have an initialiser of which all
// parts still exist: `const int row = blockIdx.y * 16 + threadIdx.y;`. It has
// that value if it is never changed, which its source shows. In doubt, it is
// changed.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SOURCETOKENS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SOURCETOKENS_H

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

  /// Whether the variable or parameter that is declared at \a line may have
  /// another value later than after its declaration.
  bool MayChange(llvm::StringRef name, unsigned line) const;

  /// The value of a name, such as "n" or "blockIdx.x".
  using Lookup =
      llvm::function_ref<std::optional<SourceInteger>(llvm::StringRef name)>;
  /// Computes an initialiser as C++ would.
  /// \return nullopt if it isn't integer arithmetic, or has no value.
  std::optional<SourceInteger> Evaluate(Range initialiser, Lookup lookup) const;

  /// The source of an initialiser, in one line.
  std::string GetText(Range initialiser) const;

private:
  struct Token {
    enum Kind : uint8_t { eName, eNumber, ePunctuation, eText };
    Kind kind = ePunctuation;
    unsigned line = 0;
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
  bool IsChangedAt(size_t at) const;
  /// Whether the parenthesis at \a open encloses arguments that are passed by
  /// value, or none.
  bool PassesValues(size_t open) const;

  std::string m_text;
  std::vector<Token> m_tokens;
  /// Names in the file's preprocessor directives.
  llvm::StringSet<> m_in_directives;
};

} // namespace wavelane
} // namespace lldb_private

#endif
