//===-- ExpressionReader.h - from clang's expressions to ours ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCEFACTS_EXPRESSIONREADER_H
#define WAVELANE_SOURCEFACTS_EXPRESSIONREADER_H

#include "wavelane/SourceFacts/Expression.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

namespace wavelane::source {

/// The line that debug information gives a place.
unsigned getLine(const clang::ASTContext &Context, clang::SourceLocation Loc);

ValueType translate(const clang::ASTContext &Context, clang::QualType Type);

/// Translates the expressions of one function.
class Translator {
public:
  Translator(const clang::ASTContext &Context,
             const clang::FunctionDecl &Function)
      : Context(Context), Function(Function) {}

  /// \return nullopt for what can't be computed without the program.
  std::optional<Expression> translate(const clang::Expr *E);
  /// What `v += 2` or `++v` assigns.
  std::optional<Expression> translateUpdate(const clang::Expr &E);

private:
  std::optional<Expression> translateOther(const clang::Expr *E);
  std::optional<Expression> translateCast(const clang::CastExpr &Cast);
  std::optional<Expression> translateBinary(const clang::BinaryOperator &E);
  std::optional<Expression> translateUnary(const clang::UnaryOperator &E);
  std::optional<Expression> translateLogic(Expression::Kind Kind,
                                           const clang::Expr &E,
                                           llvm::ArrayRef<const clang::Expr *>);
  std::optional<Expression> translateElement(const clang::Expr *Pointer,
                                             const clang::Expr *Index,
                                             bool IsBefore);
  /// A variable, or its member.
  std::optional<Expression> translateLoad(const clang::Expr *Place);
  std::optional<Expression> translateConstant(const clang::Expr &E);
  std::optional<Expression> translateBuiltin(const clang::Expr *E);
  Expression make(Expression::Kind Kind, const clang::Expr &E) const;
  Expression convert(Expression Operand, clang::QualType To) const;

  const clang::ASTContext &Context;
  const clang::FunctionDecl &Function;
  unsigned Depth = 0;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_EXPRESSIONREADER_H
