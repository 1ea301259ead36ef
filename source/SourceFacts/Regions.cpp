//===-- Regions.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/SourceFacts/Regions.h"
#include "Parser.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
using namespace wavelane::source;

std::string Region::describe() const {
  const std::string Of = " of line " + std::to_string(Head);
  switch (K) {
  case Kind::Function:
    return "the function " + Name;
  case Kind::Lambda:
    return "the lambda" + Of;
  case Kind::If:
    return "the 'if'" + Of;
  case Kind::Else:
    return "the 'else'" + Of;
  case Kind::Loop:
    return "the loop" + Of;
  case Kind::Case:
    return "the 'case'" + Of;
  case Kind::Handler:
    return "the 'catch'" + Of;
  }
  return "";
}

/// How an expression counts, as `i++` and `p += 4` do.
static std::optional<std::pair<const VarDecl *, int64_t>>
readCounter(const Expr *E, const ASTContext &Context) {
  const Expr *Place = nullptr;
  int64_t Step = 0;
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    if (!Unary->isIncrementDecrementOp())
      return std::nullopt;
    Place = Unary->getSubExpr();
    Step = Unary->isIncrementOp() ? 1 : -1;
  } else if (const auto *Compound = dyn_cast<CompoundAssignOperator>(E)) {
    const Expr *By = Compound->getRHS();
    Expr::EvalResult Value;
    const bool IsKnown = !By->isValueDependent() && !By->containsErrors() &&
                         By->EvaluateAsInt(Value, Context) &&
                         Value.Val.getInt().getSignificantBits() <= 63;
    switch (Compound->getOpcode()) {
    case BO_AddAssign:
      Step = IsKnown ? Value.Val.getInt().getExtValue() : 0;
      break;
    case BO_SubAssign:
      Step = IsKnown ? -Value.Val.getInt().getExtValue() : 0;
      break;
    case BO_MulAssign:
    case BO_DivAssign:
    case BO_ShlAssign:
    case BO_ShrAssign:
      break;
    default:
      // The others may leave the value as it is in all rounds.
      return std::nullopt;
    }
    Place = Compound->getLHS();
  }
  const auto *Name =
      Place ? dyn_cast<DeclRefExpr>(Place->IgnoreParens()) : nullptr;
  const auto *Variable = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  if (!Variable || !Variable->hasLocalStorage() ||
      Variable->getType()->isReferenceType())
    return std::nullopt;
  return std::make_pair(Variable, Step);
}

namespace {

class Visitor : public DynamicRecursiveASTVisitor {
public:
  Visitor(ASTContext &Context, llvm::StringMap<std::vector<Region>> &Into)
      : Context(Context), SM(Context.getSourceManager()), Into(Into) {}

  bool VisitFunctionDecl(FunctionDecl *Function) override {
    if (!Function->doesThisDeclarationHaveABody())
      return true;
    SourceLocation Begin = Function->getBeginLoc();
    if (const FunctionTemplateDecl *Template =
            Function->getDescribedFunctionTemplate())
      Begin = Template->getBeginLoc();
    Region R;
    R.K = Region::Kind::Function;
    R.Name = Function->getQualifiedNameAsString();
    R.Begin = getLine(Begin);
    // __global__ and the like may be on lines of their own.
    for (const Attr *A : Function->attrs())
      if (const unsigned Line = getLine(A->getLocation());
          Line && isSameFile(A->getLocation(), Begin))
        R.Begin = std::min(R.Begin, Line);
    R.End = getLine(Function->getBody()->getEndLoc());
    R.Head = R.First = R.Begin;
    R.Last = R.End;
    add(std::move(R), Begin, Function->getBody()->getEndLoc());
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *Lambda) override {
    addBody(Region::Kind::Lambda, Lambda->getBeginLoc(), Lambda->getBeginLoc(),
            Lambda->getBody());
    return true;
  }

  bool VisitIfStmt(IfStmt *If) override {
    addBody(Region::Kind::If, If->getIfLoc(), If->getRParenLoc(), If->getThen(),
            If->getElseLoc());
    addBody(Region::Kind::Else, If->getElseLoc(), If->getElseLoc(),
            If->getElse());
    return true;
  }

  bool VisitForStmt(ForStmt *For) override {
    Counters Counted;
    addCounters(For->getInc(), Counted);
    addCounters(For->getCond(), Counted);
    addCounters(For->getBody(), Counted);
    addBody(Region::Kind::Loop, For->getForLoc(), For->getRParenLoc(),
            For->getBody(), /*Else=*/{}, std::move(Counted));
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *For) override {
    addBody(Region::Kind::Loop, For->getForLoc(), For->getRParenLoc(),
            For->getBody());
    return true;
  }
  bool VisitWhileStmt(WhileStmt *While) override {
    Counters Counted;
    addCounters(While->getCond(), Counted);
    addCounters(While->getBody(), Counted);
    addBody(Region::Kind::Loop, While->getWhileLoc(), While->getRParenLoc(),
            While->getBody(), /*Else=*/{}, std::move(Counted));
    return true;
  }
  bool VisitDoStmt(DoStmt *Do) override {
    // Its condition is part of each round.
    Region R;
    R.K = Region::Kind::Loop;
    R.Head = R.Begin = getLine(Do->getDoLoc());
    R.First = R.Begin + 1;
    R.Last = R.End = getLine(Do->getEndLoc());
    addJumps(Do->getBody(), R);
    addCounters(Do->getBody(), R.Counters);
    addCounters(Do->getCond(), R.Counters);
    add(std::move(R), Do->getDoLoc(), Do->getEndLoc());
    return true;
  }

  bool VisitCXXTryStmt(CXXTryStmt *Try) override {
    for (unsigned I = 0; I < Try->getNumHandlers(); ++I) {
      CXXCatchStmt *Catch = Try->getHandler(I);
      addBody(Region::Kind::Handler, Catch->getCatchLoc(), Catch->getCatchLoc(),
              Catch->getHandlerBlock());
    }
    return true;
  }

  bool VisitSwitchStmt(SwitchStmt *Switch) override {
    const auto *Body = dyn_cast_or_null<CompoundStmt>(Switch->getBody());
    if (!Body)
      return true;
    // A case goes on to the next label.
    llvm::SmallVector<const Stmt *> Labels;
    for (const Stmt *S : Body->body())
      if (isa<SwitchCase>(S))
        Labels.push_back(S);
    for (size_t I = 0; I < Labels.size(); ++I) {
      const SourceLocation Begin = Labels[I]->getBeginLoc();
      const bool IsLast = I + 1 == Labels.size();
      const SourceLocation Behind =
          IsLast ? Body->getRBracLoc() : Labels[I + 1]->getBeginLoc();
      Region R;
      R.K = Region::Kind::Case;
      R.Head = R.Begin = R.First = getLine(Begin);
      R.Last = getLine(Behind) - 1;
      R.End = R.Last + IsLast;
      add(std::move(R), Begin, Behind);
    }
    return true;
  }

private:
  using Counters = std::vector<Counter>;

  /// Adds what is counted on whenever a statement is executed: not what is in
  /// its branches and loops.
  void addCounters(const Stmt *S, Counters &To) const {
    if (const auto *Body = dyn_cast_or_null<CompoundStmt>(S)) {
      for (const Stmt *Part : Body->body())
        if (isa<Expr>(Part))
          addCounters(Part, To);
      return;
    }
    const auto *E = dyn_cast_or_null<Expr>(S);
    if (!E)
      return;
    if (auto Found = readCounter(E->IgnoreParenImpCasts(), Context))
      To.push_back({Found->first->getNameAsString(),
                    getLine(Found->first->getLocation()), Found->second});
    const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (!Binary || Binary->isCompoundAssignmentOp())
      return;
    addCounters(Binary->getLHS(), To);
    // The other side of && and || may not be executed.
    if (!Binary->isLogicalOp())
      addCounters(Binary->getRHS(), To);
  }

  /// Adds the jumps of a statement of a loop's body, or of a loop or `switch`
  /// in it.
  void addJumps(const Stmt *S, Region &Loop, bool InLoop = false,
                bool InSwitch = false) const {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S) ||
        (isa<ContinueStmt>(S) && !InLoop) ||
        (isa<BreakStmt>(S) && !InLoop && !InSwitch))
      Loop.Jumps.push_back(getLine(S->getBeginLoc()));
    Loop.HasLabels |= isa<LabelStmt>(S);
    InLoop |= isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(S);
    InSwitch |= isa<SwitchStmt>(S);
    for (const Stmt *Child : S->children())
      addJumps(Child, Loop, InLoop, InSwitch);
  }

  unsigned getLine(SourceLocation Loc) const {
    const PresumedLoc Presumed = SM.getPresumedLoc(Loc);
    return Presumed.isValid() ? Presumed.getLine() : 0;
  }

  bool isSameFile(SourceLocation A, SourceLocation B) const {
    const PresumedLoc First = SM.getPresumedLoc(A),
                      Second = SM.getPresumedLoc(B);
    return First.isValid() && Second.isValid() &&
           llvm::StringRef(First.getFilename()) == Second.getFilename();
  }

  /// \param HeadEnd  The end of what is executed without the body.
  /// \param Else  The `else` after the body.
  void addBody(Region::Kind Kind, SourceLocation Head, SourceLocation HeadEnd,
               const Stmt *Body, SourceLocation Else = {},
               Counters Counted = {}) {
    if (!Body || Head.isInvalid())
      return;
    Region R;
    R.K = Kind;
    R.Counters = std::move(Counted);
    if (Kind == Region::Kind::Loop)
      addJumps(Body, R);
    R.Head = getLine(Head);
    R.Begin = getLine(Body->getBeginLoc());
    R.End = getLine(Body->getEndLoc());
    const bool IsBehindHead = R.Begin > getLine(HeadEnd);
    if (isa<CompoundStmt>(Body) && R.Begin != R.End) {
      R.First = R.Begin + 1;
      R.Last = R.End - 1;
      // What is executed in `} else if (...)` is the condition.
      if (Else.isValid() && getLine(Else) == R.End)
        --R.End;
    } else {
      R.First = IsBehindHead ? R.Begin : R.Begin + 1;
      R.Last = R.End;
      // The head leads into it, as an opening brace does.
      R.Begin = std::min(R.Begin, getLine(HeadEnd));
    }
    add(std::move(R), Head, Body->getEndLoc());
  }

  void add(Region R, SourceLocation Begin, SourceLocation End) {
    const PresumedLoc Place = SM.getPresumedLoc(Begin);
    if (!R.Begin || !R.End || !isSameFile(Begin, End) || !Place.isValid())
      return;
    llvm::SmallString<256> Path(Place.getFilename());
    SM.getFileManager().makeAbsolutePath(Path);
    llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    Into[Path].push_back(std::move(R));
  }

  const ASTContext &Context;
  const SourceManager &SM;
  llvm::StringMap<std::vector<Region>> &Into;
};

} // namespace

llvm::Expected<std::unique_ptr<Regions>> Regions::read(const Request &From) {
  auto Result = std::make_unique<Regions>();
  if (llvm::Error Problem =
          parse(From, Question::Text, [&](ASTContext &Context) {
            Visitor Look(Context, Result->Files);
            const SourceManager &SM = Context.getSourceManager();
            for (Decl *D : Context.getTranslationUnitDecl()->decls())
              if (!SM.isInSystemHeader(D->getLocation()))
                Look.TraverseDecl(D);
          }))
    return std::move(Problem);
  return Result;
}

static bool isIn(unsigned Line, const Region &Loop) {
  return Loop.Head <= Line && Line <= Loop.End;
}

/// \return Null if the loop doesn't count on the variable.
static const Counter *getCounter(const Region &Loop, llvm::StringRef Variable,
                                 unsigned Declaration) {
  for (const Counter &C : Loop.Counters)
    if (C.Name == Variable && (!Declaration || C.Declaration == Declaration))
      return &C;
  return nullptr;
}

const Counter *Regions::findCounter(llvm::StringRef File,
                                    llvm::StringRef Variable,
                                    unsigned Declaration, unsigned Line) const {
  auto Found = Files.find(File);
  if (Found == Files.end())
    return nullptr;
  const Region *Innermost = nullptr;
  for (const Region &R : Found->second)
    if (R.K == Region::Kind::Loop && isIn(Line, R) &&
        getCounter(R, Variable, Declaration) &&
        (!Innermost || R.End - R.Head < Innermost->End - Innermost->Head))
      Innermost = &R;
  return Innermost ? getCounter(*Innermost, Variable, Declaration) : nullptr;
}

bool Regions::counts(llvm::StringRef File, llvm::StringRef Variable,
                     unsigned Declaration,
                     llvm::ArrayRef<unsigned> Lines) const {
  auto Found = Files.find(File);
  if (Found == Files.end())
    return false;
  std::set<const Region *> Loops;
  for (unsigned Line : Lines) {
    const Region *Innermost = nullptr;
    for (const Region &R : Found->second)
      if (R.K == Region::Kind::Loop && isIn(Line, R) &&
          (!Innermost || R.End - R.Head < Innermost->End - Innermost->Head))
        Innermost = &R;
    if (Innermost)
      Loops.insert(Innermost);
  }
  return llvm::any_of(Loops, [&](const Region *R) {
    // With code of a loop around it, each round may be all rounds of this one.
    return getCounter(*R, Variable, Declaration) &&
           llvm::none_of(Loops, [&](const Region *Other) {
             return Other != R && isIn(R->Head, *Other);
           });
  });
}

bool Regions::isDueInRound(llvm::StringRef File, unsigned From,
                           unsigned To) const {
  auto Found = Files.find(File);
  if (Found == Files.end())
    return false;
  auto find = [&](unsigned Line) {
    const Region *Innermost = nullptr;
    for (const Region &R : Found->second)
      if (R.K == Region::Kind::Loop && R.owns(Line) &&
          (!Innermost || R.End - R.Head < Innermost->End - Innermost->Head))
        Innermost = &R;
    return Innermost;
  };
  const Region *Loop = find(From);
  // A round that comes to the later line has come by the earlier one.
  return Loop && Loop == find(To) && !Loop->HasLabels &&
         llvm::none_of(
             Loop->Jumps,
             [&](unsigned Jump) { return From <= Jump && Jump < To; }) &&
         compare(File, From, To) == "";
}

std::optional<std::string> Regions::compare(llvm::StringRef File, unsigned From,
                                            unsigned To) const {
  auto Found = Files.find(File);
  if (Found == Files.end())
    return std::nullopt;
  const Region *Left = nullptr, *Entered = nullptr;
  auto isFunction = [](const Region &R) {
    return R.K == Region::Kind::Function || R.K == Region::Kind::Lambda;
  };
  auto getSize = [](const Region &R) { return R.End - R.Begin; };
  for (const Region &R : Found->second) {
    // The innermost one that is entered, but first of all the function.
    if (R.owns(To) && !R.touches(From) &&
        (!Entered || isFunction(R) > isFunction(*Entered) ||
         (isFunction(R) == isFunction(*Entered) &&
          getSize(R) < getSize(*Entered))))
      Entered = &R;
    // The outermost one that is left.
    if (R.owns(From) && !R.touches(To) &&
        (!Left || getSize(R) > getSize(*Left)))
      Left = &R;
  }
  return Entered ? "in " + Entered->describe()
         : Left  ? "after " + Left->describe()
                 : "";
}
