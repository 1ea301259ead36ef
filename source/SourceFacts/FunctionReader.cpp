//===-- FunctionReader.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable counts as written unless each place that names it only reads it:
// what isn't known to be a read is a write, whether it is an operator, a
// reference, an address, an operand of inline assembly or something newer.
//===----------------------------------------------------------------------===//

#include "FunctionReader.h"
#include "AssignmentReader.h"
#include "ExpressionReader.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace wavelane::source;

/// The variable of which a place is the whole, or a part.
static const DeclRefExpr *findVariable(const Expr *Place) {
  for (;;) {
    Place = Place->IgnoreParens();
    if (const auto *Member = dyn_cast<MemberExpr>(Place);
        Member && !Member->isArrow())
      Place = Member->getBase();
    else if (const auto *Element = dyn_cast<ExtVectorElementExpr>(Place);
             Element && !Element->isArrow())
      Place = Element->getBase();
    else
      return dyn_cast<DeclRefExpr>(Place);
  }
}

/// `extern __shared__ float tile[];`
static bool isDynamicArray(const VarDecl &Variable) {
  return Variable.hasAttr<CUDASharedAttr>() && Variable.hasExternalStorage() &&
         Variable.getIdentifier() &&
         Variable.getType()->isIncompleteArrayType();
}

class Reader::Visitor : public DynamicRecursiveASTVisitor {
public:
  Visitor(ASTContext &Context, ProgramTables &Into)
      : Context(Context), Into(Into), Names(Context) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }

  bool TraverseDecl(Decl *D) override;
  bool TraverseLambdaCapture(LambdaExpr *Lambda, const LambdaCapture *Capture,
                             Expr *Init) override {
    // What a lambda does with a captured reference, its body shows.
    if (!Lambda->isInitCapture(Capture) &&
        Capture->getCaptureKind() == LCK_ByRef)
      return true;
    return DynamicRecursiveASTVisitor::TraverseLambdaCapture(Lambda, Capture,
                                                             Init);
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) override {
    // What sizeof is asked of isn't evaluated.
    return E->isArgumentType() ||
                   E->getArgumentExpr()->getType()->isVariablyModifiedType()
               ? DynamicRecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(E)
               : true;
  }
  bool VisitVarDecl(VarDecl *Variable) override;
  bool VisitCastExpr(CastExpr *Cast) override {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_ToVoid)
      allow(Cast->getSubExpr());
    return true;
  }
  bool VisitExplicitCastExpr(ExplicitCastExpr *E) override {
    const Expr *Written = E->getSubExprAsWritten();
    // An expression of a template may have no type yet.
    if (Written->getType().isNull() || E->getType().isNull())
      return true;
    const QualType From = getTarget(Written->getType(), Written->isGLValue()),
                   To = getTarget(E->getType(), E->isGLValue());
    if (From.isNull())
      return true;
    LosesConst |=
        From.isConstQualified() && !To.isNull() && !To.isConstQualified();
    LosesConst |= From.isConstQualified() && E->getType()->isIntegerType() &&
                  E->getCastKind() == CK_PointerToIntegral;
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *E) override {
    for (unsigned I = 0; I < E->getNumInputs(); ++I)
      LosesConst |= E->getInputExpr(I)->getType()->isPointerType();
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    if (E->getNumArgs() == 1 && E->getConstructor()->isCopyConstructor() &&
        E->getConstructor()->isTrivial())
      allow(E->getArg(0)->IgnoreParenImpCasts());
    else
      addEdge(E->getConstructor(), {E->getArgs(), E->getNumArgs()});
    return true;
  }
  bool VisitCallExpr(CallExpr *E) override;
  bool VisitDeclRefExpr(DeclRefExpr *E) override;

  /// Writes the facts into the program.
  void finish();

private:
  struct Found {
    std::vector<const VarDecl *> Variables;
    std::vector<const CallExpr *> Calls;
    llvm::SmallSetVector<const VarDecl *, 4> Arrays;
    llvm::SmallSetVector<const FunctionDecl *, 8> Callees;
    /// It calls what can't be determined.
    bool CallsUnknown = false;
  };

  /// What a pointer, or an object in memory, lets an expression change.
  static QualType getTarget(QualType Type, bool IsObject) {
    return Type->isPointerType() ? Type->getPointeeType()
           : IsObject            ? Type
                                 : QualType();
  }
  /// A call's arguments for references to constants.
  void allowConstant(const CallExpr &E);
  void allow(const Expr *Place) {
    Place = Place->IgnoreParens();
    if (const auto *Choice = dyn_cast<ConditionalOperator>(Place)) {
      allow(Choice->getTrueExpr());
      allow(Choice->getFalseExpr());
    } else if (const DeclRefExpr *Reference = findVariable(Place)) {
      Reads.insert(Reference);
    }
  }
  void addEdge(const FunctionDecl *Callee,
               llvm::ArrayRef<const Expr *> Arguments);
  bool isOwn(const FunctionDecl &Callee) const {
    return !Context.getSourceManager().isInSystemHeader(Callee.getLocation());
  }
  bool mayRepeat(const FunctionDecl *Start) const;
  std::vector<std::string> getNames(const FunctionDecl &Function);
  Function makeFunction(const FunctionDecl &Decl, const Found &Facts);
  Variable makeVariable(const VarDecl &Decl, Translator &Translate) const;
  Call makeCall(const CallExpr &E, Translator &Translate);

  ASTContext &Context;
  ProgramTables &Into;
  ASTNameGenerator Names;
  Found *Current = nullptr;
  const FunctionDecl *CurrentDecl = nullptr;
  llvm::MapVector<const FunctionDecl *, std::unique_ptr<Found>> Functions;
  llvm::DenseSet<const DeclRefExpr *> Reads, ConstantReads, DirectCallees;
  /// The second is written if the program casts const away somewhere.
  llvm::DenseSet<const VarDecl *> Written, Exposed;
  bool LosesConst = false;
  /// Functions that something else than a direct call may call.
  llvm::SetVector<const FunctionDecl *> Callable;
};

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

bool Reader::Visitor::TraverseDecl(Decl *D) {
  auto *Function = dyn_cast_or_null<FunctionDecl>(D);
  if (!Function)
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  llvm::SaveAndRestore<Found *> Outer(Current, nullptr);
  llvm::SaveAndRestore<const FunctionDecl *> OuterDecl(CurrentDecl, nullptr);
  if (Function->doesThisDeclarationHaveABody() &&
      !Function->isDependentContext()) {
    auto &Facts = Functions[Function->getCanonicalDecl()];
    if (!Facts)
      Facts = std::make_unique<Found>();
    Current = Facts.get();
    CurrentDecl = Function;
    const auto *Method = dyn_cast<CXXMethodDecl>(Function);
    if (Method &&
        (Method->isVirtual() || Method->getOverloadedOperator() == OO_Call))
      Callable.insert(Function->getCanonicalDecl());
  }
  return DynamicRecursiveASTVisitor::TraverseDecl(D);
}

bool Reader::Visitor::VisitVarDecl(VarDecl *Variable) {
  if (!Variable->getIdentifier())
    return true;
  if (Variable->hasAttr<CUDASharedAttr>())
    Into.Shared[(Variable->getName() + ":" +
                 llvm::Twine(getLine(Context, Variable->getLocation())))
                    .str()] = true;
  if (!Current)
    return true;
  if (isDynamicArray(*Variable))
    Current->Arrays.insert(Variable->getCanonicalDecl());
  else if (Variable->hasLocalStorage() &&
           Variable->getDeclContext() == CurrentDecl)
    Current->Variables.push_back(Variable);
  return true;
}

/// Whether an argument may be something that its receiver calls.
static bool isCallable(const Expr *Argument) {
  QualType Type = Argument->getType().getCanonicalType();
  while (!Type->getPointeeType().isNull())
    Type = Type->getPointeeType();
  return Type->isRecordType() || Type->isFunctionType();
}

void Reader::Visitor::addEdge(const FunctionDecl *Callee,
                              llvm::ArrayRef<const Expr *> Arguments) {
  if (!Current)
    return;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Callee || (Method && Method->isVirtual()) ||
      (!isOwn(*Callee) && llvm::any_of(Arguments, isCallable)))
    Current->CallsUnknown = true;
  if (Callee)
    Current->Callees.insert(Callee->getCanonicalDecl());
}

void Reader::Visitor::allowConstant(const CallExpr &E) {
  const FunctionDecl *Callee = E.getDirectCallee();
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  const unsigned First =
      isa<CXXOperatorCallExpr>(E) && Method && !Method->isStatic() ? 1 : 0;
  for (unsigned I = First; Callee && I < E.getNumArgs(); ++I) {
    if (I - First >= Callee->getNumParams())
      return;
    const QualType Type = Callee->getParamDecl(I - First)->getType();
    if (!Type->isLValueReferenceType() ||
        !Type->getPointeeType().isConstQualified())
      continue;
    if (const DeclRefExpr *Reference =
            findVariable(E.getArg(I)->IgnoreParenNoopCasts(Context)))
      ConstantReads.insert(Reference);
  }
}

bool Reader::Visitor::VisitCallExpr(CallExpr *E) {
  allowConstant(*E);
  if (const auto *Callee =
          dyn_cast<DeclRefExpr>(E->getCallee()->IgnoreParenImpCasts()))
    DirectCallees.insert(Callee);
  addEdge(E->getDirectCallee(), {E->getArgs(), E->getNumArgs()});
  if (Current && E->getDirectCallee() && isOwn(*E->getDirectCallee()))
    Current->Calls.push_back(E);
  return true;
}

bool Reader::Visitor::VisitDeclRefExpr(DeclRefExpr *E) {
  if (const auto *Callee = dyn_cast<FunctionDecl>(E->getDecl())) {
    if (!DirectCallees.contains(E))
      Callable.insert(Callee->getCanonicalDecl());
    return true;
  }
  const auto *Variable = dyn_cast<VarDecl>(E->getDecl());
  if (!Variable)
    return true;
  if (ConstantReads.contains(E))
    Exposed.insert(Variable);
  else if (!Reads.contains(E))
    Written.insert(Variable);
  if (Current && isDynamicArray(*Variable))
    Current->Arrays.insert(Variable->getCanonicalDecl());
  return true;
}

bool Reader::Visitor::mayRepeat(const FunctionDecl *Start) const {
  llvm::SmallVector<const FunctionDecl *, 16> Todo{Start};
  llvm::DenseSet<const FunctionDecl *> Seen;
  bool HasUnknown = false;
  while (!Todo.empty()) {
    auto At = Functions.find(Todo.pop_back_val());
    if (At == Functions.end())
      continue;
    llvm::SmallVector<const FunctionDecl *, 16> Next(
        At->second->Callees.begin(), At->second->Callees.end());
    if (At->second->CallsUnknown && !HasUnknown) {
      HasUnknown = true;
      Next.append(Callable.begin(), Callable.end());
    }
    for (const FunctionDecl *Callee : Next) {
      if (Callee == Start)
        return true;
      if (Seen.insert(Callee).second)
        Todo.push_back(Callee);
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

std::vector<std::string>
Reader::Visitor::getNames(const FunctionDecl &Function) {
  if (isa<CXXConstructorDecl, CXXDestructorDecl>(Function))
    return Names.getAllManglings(&Function);
  return {Names.getName(&Function)};
}

Variable Reader::Visitor::makeVariable(const VarDecl &Decl,
                                       Translator &Translate) const {
  Variable Result;
  Result.Name = Decl.getName().str();
  Result.Line = getLine(Context, Decl.getLocation());
  Result.IsParameter = isa<ParmVarDecl>(Decl);
  Result.Type = translate(Context, Decl.getType());
  const auto *Record = Decl.getType()->getAsCXXRecordDecl();
  const bool IsConstant =
      Decl.getType().isConstQualified() &&
      !(Record && Record->hasDefinition() && Record->hasMutableFields());
  Result.IsWritten = (Written.contains(&Decl) && !IsConstant) ||
                     (Exposed.contains(&Decl) && LosesConst) ||
                     Decl.getType()->isReferenceType() ||
                     Decl.getType().isVolatileQualified();
  if (!Result.IsParameter && !Result.IsWritten && !Decl.isExceptionVariable() &&
      !Decl.isCXXForRangeDecl())
    Result.Initializer = Translate.translate(Decl.getInit());
  return Result;
}

Call Reader::Visitor::makeCall(const CallExpr &E, Translator &Translate) {
  Call Result;
  const PresumedLoc Place =
      Context.getSourceManager().getPresumedLoc(E.getExprLoc());
  if (Place.isValid()) {
    Result.Line = Place.getLine();
    Result.Column = Place.getColumn();
  }
  const FunctionDecl &Callee = *E.getDirectCallee();
  Result.Callee = getNames(Callee).front();
  // The first argument of an operator is its object.
  const auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  const unsigned First =
      isa<CXXOperatorCallExpr>(E) && Method && !Method->isStatic() ? 1 : 0;
  for (unsigned I = First; I < E.getNumArgs(); ++I)
    Result.Arguments.push_back(Translate.translate(E.getArg(I)));
  return Result;
}

Function Reader::Visitor::makeFunction(const FunctionDecl &Decl,
                                       const Found &Facts) {
  Function Result;
  const FunctionDecl *Definition = Decl.getDefinition();
  Translator Translate(Context, Definition ? *Definition : Decl);
  for (const VarDecl *Variable : Facts.Variables)
    Result.Variables.push_back(makeVariable(*Variable, Translate));
  for (Variable &One : Result.Variables)
    One.IsAmbiguous = llvm::count_if(Result.Variables, [&](const Variable &O) {
                        return O.Name == One.Name && O.Line == One.Line;
                      }) > 1;
  for (const CallExpr *E : Facts.Calls)
    Result.Calls.push_back(makeCall(*E, Translate));
  if (Definition && Definition->getBody())
    Result.Assigned = readAssignments(Context, *Definition, Result.Flow);
  Result.MayRepeat = mayRepeat(&Decl);
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressTagKeyword = true;
  // As clang writes them into debug information.
  Policy.AlwaysIncludeTypeForTemplateArgument = true;
  for (const VarDecl *Array : Facts.Arrays) {
    DynamicArray Made;
    Made.Name = Array->getName().str();
    Made.Line = getLine(Context, Array->getLocation());
    QualType Element =
        Context.getAsIncompleteArrayType(Array->getType())->getElementType();
    while (const ConstantArrayType *Inner =
               Context.getAsConstantArrayType(Element)) {
      Made.Counts.push_back(Inner->getZExtSize());
      Element = Inner->getElementType();
    }
    Made.Type =
        Element.getCanonicalType().getUnqualifiedType().getAsString(Policy);
    Result.Arrays.push_back(std::move(Made));
  }
  return Result;
}

void Reader::Visitor::finish() {
  for (const auto &[Decl, Facts] : Functions) {
    Function Made = makeFunction(*Decl, *Facts);
    for (const std::string &Name : getNames(*Decl))
      Into.Functions[Name] = Made;
  }
}

void Reader::read() {
  Visitor Look(Context, Into);
  // System headers' functions are no part of a program that people look at.
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (!Context.getSourceManager().isInSystemHeader(D->getLocation()))
      Look.TraverseDecl(D);
  Look.finish();
}
