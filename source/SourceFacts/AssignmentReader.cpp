//===-- AssignmentReader.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssignmentReader.h"
#include "ExpressionReader.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;
using namespace wavelane::source;
using Place = wavelane::source::Place;

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

const llvm::SmallBitVector *AssignedVariable::findLast(BitRange Part,
                                                       unsigned AtLine) const {
  const PartLines *Found = nullptr;
  uint64_t Smallest = 0;
  for (const auto &[Bits, Lines] : Parts)
    if (Bits.covers(Part) && (!Found || Bits.Size < Smallest)) {
      Found = &Lines;
      Smallest = Bits.Size;
    }
  if (!Found)
    return nullptr;
  auto At = Found->find(AtLine);
  return At == Found->end() ? nullptr : &At->second;
}

std::optional<unsigned> AssignedVariable::findOnly(unsigned AtLine) const {
  const llvm::SmallBitVector *Last = findLast({0, Size}, AtLine);
  return IsComplete && Last && Last->count() == 1
             ? std::optional<unsigned>(Last->find_first())
             : std::nullopt;
}

std::optional<uint64_t> Assignment::findConstant(BitRange Part) const {
  auto Found = Constants.find(Part);
  if (Found != Constants.end())
    return Found->second;
  for (const auto &[Bits, Constant] : Constants)
    if (!Constant && Bits.covers(Part))
      return 0;
  return std::nullopt;
}

std::optional<unsigned> AssignedVariable::findAt(BitRange Part,
                                                 Place At) const {
  std::optional<unsigned> Found;
  for (unsigned I = 0; I < Assignments.size(); ++I) {
    const Assignment &A = Assignments[I];
    if (A.K != Assignment::Kind::Value || !A.Bits.overlaps(Part) ||
        !(A.Begin <= At) || !(At <= A.End))
      continue;
    if (Found)
      return std::nullopt;
    Found = I;
  }
  return Found;
}

bool AssignedVariable::mayAdd(int64_t Added) const {
  return !IsComplete || Steps.empty() ||
         llvm::any_of(Steps, [Added](int64_t Step) {
           return (Added < 0) == (Step < 0) && Added % Step == 0;
         });
}

llvm::SmallBitVector AssignedVariable::findUpdates(BitRange Part,
                                                   size_t Count) const {
  llvm::SmallBitVector Points(Count);
  for (const Assignment &A : Assignments)
    if (A.IsUpdate && A.Bits.covers(Part))
      Points.set(*A.Point);
  return Points;
}

llvm::SmallBitVector AssignedVariable::findConstants(BitRange Part,
                                                     size_t Count) const {
  llvm::SmallBitVector Points(Count);
  for (const Assignment &A : Assignments)
    if (A.Point && A.Bits.covers(Part) && A.findConstant(Part))
      Points.set(*A.Point);
  return Points;
}

bool ControlFlow::passes(unsigned From, unsigned To,
                         const llvm::SmallBitVector &Needed) const {
  auto Reaches = [&](bool Avoids) {
    std::vector<bool> Seen(Points.size());
    std::vector<unsigned> Open;
    auto Go = [&](unsigned At) {
      for (unsigned Next : Points[At].Next)
        if (!Seen[Next]) {
          Seen[Next] = true;
          Open.push_back(Next);
        }
    };
    for (unsigned I = 0; I < Points.size(); ++I)
      if (Points[I].Line == From)
        Go(I);
    while (!Open.empty()) {
      const unsigned At = Open.back();
      Open.pop_back();
      if (Points[At].Line == To)
        return true;
      if (!Avoids || !Needed.test(At))
        Go(At);
    }
    return false;
  };
  return Needed.any() && !Reaches(/*Avoids=*/true) && Reaches(/*Avoids=*/false);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Bits of a variable that an expression names.
struct Object {
  const VarDecl *Variable = nullptr;
  const DeclRefExpr *Name = nullptr;
  BitRange Bits;
  /// Some of the bits, as of an array with an index.
  bool IsSome = false;
};

/// An assignment, while the function is read.
struct Found {
  const VarDecl *Variable = nullptr;
  const Stmt *Statement = nullptr;
  Assignment Made;
};

class Finder : public DynamicRecursiveASTVisitor {
public:
  Finder(ASTContext &Context, const FunctionDecl &Function)
      : Context(Context), SM(Context.getSourceManager()), Function(Function) {
    ShouldVisitImplicitCode = true;
  }

  std::vector<AssignedVariable> read(ControlFlow &Flow);
  /// The value of a variable that only has a constant initializer.
  std::optional<Bytes> findConstant(const Expression &Leaf) const;

  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (!Known.contains(E))
      Others.insert(dyn_cast<VarDecl>(E->getDecl()));
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) override { return noteObject(E); }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) override {
    return noteObject(E);
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    // What a constant reference is bound to.
    if (E->getCastKind() == CK_NoOp && E->isGLValue() &&
        E->getType().isConstQualified())
      if (std::optional<Object> O = findObject(E->getSubExpr()))
        Constant.insert(O->Name);
    return true;
  }
  bool TraverseLambdaCapture(LambdaExpr *Lambda, const LambdaCapture *Capture,
                             Expr *Init) override {
    // What a lambda does with a captured reference, its body shows.
    if (Lambda->isInitCapture(Capture) ||
        Capture->getCaptureKind() != LCK_ByRef)
      return DynamicRecursiveASTVisitor::TraverseLambdaCapture(Lambda, Capture,
                                                               Init);
    if (const auto *Name = dyn_cast_or_null<DeclRefExpr>(Init))
      Known.insert(Name);
    return true;
  }
  bool VisitCastExpr(CastExpr *E) override {
    if (E->getCastKind() == CK_LValueToRValue || E->getCastKind() == CK_ToVoid)
      noteRead(E->getSubExpr());
    return true;
  }

private:
  /// Assignments, in a function with so much code, aren't followed.
  static constexpr size_t MostWork = 1 << 24;

  std::optional<Object> findObject(const Expr *E) const;
  std::optional<Found> readAssignment(const Stmt &S);
  std::optional<Found> readDeclaration(const DeclStmt &S);
  std::vector<Found> readEscapes(const Stmt &S) const;
  void noteRead(const Expr *E) {
    E = E->IgnoreParens();
    if (const auto *Comma = dyn_cast<BinaryOperator>(E);
        Comma && Comma->isCommaOp()) {
      noteRead(Comma->getRHS());
    } else if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
      noteRead(Choice->getTrueExpr());
      noteRead(Choice->getFalseExpr());
    } else if (std::optional<Object> O = findObject(E)) {
      Known.insert(O->Name);
    }
  }
  bool noteObject(const Expr *E) {
    if (std::optional<Object> O = findObject(E))
      Objects.try_emplace(O->Name, *O);
    return true;
  }
  Found make(const Object &To, const Stmt &S, SourceRange Text,
             const Expr *Value);
  std::optional<uint64_t> readConstant(const Expr *Value) const;
  void readConstants(const Expr *Value, BitRange Bits,
                     std::map<BitRange, uint64_t> &Into) const;
  uint64_t getSize(QualType Type) const {
    return Type->isIncompleteType() || Type->isDependentType()
               ? 0
               : Context.getTypeSize(Type);
  }
  Place getPlace(SourceLocation Loc, bool IsEnd) const {
    const CharSourceRange Text = SM.getExpansionRange(Loc);
    const PresumedLoc At =
        SM.getPresumedLoc(IsEnd ? Text.getEnd() : Text.getBegin());
    return At.isValid() ? Place{At.getLine(), At.getColumn()} : Place();
  }
  void follow(const CFG &Code, AssignedVariable &Variable,
              const VarDecl &Declaration, llvm::ArrayRef<Found> Statements,
              BitRange Part);
  std::optional<Expression> readValue(const Stmt &S);
  /// Whether an assignment's value is computed from some of the bits that it
  /// replaces.
  bool changes(const Stmt &S, const VarDecl &Variable, BitRange Bits) const;
  bool reads(const Stmt *S, const VarDecl &Variable, BitRange Bits) const;
  std::vector<int64_t> readSteps(llvm::ArrayRef<Found> Statements) const;
  /// Finds the assignments whose values the variables of an expression have.
  /// \return Whether each has one.
  bool resolve(Expression &E, const Stmt &In,
               llvm::ArrayRef<AssignedVariable> Made) const;

  ASTContext &Context;
  const SourceManager &SM;
  const FunctionDecl &Function;
  llvm::MapVector<const VarDecl *, std::vector<Found>> Variables;
  /// Names that are read, or assigned to, and nothing else.
  llvm::DenseSet<const DeclRefExpr *> Known;
  /// Those that something else is done with, which doesn't write.
  llvm::DenseSet<const DeclRefExpr *> Constant;
  llvm::DenseSet<const VarDecl *> Others;
  /// What names are used for: the largest expression.
  llvm::DenseMap<const DeclRefExpr *, Object> Objects;
  /// The variables that are followed.
  std::vector<const VarDecl *> Followed;
  /// The statements that assign to some variable, and what a variable may have
  /// its value of before them.
  llvm::DenseSet<const Stmt *> Assigning;
  std::map<std::pair<const VarDecl *, const Stmt *>, llvm::SmallBitVector> Seen;
};

} // namespace

std::optional<Object> Finder::findObject(const Expr *E) const {
  E = E->IgnoreParens();
  if (const auto *Name = dyn_cast<DeclRefExpr>(E)) {
    const auto *Variable = dyn_cast<VarDecl>(Name->getDecl());
    if (!Variable || !Variable->hasLocalStorage() ||
        Variable->getType()->isReferenceType() ||
        Variable->getDeclContext() != &Function)
      return std::nullopt;
    return Object{Variable, Name, {0, getSize(Variable->getType())}};
  }
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    std::optional<Object> O = Member->isArrow() || !Field
                                  ? std::nullopt
                                  : findObject(Member->getBase());
    if (!O || Field->getParent()->isInvalidDecl() ||
        Field->getType()->isReferenceType())
      return std::nullopt;
    if (!O->IsSome)
      O->Bits = {O->Bits.Offset + Context.getFieldOffset(Field),
                 Field->isBitField() ? Field->getBitWidthValue()
                                     : getSize(Field->getType())};
    return O;
  }
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E)) {
    const auto *Base = dyn_cast<ImplicitCastExpr>(Element->getBase());
    std::optional<Object> O =
        Base && Base->getCastKind() == CK_ArrayToPointerDecay
            ? findObject(Base->getSubExpr())
            : std::nullopt;
    Expr::EvalResult Index;
    if (!O)
      return std::nullopt;
    const uint64_t Size = getSize(Element->getType());
    if (!Element->getIdx()->EvaluateAsInt(Index, Context) ||
        Index.Val.getInt().isNegative() ||
        Index.Val.getInt().getActiveBits() > 32)
      O->IsSome = true;
    else if (!O->IsSome)
      O->Bits = {O->Bits.Offset + Index.Val.getInt().getZExtValue() * Size,
                 Size};
    return O;
  }
  return std::nullopt;
}

std::optional<uint64_t> Finder::readConstant(const Expr *Value) const {
  Expr::EvalResult Result;
  if (!Value || Value->isValueDependent() || Value->containsErrors())
    return std::nullopt;
  if (const auto *List = dyn_cast<InitListExpr>(Value->IgnoreParenImpCasts());
      List &&
      (List->getType()->isRecordType() || List->getType()->isArrayType())) {
    auto IsZero = [this](const Expr *E) {
      return isa<ImplicitValueInitExpr>(E) || readConstant(E) == 0;
    };
    const Expr *Rest =
        List->getType()->isArrayType() ? List->getArrayFiller() : nullptr;
    return llvm::all_of(List->inits(), IsZero) && (!Rest || IsZero(Rest))
               ? std::optional<uint64_t>(0)
               : std::nullopt;
  }
  if (!Value->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return std::nullopt;
  if (Result.Val.isInt())
    return Result.Val.getInt().getBitWidth() <= 64
               ? std::optional<uint64_t>(Result.Val.getInt().getZExtValue())
               : std::nullopt;
  if (Result.Val.isFloat()) {
    const llvm::APInt Bits = Result.Val.getFloat().bitcastToAPInt();
    return Bits.getBitWidth() <= 64
               ? std::optional<uint64_t>(Bits.getZExtValue())
               : std::nullopt;
  }
  return std::nullopt;
}

/// The constants that an expression assigns to bits, and to parts of them.
void Finder::readConstants(const Expr *Value, BitRange Bits,
                           std::map<BitRange, uint64_t> &Into) const {
  if (std::optional<uint64_t> Known = readConstant(Value)) {
    Into[Bits] = *Known;
    return;
  }
  const auto *List = dyn_cast_or_null<InitListExpr>(
      Value ? Value->IgnoreParenImpCasts() : nullptr);
  if (!List || List->isTransparent())
    return;
  constexpr unsigned Most = 64; // elements
  if (const auto *Array = Context.getAsConstantArrayType(List->getType())) {
    const uint64_t Size = getSize(Array->getElementType());
    for (unsigned I = 0; I < std::min(List->getNumInits(), Most); ++I)
      readConstants(List->getInit(I), {Bits.Offset + I * Size, Size}, Into);
    return;
  }
  const auto *Record = List->getType()->getAsRecordDecl();
  const auto *Class = dyn_cast_or_null<CXXRecordDecl>(Record);
  if (!Record || Record->isUnion() || (Class && Class->getNumBases()))
    return;
  unsigned I = 0;
  for (const FieldDecl *Field : Record->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    if (I == List->getNumInits())
      return;
    readConstants(List->getInit(I++),
                  {Bits.Offset + Context.getFieldOffset(Field),
                   Field->isBitField() ? Field->getBitWidthValue()
                                       : getSize(Field->getType())},
                  Into);
  }
}

Found Finder::make(const Object &To, const Stmt &S, SourceRange Text,
                   const Expr *Value) {
  Found Result{To.Variable, &S, {}};
  Result.Made.Bits = To.Bits;
  Result.Made.Begin = getPlace(Text.getBegin(), /*IsEnd=*/false);
  Result.Made.End = getPlace(Text.getEnd(), /*IsEnd=*/true);
  Result.Made.IsUncertain = To.IsSome;
  Result.Made.IsCopy = Value && Value->getType()->isRecordType() &&
                       !isa<InitListExpr>(Value->IgnoreParenImpCasts());
  readConstants(Value, To.Bits, Result.Made.Constants);
  return Result;
}

std::optional<Found> Finder::readDeclaration(const DeclStmt &S) {
  const auto *Variable =
      S.isSingleDecl() ? dyn_cast<VarDecl>(S.getSingleDecl()) : nullptr;
  if (!Variable || !Variable->hasLocalStorage() ||
      Variable->getType()->isReferenceType() ||
      Variable->getDeclContext() != &Function || !Variable->getIdentifier())
    return std::nullopt;
  const Object Whole{Variable, nullptr, {0, getSize(Variable->getType())}};
  const Expr *Value = Variable->getInit();
  // A class without constructors of its own.
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Value);
  const bool IsUndefined =
      !Value || (Construct && Construct->getConstructor()->isTrivial() &&
                 Construct->getNumArgs() == 0 &&
                 !Construct->requiresZeroInitialization());
  Found Result = make(Whole, S, Variable->getSourceRange(), Value);
  if (IsUndefined)
    Result.Made.K = Assignment::Kind::Undefined;
  return Result;
}

std::optional<Found> Finder::readAssignment(const Stmt &S) {
  if (const auto *Declaration = dyn_cast<DeclStmt>(&S))
    return readDeclaration(*Declaration);
  const Expr *To = nullptr, *Value = nullptr;
  if (const auto *Binary = dyn_cast<BinaryOperator>(&S)) {
    if (!Binary->isAssignmentOp())
      return std::nullopt;
    To = Binary->getLHS();
    Value = Binary->isCompoundAssignmentOp() ? nullptr : Binary->getRHS();
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(&S)) {
    if (!Unary->isIncrementDecrementOp())
      return std::nullopt;
    To = Unary->getSubExpr();
  } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(&S)) {
    const auto *Method =
        dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
    if (Call->getOperator() != OO_Equal || !Method || !Method->isTrivial() ||
        Call->getNumArgs() != 2)
      return std::nullopt;
    To = Call->getArg(0);
  }
  std::optional<Object> O = To ? findObject(To) : std::nullopt;
  if (!O || !O->Bits.Size)
    return std::nullopt;
  Known.insert(O->Name);
  return make(*O, S, S.getSourceRange(), Value);
}

/// What gives a reference or a pointer to a variable to others.
std::vector<Found> Finder::readEscapes(const Stmt &S) const {
  std::vector<Found> Result;
  auto Add = [&](const Object &O) {
    Found Escape{O.Variable, &S, {}};
    Escape.Made.K = Assignment::Kind::Escape;
    Escape.Made.Bits = O.Bits;
    Escape.Made.IsUncertain = true;
    Result.push_back(std::move(Escape));
  };
  if (const auto *Name = dyn_cast<DeclRefExpr>(&S)) {
    if (Known.contains(Name) || Constant.contains(Name))
      return {};
    if (auto Used = Objects.find(Name); Used != Objects.end())
      Add(Used->second);
    else if (std::optional<Object> O = findObject(Name))
      Add(*O);
  } else if (const auto *Lambda = dyn_cast<LambdaExpr>(&S)) {
    for (const LambdaCapture &Capture : Lambda->captures()) {
      const auto *Variable =
          Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef
              ? dyn_cast<VarDecl>(Capture.getCapturedVar())
              : nullptr;
      if (Variable && Others.contains(Variable) &&
          Variable->hasLocalStorage() &&
          !Variable->getType()->isReferenceType() &&
          Variable->getDeclContext() == &Function)
        Add({Variable, nullptr, {0, getSize(Variable->getType())}});
    }
  }
  return Result;
}

/// The lines of a statement that code may have.
static llvm::SmallVector<SourceLocation, 2> getPlaces(const Stmt &S) {
  if (const auto *E = dyn_cast<Expr>(&S))
    return {E->getBeginLoc(), E->getExprLoc()};
  if (isa<DeclStmt, AsmStmt, ReturnStmt>(S))
    return {S.getBeginLoc()};
  return {};
}

std::optional<Expression> Finder::readValue(const Stmt &S) {
  Translator Translate(Context, Function);
  if (const auto *Declaration = dyn_cast<DeclStmt>(&S))
    return Translate.translate(
        cast<VarDecl>(Declaration->getSingleDecl())->getInit());
  if (isa<CompoundAssignOperator, UnaryOperator>(S))
    return Translate.translateUpdate(cast<Expr>(S));
  const auto *Binary = dyn_cast<BinaryOperator>(&S);
  return Binary ? Translate.translate(Binary->getRHS()) : std::nullopt;
}

/// Whether a statement mentions a variable.
static bool mentions(const Stmt *S, const VarDecl *Variable) {
  const auto *Name = dyn_cast_or_null<DeclRefExpr>(S);
  return S && ((Name && Name->getDecl() == Variable) ||
               llvm::any_of(S->children(), [&](const Stmt *Child) {
                 return mentions(Child, Variable);
               }));
}

bool Finder::reads(const Stmt *S, const VarDecl &Variable,
                   BitRange Bits) const {
  if (!S)
    return false;
  if (const auto *Name = dyn_cast<DeclRefExpr>(S);
      Name && Name->getDecl() == &Variable) {
    const auto Used = Objects.find(Name);
    return Used == Objects.end() || Used->second.Bits.overlaps(Bits);
  }
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return reads(Child, Variable, Bits);
  });
}

bool Finder::changes(const Stmt &S, const VarDecl &Variable,
                     BitRange Bits) const {
  const Expr *Value = nullptr;
  if (const auto *Binary = dyn_cast<BinaryOperator>(&S))
    Value = Binary->getRHS();
  else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(&S);
           Call && Call->getOperator() == OO_Equal && Call->getNumArgs() == 2)
    Value = Call->getArg(1);
  return isa<CompoundAssignOperator, UnaryOperator>(S) ||
         reads(Value, Variable, Bits);
}

std::vector<int64_t> Finder::readSteps(llvm::ArrayRef<Found> Statements) const {
  std::vector<int64_t> Steps;
  for (const Found &One : Statements) {
    Expr::EvalResult Added;
    int64_t Sign = 1;
    if (const auto *Unary = dyn_cast<UnaryOperator>(One.Statement)) {
      Steps.push_back(Unary->isIncrementOp() ? 1 : -1);
      continue;
    }
    if (const auto *Compound =
            dyn_cast<CompoundAssignOperator>(One.Statement)) {
      Sign = Compound->getOpcode() == BO_AddAssign   ? 1
             : Compound->getOpcode() == BO_SubAssign ? -1
                                                     : 0;
      if (!Sign || !Compound->getRHS()->EvaluateAsInt(Added, Context) ||
          Added.Val.getInt().getSignificantBits() > 32 ||
          Added.Val.getInt().isZero())
        return {};
      Steps.push_back(Sign * Added.Val.getInt().getExtValue());
      continue;
    }
    const auto *Binary = dyn_cast<BinaryOperator>(One.Statement);
    if (One.Made.K == Assignment::Kind::Escape ||
        (Binary ? mentions(Binary->getRHS(), One.Variable)
                : !isa<DeclStmt>(One.Statement)))
      return {};
  }
  return Steps;
}

bool Finder::resolve(Expression &E, const Stmt &In,
                     llvm::ArrayRef<AssignedVariable> Made) const {
  for (Expression &Operand : E.Operands)
    if (!resolve(Operand, In, Made))
      return false;
  if (E.K != Expression::Kind::Variable)
    return true;
  auto IsIt = [&E](const AssignedVariable &One) {
    return One.Name == E.Name && One.Line == E.Line;
  };
  const size_t At = size_t(llvm::find_if(Made, IsIt) - Made.begin());
  if (At == Made.size())
    return true;
  auto Before = Seen.find({Followed[At], &In});
  if (llvm::count_if(Made, IsIt) > 1 || !Made[At].IsComplete ||
      !E.Members.empty() || Before == Seen.end() || Before->second.count() != 1)
    return false;
  E.Assignment = unsigned(Before->second.find_first());
  return true;
}

void Finder::follow(const CFG &Code, AssignedVariable &Variable,
                    const VarDecl &Declaration,
                    llvm::ArrayRef<Found> Statements, BitRange Part) {
  const bool IsWhole = !Part.Offset && Part.Size == Variable.Size;
  const unsigned Count = Variable.Assignments.size();
  const unsigned Before = Count - unsigned(Statements.size());
  llvm::DenseMap<const Stmt *, unsigned> Numbers;
  // An assignment doesn't end what references and pointers can do.
  llvm::SmallBitVector Escapes(Count);
  for (unsigned I = 0; I < Statements.size(); ++I) {
    Numbers[Statements[I].Statement] = Before + I;
    if (Statements[I].Made.K == Assignment::Kind::Escape)
      Escapes.set(Before + I);
  }
  auto Execute = [&](const Stmt *S, llvm::SmallBitVector &Last) {
    auto Number = Numbers.find(S);
    if (Number == Numbers.end())
      return;
    const Assignment &A = Variable.Assignments[Number->second];
    if (!A.Bits.overlaps(Part))
      return;
    if (A.Bits.covers(Part) && !A.IsUncertain)
      Last &= Escapes;
    Last.set(Number->second);
  };
  std::vector<llvm::SmallBitVector> Entries(Code.getNumBlockIDs(),
                                            llvm::SmallBitVector(Count));
  std::vector<bool> IsReached(Code.getNumBlockIDs());
  if (Before)
    Entries[Code.getEntry().getBlockID()].set(0);
  std::vector<const CFGBlock *> Open{&Code.getEntry()};
  IsReached[Code.getEntry().getBlockID()] = true;
  while (!Open.empty()) {
    const CFGBlock *Block = Open.back();
    Open.pop_back();
    llvm::SmallBitVector Last = Entries[Block->getBlockID()];
    for (const CFGElement &E : *Block)
      if (auto S = E.getAs<CFGStmt>())
        Execute(S->getStmt(), Last);
    for (const CFGBlock *Next : Block->succs()) {
      if (!Next)
        continue;
      llvm::SmallBitVector &Entry = Entries[Next->getBlockID()];
      const bool IsNew = !IsReached[Next->getBlockID()];
      if (!IsNew && !Last.test(Entry))
        continue;
      IsReached[Next->getBlockID()] = true;
      Entry |= Last;
      Open.push_back(Next);
    }
  }
  PartLines &Lines = Variable.Parts[Part];
  auto See = [&](SourceLocation Loc, const llvm::SmallBitVector &Last) {
    if (const unsigned Line = getLine(Context, Loc)) {
      auto [At, IsNew] = Lines.try_emplace(Line, Last);
      if (!IsNew)
        At->second |= Last;
    }
  };
  for (const CFGBlock *Block : Code) {
    if (!IsReached[Block->getBlockID()])
      continue;
    llvm::SmallBitVector Last = Entries[Block->getBlockID()];
    for (const CFGElement &E : *Block) {
      auto S = E.getAs<CFGStmt>();
      if (!S)
        continue;
      for (SourceLocation Loc : getPlaces(*S->getStmt()))
        See(Loc, Last);
      if (IsWhole && Assigning.contains(S->getStmt())) {
        auto [Before, IsNew] =
            Seen.try_emplace({&Declaration, S->getStmt()}, Last);
        if (!IsNew)
          Before->second |= Last;
      }
      Execute(S->getStmt(), Last);
      for (SourceLocation Loc : getPlaces(*S->getStmt()))
        See(Loc, Last);
    }
    if (Block == &Code.getExit())
      See(Function.getBody()->getEndLoc(), Last);
  }
}

namespace {

/// Finds the constants that are assigned by way of variables.
class Folder {
public:
  Folder(Finder &Of, llvm::MutableArrayRef<AssignedVariable> Made)
      : Of(Of), Made(Made) {}

  void fold() {
    for (AssignedVariable &One : Made)
      for (unsigned I = 0; I < One.Assignments.size(); ++I)
        if (std::optional<Bytes> Value = compute(One, I)) {
          uint64_t Bits = 0;
          for (size_t N = 0; N < std::min<size_t>(Value->size(), 8); ++N)
            Bits |= uint64_t((*Value)[N]) << 8 * N;
          One.Assignments[I].Constants.try_emplace(One.Assignments[I].Bits,
                                                   Bits);
        }
  }

private:
  std::optional<Bytes> compute(const AssignedVariable &One, unsigned Number) {
    auto [At, IsNew] = Known.try_emplace({&One, Number});
    const std::optional<Expression> &Value = One.Assignments[Number].Value;
    if (!IsNew || !Value)
      return At->second;
    return At->second = evaluate(
               *Value, [this](const Expression &Leaf) { return find(Leaf); });
  }
  std::optional<Bytes> find(const Expression &Leaf) {
    if (Leaf.K != Expression::Kind::Variable)
      return std::nullopt;
    if (!Leaf.Assignment)
      return Of.findConstant(Leaf);
    const auto *At = llvm::find_if(Made, [&](const AssignedVariable &One) {
      return One.Name == Leaf.Name && One.Line == Leaf.Line;
    });
    return At == Made.end() ? std::nullopt : compute(*At, *Leaf.Assignment);
  }

  Finder &Of;
  llvm::MutableArrayRef<AssignedVariable> Made;
  std::map<std::pair<const AssignedVariable *, unsigned>, std::optional<Bytes>>
      Known;
};

} // namespace

std::optional<Bytes> Finder::findConstant(const Expression &Leaf) const {
  for (const auto &[Variable, Statements] : Variables) {
    if (Statements.size() != 1 || isa<ParmVarDecl>(Variable) ||
        Others.contains(Variable) || !Leaf.Members.empty() ||
        Variable->getName() != Leaf.Name ||
        getLine(Context, Variable->getLocation()) != Leaf.Line)
      continue;
    const std::optional<uint64_t> Bits =
        Statements[0].Made.findConstant({0, 8 * Leaf.Type.Size});
    if (!Bits || Leaf.Type.Size > 8)
      return std::nullopt;
    Bytes Value(Leaf.Type.Size);
    for (size_t I = 0; I < Value.size(); ++I)
      Value[I] = uint8_t(*Bits >> 8 * I);
    return Value;
  }
  return std::nullopt;
}

/// The points of a function's code, and the numbers of its statements.
static llvm::DenseMap<const Stmt *, unsigned>
readFlow(const CFG &Code, const ASTContext &Context, ControlFlow &Flow) {
  llvm::DenseMap<const Stmt *, unsigned> Numbers;
  // Each block begins with a point without a line.
  Flow.Points.resize(Code.getNumBlockIDs());
  for (const CFGBlock *Block : Code) {
    unsigned At = Block->getBlockID();
    for (const CFGElement &E : *Block) {
      auto S = E.getAs<CFGStmt>();
      const auto Places =
          S ? getPlaces(*S->getStmt()) : llvm::SmallVector<SourceLocation, 2>();
      if (Places.empty())
        continue;
      const unsigned Next = unsigned(Flow.Points.size());
      Flow.Points.push_back({getLine(Context, Places.back()), {}});
      Flow.Points[At].Next.push_back(Next);
      Numbers[S->getStmt()] = At = Next;
    }
    for (const CFGBlock *Next : Block->succs())
      if (Next)
        Flow.Points[At].Next.push_back(Next->getBlockID());
  }
  return Numbers;
}

std::vector<AssignedVariable> Finder::read(ControlFlow &Flow) {
  Stmt *Body = Function.getBody();
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Options.PruneTriviallyFalseEdges = false;
  const std::unique_ptr<CFG> Code =
      CFG::buildCFG(&Function, Body, &Context, Options);
  if (!Code)
    return {};
  // The graph has a statement of its own for each variable of a declaration,
  // and may have one for a statement twice.
  size_t Size = 0;
  llvm::DenseSet<const Stmt *> Met;
  std::vector<const Stmt *> Elements;
  for (const CFGBlock *Block : *Code)
    for (const CFGElement &E : *Block) {
      ++Size;
      auto S = E.getAs<CFGStmt>();
      if (!S || !Met.insert(S->getStmt()).second)
        continue;
      Elements.push_back(S->getStmt());
      if (std::optional<Found> A = readAssignment(*S->getStmt())) {
        Assigning.insert(S->getStmt());
        Variables[A->Variable].push_back(std::move(*A));
      }
    }
  TraverseStmt(Body);
  for (const Stmt *S : Elements)
    for (Found &Escape : readEscapes(*S))
      if (auto At = Variables.find(Escape.Variable); At != Variables.end())
        At->second.push_back(std::move(Escape));
  std::vector<AssignedVariable> Result;
  const llvm::DenseMap<const Stmt *, unsigned> Points =
      readFlow(*Code, Context, Flow);
  size_t Work = 0;
  for (const auto &[Variable, Statements] : Variables) {
    AssignedVariable Made;
    Made.Name = Variable->getNameAsString();
    Made.Line = getLine(Context, Variable->getLocation());
    Made.Size = getSize(Variable->getType());
    Made.IsComplete = !Others.contains(Variable) &&
                      !Variable->getType().isVolatileQualified();
    if (Variable->getType()->isIntegralOrEnumerationType())
      Made.Steps = readSteps(Statements);
    const BitRange Whole{0, Made.Size};
    if (isa<ParmVarDecl>(Variable)) {
      Assignment Entry;
      Entry.K = Assignment::Kind::Entry;
      Entry.Bits = Whole;
      Made.Assignments.push_back(Entry);
    }
    std::set<BitRange> Parts{Whole};
    for (const auto &[Of, Statement, A] : Statements) {
      Made.Assignments.push_back(A);
      if (A.K == Assignment::Kind::Value && !A.IsUncertain)
        Made.Assignments.back().Value = readValue(*Statement);
      if (auto Point = Points.find(Statement);
          Point != Points.end() && !A.IsUncertain) {
        Made.Assignments.back().Point = Point->second;
        Made.Assignments.back().IsUpdate =
            changes(*Statement, *Variable, A.Bits);
      }
      Parts.insert(A.Bits);
      for (const auto &[Bits, Constant] : A.Constants)
        Parts.insert(Bits);
    }
    Work += Parts.size() * Size;
    if (!Made.Size || Made.Assignments.size() < 2 || Work > MostWork)
      continue;
    for (const BitRange &Part : Parts)
      follow(*Code, Made, *Variable, Statements, Part);
    Followed.push_back(Variable);
    Result.push_back(std::move(Made));
  }
  for (size_t I = 0; I < Result.size(); ++I) {
    llvm::MutableArrayRef<Assignment> Made = Result[I].Assignments;
    const std::vector<Found> &From = Variables[Followed[I]];
    Made = Made.take_back(From.size());
    for (size_t N = 0; N < Made.size(); ++N)
      if (Made[N].Value && !resolve(*Made[N].Value, *From[N].Statement, Result))
        Made[N].Value.reset();
  }
  Folder(*this, Result).fold();
  if (Result.empty())
    Flow.Points.clear();
  return Result;
}

std::vector<AssignedVariable> wavelane::source::readAssignments(
    ASTContext &Context, const FunctionDecl &Definition, ControlFlow &Flow) {
  return Finder(Context, Definition).read(Flow);
}
