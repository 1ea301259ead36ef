//===-- ExpressionReader.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpressionReader.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace wavelane::source;

using Kind = Expression::Kind;

unsigned wavelane::source::getLine(const ASTContext &Context,
                                   SourceLocation Loc) {
  const PresumedLoc Presumed = Context.getSourceManager().getPresumedLoc(Loc);
  return Presumed.isValid() ? Presumed.getLine() : 0;
}

ValueType wavelane::source::translate(const ASTContext &Context,
                                      QualType Type) {
  ValueType Result;
  if (Type.isNull() || Type->isDependentType() || Type->isIncompleteType() ||
      Type->isReferenceType() || Type->isFunctionType() ||
      Type->isPlaceholderType())
    return Result;
  Result.Size = uint64_t(Context.getTypeSizeInChars(Type).getQuantity());
  if (Type.isVolatileQualified() || Type->isAtomicType())
    return ValueType();
  const QualType Canonical = Type.getCanonicalType();
  if (Canonical->isBooleanType())
    Result.K = ValueType::Kind::Boolean;
  else if (Canonical->isIntegralOrEnumerationType())
    Result.K = Canonical->isSignedIntegerOrEnumerationType()
                   ? ValueType::Kind::Signed
                   : ValueType::Kind::Unsigned;
  else if (Canonical->isPointerType() && Result.Size == 8)
    Result.K = ValueType::Kind::Pointer;
  else if (Canonical->isSpecificBuiltinType(BuiltinType::Float) ||
           Canonical->isSpecificBuiltinType(BuiltinType::Double))
    Result.K = ValueType::Kind::Float;
  return Result;
}

Expression Translator::make(Kind K, const Expr &E) const {
  Expression Result;
  Result.K = K;
  Result.Type = wavelane::source::translate(Context, E.getType());
  return Result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<Expression> Translator::translateConstant(const Expr &E) {
  Expr::EvalResult Value;
  if (!E.isPRValue() || E.HasSideEffects(Context) ||
      !E.EvaluateAsRValue(Value, Context) || Value.HasSideEffects ||
      Value.HasUndefinedBehavior)
    return std::nullopt;
  Expression Result = make(Kind::Constant, E);
  if (Value.Val.isInt() && Result.Type.isInteger() && Result.Type.Size <= 8) {
    Result.Constant = Value.Val.getInt().getRawData()[0];
    return Result;
  }
  if (Value.Val.isFloat() && Result.Type.K == ValueType::Kind::Float) {
    Result.Constant = Value.Val.getFloat().bitcastToAPInt().getZExtValue();
    return Result;
  }
  return std::nullopt;
}

std::optional<Expression> Translator::translateLoad(const Expr *Place) {
  Expression Result = make(Kind::Variable, *Place);
  Place = Place->IgnoreParens();
  while (const auto *Member = dyn_cast<MemberExpr>(Place)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (Member->isArrow() || !Field || Field->isBitField() ||
        Field->getType()->isReferenceType() || !Field->getIdentifier())
      return std::nullopt;
    Result.Members.insert(Result.Members.begin(), Field->getName().str());
    Place = Member->getBase()->IgnoreParens();
  }
  const auto *Reference = dyn_cast<DeclRefExpr>(Place);
  const auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable || !Variable->hasLocalStorage() || !Variable->getIdentifier() ||
      Variable->getDeclContext() != &Function ||
      Variable->getType()->isReferenceType() || Result.Type.Size == 0)
    return std::nullopt;
  Result.Name = Variable->getName().str();
  Result.Line = getLine(Context, Variable->getLocation());
  return Result;
}

/// The variable of HIP's headers that a place is, or is a member of.
static std::string getBuiltinName(const ASTContext &Context, const Expr *E,
                                  llvm::StringRef Member) {
  const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable || !Variable->getIdentifier() || !Variable->hasGlobalStorage())
    return {};
  const llvm::StringRef Name = Variable->getName();
  if (!llvm::is_contained({"threadIdx", "blockIdx", "blockDim", "gridDim"},
                          Name) ||
      !llvm::is_contained({"x", "y", "z"}, Member))
    return {};
  // The program may have variables of its own with these names.
  const SourceManager &SM = Context.getSourceManager();
  const llvm::StringRef File = SM.getFilename(Variable->getLocation());
  if (!SM.isInSystemHeader(Variable->getLocation()) && !File.contains("/hip/"))
    return {};
  return (Name + "." + Member).str();
}

/// `threadIdx.x`, whichever of HIP's headers declares it.
std::optional<Expression> Translator::translateBuiltin(const Expr *E) {
  std::string Name;
  if (const auto *Object = dyn_cast<PseudoObjectExpr>(E)) {
    if (const auto *Property = dyn_cast<MSPropertyRefExpr>(
            Object->getSyntacticForm()->IgnoreParens()))
      Name = getBuiltinName(Context, Property->getBaseExpr(),
                            Property->getPropertyDecl()->getName());
  } else if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) {
    const auto *Member = dyn_cast<MemberExpr>(
        Call->getImplicitObjectArgument()->IgnoreParenImpCasts());
    if (isa_and_nonnull<CXXConversionDecl>(Call->getMethodDecl()) && Member &&
        Member->getMemberDecl()->getIdentifier())
      Name = getBuiltinName(Context, Member->getBase(),
                            Member->getMemberDecl()->getName());
  }
  if (Name.empty())
    return std::nullopt;
  Expression Result = make(Kind::Builtin, *E);
  Result.Name = std::move(Name);
  return Result.Type.isInteger() && Result.Type.Size == 4
             ? std::optional(std::move(Result))
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

std::optional<Expression>
Translator::translateLogic(Kind K, const Expr &E,
                           llvm::ArrayRef<const Expr *> Operands) {
  Expression Result = make(K, E);
  for (const Expr *Operand : Operands) {
    std::optional<Expression> Translated = translate(Operand);
    if (!Translated)
      return std::nullopt;
    Result.Operands.push_back(std::move(*Translated));
  }
  return Result;
}

std::optional<Expression> Translator::translateElement(const Expr *Pointer,
                                                       const Expr *Index,
                                                       bool IsBefore) {
  const QualType Pointee = Pointer->getType()->getPointeeType();
  std::optional<Expression> Base = translate(Pointer), Added = translate(Index);
  if (Pointee.isNull() || Pointee->isIncompleteType() ||
      Pointee->isFunctionType() || !Base || !Added ||
      Base->Type.K != ValueType::Kind::Pointer || !Added->Type.isInteger())
    return std::nullopt;
  Expression Result = make(Kind::Element, *Pointer);
  Result.Constant = uint64_t(Context.getTypeSizeInChars(Pointee).getQuantity());
  if (IsBefore)
    Result.Constant = 0 - Result.Constant;
  Result.Operands.push_back(std::move(*Base));
  Result.Operands.push_back(std::move(*Added));
  return Result;
}

std::optional<Expression> Translator::translateBinary(const BinaryOperator &E) {
  const Expr *L = E.getLHS(), *R = E.getRHS();
  if (E.getType()->isPointerType()) {
    if (E.getOpcode() == BO_Add)
      return L->getType()->isPointerType() ? translateElement(L, R, false)
                                           : translateElement(R, L, false);
    return E.getOpcode() == BO_Sub ? translateElement(L, R, true)
                                   : std::nullopt;
  }
  if (!L->getType()->isIntegralOrEnumerationType() ||
      !R->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  auto Not = [&](std::optional<Expression> Inner) -> std::optional<Expression> {
    if (!Inner)
      return std::nullopt;
    Expression Result = make(Kind::IsZero, E);
    Result.Operands.push_back(std::move(*Inner));
    return Result;
  };
  switch (E.getOpcode()) {
  case BO_Add:
    return translateLogic(Kind::Add, E, {L, R});
  case BO_Sub:
    return translateLogic(Kind::Subtract, E, {L, R});
  case BO_Mul:
    return translateLogic(Kind::Multiply, E, {L, R});
  case BO_Div:
    return translateLogic(Kind::Divide, E, {L, R});
  case BO_Rem:
    return translateLogic(Kind::Remainder, E, {L, R});
  case BO_Shl:
    return translateLogic(Kind::ShiftLeft, E, {L, R});
  case BO_Shr:
    return translateLogic(Kind::ShiftRight, E, {L, R});
  case BO_And:
    return translateLogic(Kind::And, E, {L, R});
  case BO_Or:
    return translateLogic(Kind::Or, E, {L, R});
  case BO_Xor:
    return translateLogic(Kind::ExclusiveOr, E, {L, R});
  case BO_LT:
    return translateLogic(Kind::Less, E, {L, R});
  case BO_GT:
    return translateLogic(Kind::Less, E, {R, L});
  case BO_LE:
    return translateLogic(Kind::LessOrEqual, E, {L, R});
  case BO_GE:
    return translateLogic(Kind::LessOrEqual, E, {R, L});
  case BO_EQ:
    return translateLogic(Kind::Equal, E, {L, R});
  case BO_NE:
    return Not(translateLogic(Kind::Equal, E, {L, R}));
  case BO_LAnd:
    return translateLogic(Kind::Both, E, {L, R});
  case BO_LOr:
    return translateLogic(Kind::Either, E, {L, R});
  default:
    return std::nullopt;
  }
}

Expression Translator::convert(Expression Operand, QualType To) const {
  Expression Result;
  Result.K = Kind::Convert;
  Result.Type = wavelane::source::translate(Context, To);
  Result.Operands.push_back(std::move(Operand));
  return Result;
}

static std::optional<Kind> getKind(BinaryOperatorKind Operator) {
  switch (Operator) {
  case BO_AddAssign:
    return Kind::Add;
  case BO_SubAssign:
    return Kind::Subtract;
  case BO_MulAssign:
    return Kind::Multiply;
  case BO_DivAssign:
    return Kind::Divide;
  case BO_RemAssign:
    return Kind::Remainder;
  case BO_ShlAssign:
    return Kind::ShiftLeft;
  case BO_ShrAssign:
    return Kind::ShiftRight;
  case BO_AndAssign:
    return Kind::And;
  case BO_OrAssign:
    return Kind::Or;
  case BO_XorAssign:
    return Kind::ExclusiveOr;
  default:
    return std::nullopt;
  }
}

std::optional<Expression> Translator::translateUpdate(const Expr &E) {
  Expression Result;
  QualType To, In;
  std::optional<Expression> Before, By;
  if (const auto *Compound = dyn_cast<CompoundAssignOperator>(&E)) {
    const std::optional<Kind> K = getKind(Compound->getOpcode());
    To = Compound->getLHS()->getType();
    In = Compound->getComputationLHSType();
    Before = translateLoad(Compound->getLHS());
    By = translate(Compound->getRHS());
    if (!K || In.isNull())
      return std::nullopt;
    Result.K = *K;
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(&E);
             Unary && Unary->isIncrementDecrementOp()) {
    To = Unary->getType();
    In = Context.isPromotableIntegerType(To)
             ? Context.getPromotedIntegerType(To)
             : To;
    Before = translateLoad(Unary->getSubExpr());
    By.emplace();
    By->Type = wavelane::source::translate(Context, In);
    By->Constant = 1;
    Result.K = Unary->isIncrementOp() ? Kind::Add : Kind::Subtract;
  }
  if (!Before || !By || To->isBooleanType() ||
      !To->isIntegralOrEnumerationType() || !In->isIntegralOrEnumerationType())
    return std::nullopt;
  Result.Type = wavelane::source::translate(Context, In);
  Result.Operands = {convert(std::move(*Before), In), std::move(*By)};
  return convert(std::move(Result), To);
}

std::optional<Expression> Translator::translateUnary(const UnaryOperator &E) {
  const Expr *Operand = E.getSubExpr();
  switch (E.getOpcode()) {
  case UO_Plus:
    return translate(Operand);
  case UO_Minus:
  case UO_Not:
    return Operand->getType()->isIntegralOrEnumerationType()
               ? translateLogic(E.getOpcode() == UO_Minus ? Kind::Negate
                                                          : Kind::Complement,
                                E, {Operand})
               : std::nullopt;
  case UO_LNot:
    return translateLogic(Kind::IsZero, E, {Operand});
  case UO_AddrOf: {
    // The address of a pointer's element.
    const auto *Element = dyn_cast<ArraySubscriptExpr>(Operand->IgnoreParens());
    return Element && Element->getBase()->IgnoreParens()->isPRValue()
               ? translateElement(Element->getBase(), Element->getIdx(), false)
               : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<Expression> Translator::translateCast(const CastExpr &Cast) {
  const Expr *Operand = Cast.getSubExpr();
  switch (Cast.getCastKind()) {
  case CK_LValueToRValue:
    return translateLoad(Operand);
  case CK_NoOp:
    return Operand->isPRValue() ? translate(Operand) : std::nullopt;
  case CK_UserDefinedConversion:
    return translate(Operand);
  case CK_IntegralCast:
  case CK_IntegralToBoolean:
  case CK_BooleanToSignedIntegral:
  case CK_IntegralToFloating:
    // `true` becomes -1 in one of them, which HIP has no use for.
    if (Cast.getCastKind() == CK_BooleanToSignedIntegral)
      return std::nullopt;
    return translateLogic(Kind::Convert, Cast, {Operand});
  case CK_BitCast:
    return Cast.getType()->isPointerType() &&
                   Operand->getType()->isPointerType()
               ? translateLogic(Kind::Convert, Cast, {Operand})
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Expression> Translator::translateOther(const Expr *E) {
  if (std::optional<Expression> Builtin = translateBuiltin(E))
    return Builtin;
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return translateCast(*Cast);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return translateBinary(*Binary);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return translateUnary(*Unary);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return translateLogic(
        Kind::Choice, *E,
        {Choice->getCond(), Choice->getTrueExpr(), Choice->getFalseExpr()});
  if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return translate(Substituted->getReplacement());
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
    return translate(Default->getExpr());
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return translate(Full->getSubExpr());
  // HIP's headers multiply gridDim.x and blockDim.x with an operator.
  if (const auto *Product = dyn_cast<CXXOperatorCallExpr>(E);
      Product && Product->getOperator() == OO_Star &&
      Product->getNumArgs() == 2 && E->getType()->isUnsignedIntegerType()) {
    Expression Result = make(Kind::Multiply, *E);
    for (const Expr *Factor : Product->arguments()) {
      const auto *Copy = dyn_cast<CXXConstructExpr>(Factor->IgnoreParens());
      const auto *Member =
          Copy && Copy->getNumArgs() == 1
              ? dyn_cast<MemberExpr>(Copy->getArg(0)->IgnoreParenImpCasts())
              : nullptr;
      if (!Member || !Member->getMemberDecl()->getIdentifier())
        return std::nullopt;
      Expression Leaf = make(Kind::Builtin, *E);
      Leaf.Name = getBuiltinName(Context, Member->getBase(),
                                 Member->getMemberDecl()->getName());
      if (Leaf.Name.empty() || Leaf.Type.Size != 4)
        return std::nullopt;
      Result.Operands.push_back(std::move(Leaf));
    }
    return Result;
  }
  // A copy of a whole object.
  if (const auto *Copy = dyn_cast<CXXConstructExpr>(E);
      Copy && Copy->getNumArgs() == 1 &&
      Copy->getConstructor()->isCopyConstructor() &&
      Copy->getConstructor()->isTrivial())
    return translateLoad(Copy->getArg(0)->IgnoreParenImpCasts());
  return std::nullopt;
}

std::optional<Expression> Translator::translate(const Expr *E) {
  constexpr unsigned Most = 100; // operations within each other
  if (!E || E->isTypeDependent() || E->isValueDependent() ||
      E->containsErrors() || Depth > Most)
    return std::nullopt;
  llvm::SaveAndRestore<unsigned> Deeper(Depth, Depth + 1);
  E = E->IgnoreParens();
  if (std::optional<Expression> Constant = translateConstant(*E))
    return Constant;
  return translateOther(E);
}
