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
  const LinesOfPart *Found = nullptr;
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

llvm::SmallBitVector AssignedVariable::findUpdates(BitRange Part,
                                                   size_t Count) const {
  llvm::SmallBitVector Points(Count);
  for (const Assignment &A : Assignments)
    if (A.Update && A.Bits.covers(Part))
      Points.set(*A.Update);
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
  Assignment Made;
  bool IsSome = false;
};

class Finder : public DynamicRecursiveASTVisitor {
public:
  Finder(ASTContext &Context, const FunctionDecl &Function)
      : Context(Context), SM(Context.getSourceManager()), Function(Function) {
    ShouldVisitImplicitCode = true;
  }

  std::vector<AssignedVariable> read(ControlFlow &Flow);

  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (!Known.contains(E))
      Others.insert(dyn_cast<VarDecl>(E->getDecl()));
    return true;
  }
  bool TraverseLambdaCapture(LambdaExpr *Lambda, const LambdaCapture *Capture,
                             Expr *Init) override {
    // What a lambda does with a captured reference, its body shows.
    return (!Lambda->isInitCapture(Capture) &&
            Capture->getCaptureKind() == LCK_ByRef) ||
           DynamicRecursiveASTVisitor::TraverseLambdaCapture(Lambda, Capture,
                                                             Init);
  }
  bool VisitCastExpr(CastExpr *E) override {
    if (E->getCastKind() == CK_LValueToRValue)
      if (std::optional<Object> O = findObject(E->getSubExpr()))
        Known.insert(O->Name);
    return true;
  }

private:
  /// Assignments, in a function with so much code, aren't followed.
  static constexpr size_t MostWork = 1 << 24;

  std::optional<Object> findObject(const Expr *E) const;
  std::optional<Found> readAssignment(const Stmt &S);
  std::optional<Found> readDeclaration(const VarDecl &Variable);
  Found make(const Object &To, SourceRange Text, const Expr *Value);
  std::optional<uint64_t> readConstant(const Expr *Value) const;
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
              llvm::ArrayRef<const Stmt *> Statements, BitRange Part);

  ASTContext &Context;
  const SourceManager &SM;
  const FunctionDecl &Function;
  llvm::DenseMap<const Stmt *, Found> Assignments;
  llvm::MapVector<const VarDecl *, std::vector<const Stmt *>> Variables;
  /// Names that are read, or assigned to, and nothing else.
  llvm::DenseSet<const DeclRefExpr *> Known;
  llvm::DenseSet<const VarDecl *> Others;
  /// Those of which an assignment may only change a part.
  llvm::DenseSet<const Stmt *> Some;
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

Found Finder::make(const Object &To, SourceRange Text, const Expr *Value) {
  Found Result{To.Variable, {}, To.IsSome};
  Result.Made.Bits = To.Bits;
  Result.Made.Begin = getPlace(Text.getBegin(), /*IsEnd=*/false);
  Result.Made.End = getPlace(Text.getEnd(), /*IsEnd=*/true);
  Result.Made.Constant = readConstant(Value);
  return Result;
}

std::optional<Found> Finder::readDeclaration(const VarDecl &Variable) {
  if (!Variable.hasLocalStorage() || Variable.getType()->isReferenceType() ||
      Variable.getDeclContext() != &Function || !Variable.getIdentifier())
    return std::nullopt;
  const Object Whole{&Variable, nullptr, {0, getSize(Variable.getType())}};
  const Expr *Value = Variable.getInit();
  // A class without constructors of its own.
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Value);
  const bool IsUndefined =
      !Value || (Construct && Construct->getConstructor()->isTrivial() &&
                 Construct->getNumArgs() == 0 &&
                 !Construct->requiresZeroInitialization());
  Found Result = make(Whole, Variable.getSourceRange(), Value);
  if (IsUndefined)
    Result.Made.K = Assignment::Kind::Undefined;
  return Result;
}

std::optional<Found> Finder::readAssignment(const Stmt &S) {
  if (const auto *Declaration = dyn_cast<DeclStmt>(&S)) {
    const auto *Variable = Declaration->isSingleDecl()
                               ? dyn_cast<VarDecl>(Declaration->getSingleDecl())
                               : nullptr;
    return Variable ? readDeclaration(*Variable) : std::nullopt;
  }
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
  return make(*O, S.getSourceRange(), Value);
}

/// The lines of a statement that code may have.
static llvm::SmallVector<SourceLocation, 2> getPlaces(const Stmt &S) {
  if (const auto *E = dyn_cast<Expr>(&S))
    return {E->getBeginLoc(), E->getExprLoc()};
  if (isa<DeclStmt, AsmStmt, ReturnStmt>(S))
    return {S.getBeginLoc()};
  return {};
}

void Finder::follow(const CFG &Code, AssignedVariable &Variable,
                    llvm::ArrayRef<const Stmt *> Statements, BitRange Part) {
  const unsigned Count = Variable.Assignments.size();
  const unsigned Before = Count - unsigned(Statements.size());
  llvm::DenseMap<const Stmt *, unsigned> Numbers;
  for (unsigned I = 0; I < Statements.size(); ++I)
    Numbers[Statements[I]] = Before + I;
  auto Execute = [&](const Stmt *S, llvm::SmallBitVector &Last) {
    auto Number = Numbers.find(S);
    if (Number == Numbers.end())
      return;
    const Assignment &A = Variable.Assignments[Number->second];
    if (!A.Bits.overlaps(Part))
      return;
    if (A.Bits.covers(Part) && !Some.contains(S))
      Last.reset();
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
  LinesOfPart &Lines = Variable.Parts[Part];
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
      Execute(S->getStmt(), Last);
      for (SourceLocation Loc : getPlaces(*S->getStmt()))
        See(Loc, Last);
    }
    if (Block == &Code.getExit())
      See(Function.getBody()->getEndLoc(), Last);
  }
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
  // The graph has a statement of its own for each variable of a declaration.
  size_t Size = 0;
  for (const CFGBlock *Block : *Code)
    for (const CFGElement &E : *Block) {
      ++Size;
      auto S = E.getAs<CFGStmt>();
      const Stmt *One = S ? S->getStmt() : nullptr;
      std::optional<Found> A = One && !Assignments.contains(One)
                                   ? readAssignment(*One)
                                   : std::nullopt;
      if (!A)
        continue;
      Assignments.insert({One, *A});
      Variables[A->Variable].push_back(One);
      if (A->IsSome)
        Some.insert(One);
    }
  TraverseStmt(Body);
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
    const BitRange Whole{0, Made.Size};
    if (isa<ParmVarDecl>(Variable)) {
      Assignment Entry;
      Entry.K = Assignment::Kind::Entry;
      Entry.Bits = Whole;
      Made.Assignments.push_back(Entry);
    }
    std::set<BitRange> Parts{Whole};
    for (const Stmt *S : Statements) {
      Made.Assignments.push_back(Assignments.lookup(S).Made);
      if (auto Point = Points.find(S);
          Point != Points.end() && !Some.contains(S) &&
          isa<CompoundAssignOperator, UnaryOperator>(S))
        Made.Assignments.back().Update = Point->second;
      Parts.insert(Made.Assignments.back().Bits);
    }
    Work += Parts.size() * Size;
    if (!Made.Size || Made.Assignments.size() < 2 || Work > MostWork)
      continue;
    for (const BitRange &Part : Parts)
      follow(*Code, Made, Statements, Part);
    Result.push_back(std::move(Made));
  }
  if (Result.empty())
    Flow.Points.clear();
  return Result;
}

std::vector<AssignedVariable> wavelane::source::readAssignments(
    ASTContext &Context, const FunctionDecl &Definition, ControlFlow &Flow) {
  return Finder(Context, Definition).read(Flow);
}
