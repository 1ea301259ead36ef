//===-- SmallFloatMembers.cpp -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SmallFloatMembers.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "wavelane/GPU/SmallFloat.h"
#include "clang/AST/DeclCXX.h"

using namespace lldb;
using namespace lldb_private;
using ::wavelane::gpu::SmallFloat;

/// Whether a class has a conversion to \a number.
static bool HasConversion(const clang::CXXRecordDecl &record,
                          clang::QualType number) {
  for (const clang::CXXMethodDecl *method : record.methods())
    if (const auto *conversion =
            llvm::dyn_cast<clang::CXXConversionDecl>(method))
      if (record.getASTContext().hasSameUnqualifiedType(
              conversion->getConversionType(), number))
        return true;
  return false;
}

/// Whether a class has a constructor from \a number alone.
static bool HasConstructor(const clang::CXXRecordDecl &record,
                           clang::QualType number) {
  for (const clang::CXXConstructorDecl *constructor : record.ctors())
    if (constructor->getNumParams() == 1 &&
        record.getASTContext().hasSameUnqualifiedType(
            constructor->getParamDecl(0)->getType(), number))
      return true;
  return false;
}

void lldb_private::wavelane::AddSmallFloatMembers(const CompilerType &type) {
  auto ast = type.GetTypeSystem<TypeSystemClang>();
  clang::CXXRecordDecl *record =
      ast ? TypeSystemClang::GetAsCXXRecordDecl(type.GetOpaqueQualType())
          : nullptr;
  if (!record || !record->isCompleteDefinition())
    return;
  const std::string name = record->getQualifiedNameAsString();
  const std::optional<SmallFloat> kind = SmallFloat::ofClass(name);
  if (!kind || kind->Count != 1)
    return;
  const clang::ASTContext &context = ast->getASTContext();
  // Clang's importer makes __fp16 of _Float16, see WriteHalf.
  const clang::QualType numbers[] = {context.FloatTy,
                                     context.DoubleTy,
                                     context.HalfTy,
                                     context.BoolTy,
                                     context.CharTy,
                                     context.SignedCharTy,
                                     context.UnsignedCharTy,
                                     context.ShortTy,
                                     context.UnsignedShortTy,
                                     context.IntTy,
                                     context.UnsignedIntTy,
                                     context.LongTy,
                                     context.UnsignedLongTy,
                                     context.LongLongTy,
                                     context.UnsignedLongLongTy};
  auto add = [&](llvm::StringRef member, const CompilerType &function) {
    ast->AddMethodToCXXRecordType(
        type.GetOpaqueQualType(), member, /*asm_label=*/"", function,
        eAccessPublic, /*is_virtual=*/false, /*is_static=*/false,
        /*is_inline=*/false, /*is_explicit=*/false, /*is_attr_used=*/false,
        /*is_artificial=*/false);
  };
  for (clang::QualType number : numbers) {
    const CompilerType value = ast->GetType(number);
    if (!HasConversion(*record, number))
      add("operator " + number.getAsString(),
          ast->CreateFunctionType(value, {}, /*is_variadic=*/false,
                                  clang::Qualifiers::Const));
    if (!HasConstructor(*record, number))
      add(record->getName(),
          ast->CreateFunctionType(ast->GetBasicType(eBasicTypeVoid), {value},
                                  /*is_variadic=*/false, /*type_quals=*/0));
  }
}
