//===-- CallLowering.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallLowering.h"
#include "ABI/AMDGPU/ABIAMDGPU.h"

#include "Core/Call/MathFunctions.h"
#include "Core/Lane/LaneSource.h"
#include "Plugins/ExpressionParser/Clang/ClangASTImporter.h"
#include "Plugins/ExpressionParser/Clang/ClangPersistentVariables.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "SymbolFile/LaneDWARF/GPUExpression.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Expression/Expression.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/SymbolFile.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "wavelane/GPU/SmallFloat.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using llvm::formatv;
using llvm::IRBuilder;
using ::wavelane::gpu::SmallFloat;

// What references lead to is copied up to this size.
static constexpr uint64_t kMaxObject = 16 * 1024;

/// The name of a function in a program, without LLDB's label.
static llvm::StringRef GetLookupName(llvm::StringRef name) {
  if (auto label =
          llvm::expectedToOptional(FunctionCallLabel::fromString(name)))
    return label->lookup_name;
  return name.starts_with("\01") ? name.drop_front() : name;
}

/// The address of a call's memory at \a offset.
static llvm::Constant *MakeAddress(llvm::LLVMContext &context,
                                   uint64_t offset) {
  return llvm::ConstantExpr::getIntToPtr(
      llvm::ConstantInt::get(llvm::Type::getInt64Ty(context),
                             CallsFunctions::kCallAddresses + offset),
      llvm::PointerType::get(context, 0));
}

llvm::Constant *CallLowering::GetAddress(uint64_t offset) {
  return MakeAddress(m_module.getContext(), offset);
}

/// Clang notes the declaration of each global for LLDB: see
/// IRForTarget::DeclForGlobal.
const clang::FunctionDecl *
CallLowering::FindDeclaration(const llvm::Function &function) {
  llvm::NamedMDNode *list = m_module.getNamedMetadata("clang.global.decl.ptrs");
  if (!list)
    return nullptr;
  for (llvm::MDNode *node : list->operands()) {
    if (node->getNumOperands() != 2 ||
        llvm::mdconst::dyn_extract_or_null<llvm::GlobalValue>(
            node->getOperand(0)) != &function)
      continue;
    auto *number =
        llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(1));
    return number ? llvm::dyn_cast<clang::FunctionDecl>(
                        reinterpret_cast<const clang::Decl *>(
                            uintptr_t(number->getZExtValue())))
                  : nullptr;
  }
  return nullptr;
}

/// Notes where the code of \a function is.
static void SetFunction(Function &function, FunctionCall &call) {
  call.address = function.GetAddress();
  CompileUnit *unit = function.GetCompileUnit();
  ModuleSP module_sp = function.CalculateSymbolContextModule();
  auto *symbols =
      module_sp
          ? dynamic_cast<SymbolFileLaneDWARF *>(module_sp->GetSymbolFile())
          : nullptr;
  if (!unit || !symbols)
    return;
  const unsigned version = symbols->GetCompilerVersion(*unit);
  call.is_result_generic = version && version <= 20;
  // An optimizer that knows all callers drops arguments and results.
  if (symbols->GetDIE(function.GetID())
          .GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_calling_convention,
                                       0) == llvm::dwarf::DW_CC_nocall)
    call.obstacle = formatv("'{0}' can't be called: the compiler has changed "
                            "its arguments or its result",
                            call.name);
}

/// A lambda's function has no name to find it by: clang numbers lambdas by what
/// it has seen. Debug information connects declaration and code.
bool CallLowering::ResolveUnnamed(const clang::FunctionDecl &decl,
                                  FunctionCall &call) {
  // The expression's declaration is a copy of the symbol file's, which knows
  // its entry.
  auto *persistent = llvm::dyn_cast_or_null<ClangPersistentVariables>(
      m_process.GetTarget().GetPersistentExpressionStateForLanguage(
          eLanguageTypeC));
  auto importer_sp = persistent ? persistent->GetClangASTImporter() : nullptr;
  if (!importer_sp)
    return false;
  const ClangASTImporter::DeclOrigin origin = importer_sp->GetDeclOrigin(&decl);
  auto *types =
      origin.Valid() ? TypeSystemClang::GetASTContext(origin.ctx) : nullptr;
  auto metadata = types ? types->GetMetadata(origin.decl) : std::nullopt;
  if (!metadata)
    return false;
  const ConstString name(decl.getNameAsString());
  for (const ModuleSP &module_sp :
       m_process.GetTarget().GetImages().Modules()) {
    auto *symbols =
        dynamic_cast<SymbolFileLaneDWARF *>(module_sp->GetSymbolFile());
    if (!symbols)
      continue;
    SymbolContextList list;
    module_sp->FindFunctions(name, CompilerDeclContext(),
                             eFunctionNameTypeMethod | eFunctionNameTypeBase,
                             ModuleFunctionSearchOptions(), list);
    for (const SymbolContext &context : list.SymbolContexts()) {
      if (!context.function)
        continue;
      if (symbols->GetDIE(context.function->GetID())
              .GetReferencedDIE(llvm::dwarf::DW_AT_specification)
              .GetID() != metadata->GetUserID())
        continue;
      SetFunction(*context.function, call);
      return true;
    }
  }
  return false;
}

/// Where the code of a function is, in the module that declares it or in
/// another one.
void CallLowering::Resolve(llvm::StringRef name,
                           const clang::FunctionDecl &decl,
                           FunctionCall &call) {
  call.obstacle = GPUExpression::DescribeRefusal(GetLookupName(name));
  if (!call.obstacle.empty())
    return;
  const ModuleList &images = m_process.GetTarget().GetImages();
  if (auto label =
          llvm::expectedToOptional(FunctionCallLabel::fromString(name))) {
    ModuleSP module_sp = images.FindModule(label->module_id);
    SymbolFile *symbols = module_sp ? module_sp->GetSymbolFile() : nullptr;
    if (symbols) {
      llvm::Expected<SymbolContext> found =
          symbols->ResolveFunctionCallLabel(*label);
      if (!found)
        llvm::consumeError(found.takeError());
      else if (found->function)
        return SetFunction(*found->function, call);
    }
  }
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(&decl);
  if (method && method->getParent()->getName().empty() &&
      ResolveUnnamed(decl, call))
    return;
  SymbolContextList list;
  images.FindFunctions(ConstString(GetLookupName(name)), eFunctionNameTypeFull,
                       ModuleFunctionSearchOptions{.include_symbols = true,
                                                   .include_inlines = false},
                       list);
  for (const SymbolContext &context : list.SymbolContexts()) {
    if (context.function)
      return SetFunction(*context.function, call);
    if (context.symbol && context.symbol->GetAddress().IsValid()) {
      call.address = context.symbol->GetAddress();
      return;
    }
  }
  call.obstacle =
      formatv("there is no code for '{0}': it was inlined wherever it is "
              "called, or is never called",
              call.name);
}

/// Values of struct type are loaded as a whole, to be stored or taken apart.
bool CallLowering::LowerStructLoad(llvm::LoadInst &load) {
  auto *type = llvm::dyn_cast<llvm::StructType>(load.getType());
  if (!type)
    return false;
  const llvm::DataLayout &layout = m_module.getDataLayout();
  const llvm::StructLayout *places = layout.getStructLayout(type);
  IRBuilder<> builder(&load);
  // The memory may have changed when the value is used.
  llvm::Value *copy = IRBuilder<>(&*m_function.getEntryBlock().begin())
                          .CreateAlloca(type, nullptr, "copy");
  builder.CreateMemCpy(copy, llvm::Align(1), load.getPointerOperand(),
                       llvm::Align(1), layout.getTypeStoreSize(type));
  for (llvm::User *user : llvm::make_early_inc_range(load.users())) {
    if (auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
        part && part->getNumIndices() == 1) {
      IRBuilder<> at(part);
      llvm::Value *place = at.CreateConstInBoundsGEP1_64(
          at.getInt8Ty(), copy,
          places->getElementOffset(part->getIndices().front()));
      part->replaceAllUsesWith(at.CreateLoad(part->getType(), place));
      part->eraseFromParent();
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      IRBuilder<>(store).CreateMemCpy(store->getPointerOperand(),
                                      llvm::Align(1), copy, llvm::Align(1),
                                      layout.getTypeStoreSize(type));
      store->eraseFromParent();
    }
  }
  if (!load.use_empty())
    return true;
  load.eraseFromParent();
  return true;
}

namespace {
/// Lays a call's values out in memory, and stores and loads them.
class Layout {
public:
  explicit Layout(FunctionCall &call) : m_call(call) {}

  uint64_t Reserve(uint64_t size) {
    const uint64_t begin = llvm::alignTo<16>(m_end);
    m_end = begin + size;
    if (m_end > FunctionCalls::kSize && m_call.obstacle.empty())
      m_call.obstacle = m_call.name + " has too large arguments";
    return begin;
  }

private:
  FunctionCall &m_call;
  uint64_t m_end = FunctionCalls::kFirstValue;
};
} // namespace

/// Compilers for x86-64 pass a struct in registers of eight bytes, the first of
/// which can be a vector of all sixteen.
static uint64_t GetStoreSize(const llvm::DataLayout &layout, llvm::Type *type) {
  return layout.getTypeStoreSize(type).getFixedValue();
}

/// Copies \a size bytes, by loads where that are few: the interpreter says why
/// a load fails.
static void Copy(IRBuilder<> &builder, llvm::Value *to, llvm::Value *from,
                 uint64_t size) {
  constexpr uint64_t kMostByLoads = 128;
  if (size > kMostByLoads) {
    builder.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), size);
    return;
  }
  for (uint64_t done = 0; done < size;) {
    const uint64_t part = std::min<uint64_t>(8, llvm::bit_floor(size - done));
    auto at = [&](llvm::Value *begin) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), begin,
                                                done);
    };
    builder.CreateStore(
        builder.CreateLoad(builder.getIntNTy(unsigned(part) * 8), at(from)),
        at(to));
    done += part;
  }
}

/// What a class's defaulted members do: debug information declares them, and no
/// program has code for them.
bool CallLowering::LowerTrivialMember(llvm::CallInst &inst,
                                      const clang::FunctionDecl &decl) {
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(&decl);
  if (!method || !method->getParent()->canPassInRegisters())
    return false;
  const auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(method);
  const bool is_default =
      (constructor && constructor->isDefaultConstructor()) ||
      llvm::isa<clang::CXXDestructorDecl>(method);
  const bool is_copy =
      (constructor && constructor->isCopyOrMoveConstructor()) ||
      method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator();
  if (is_copy && inst.arg_size() == 2) {
    const uint64_t size =
        decl.getASTContext()
            .getTypeSizeInChars(
                decl.getASTContext().getCanonicalTagType(method->getParent()))
            .getQuantity();
    IRBuilder<> builder(&inst);
    builder.CreateMemCpy(inst.getArgOperand(0), llvm::Align(1),
                         inst.getArgOperand(1), llvm::Align(1), size);
    inst.replaceAllUsesWith(inst.getType()->isPointerTy()
                                ? inst.getArgOperand(0)
                                : llvm::UndefValue::get(inst.getType()));
  } else if (is_default && inst.arg_size() == 1) {
    inst.replaceAllUsesWith(llvm::UndefValue::get(inst.getType()));
  } else {
    return false;
  }
  inst.eraseFromParent();
  return true;
}

namespace {
/// One call: its arguments are stored in the call's memory, and its result is
/// loaded from there.
class CallWriter {
public:
  CallWriter(llvm::CallInst &inst, FunctionCall &call, TypeSystemClang &types,
             Thread &thread)
      : m_inst(inst), m_call(call), m_types(types), m_thread(thread),
        m_layout(inst.getDataLayout()), m_builder(&inst), m_memory(call) {
    if (inst.arg_size() && inst.paramHasAttr(0, llvm::Attribute::StructRet))
      m_struct_result = inst.getArgOperand(m_next++);
  }

  void PassArguments(const clang::FunctionDecl &decl);
  void DescribeResult(const clang::FunctionDecl &decl);
  /// Replaces the call. \a number is that of the call, which is made where it
  /// is stored; \a offset and \a size are its result's.
  void Replace(uint64_t number, uint64_t offset, uint64_t size);

private:
  struct CopyBack {
    llvm::Value *object;
    uint64_t offset, size, target;
  };

  /// The first reason counts.
  void Refuse(llvm::StringRef what) {
    if (m_call.obstacle.empty())
      m_call.obstacle =
          formatv("'{0}' can't be called: {1}", m_call.name, what);
  }
  /// The next argument; null without one.
  llvm::Value *Take() {
    if (m_next < m_inst.arg_size())
      return m_inst.getArgOperand(m_next++);
    Refuse("its declaration and its call differ");
    return nullptr;
  }
  uint64_t GetSize(clang::QualType type) {
    return llvm::expectedToOptional(
               m_types.GetType(type).GetByteSize(&m_thread))
        .value_or(0);
  }
  llvm::Constant *GetAddress(uint64_t offset) {
    return MakeAddress(m_inst.getContext(), offset);
  }
  /// A reference, or `this`.
  void PassObject(clang::QualType pointee);
  void PassValue(clang::QualType type);
  void LoadResult(uint64_t result_offset, uint64_t result_size);

  llvm::CallInst &m_inst;
  FunctionCall &m_call;
  TypeSystemClang &m_types;
  Thread &m_thread;
  const llvm::DataLayout &m_layout;
  IRBuilder<> m_builder;
  Layout m_memory;
  uint64_t m_registers_left = ABIAMDGPU::kArgumentRegisters;
  unsigned m_next = 0;
  llvm::Value *m_struct_result = nullptr;
  llvm::SmallVector<CopyBack> m_copies;
};
} // namespace

void CallWriter::PassObject(clang::QualType pointee) {
  llvm::Value *pointer = Take();
  if (!pointer)
    return;
  FunctionCall::Value value;
  value.size = 8;
  value.offset = m_memory.Reserve(8);
  value.passing.parts = {{0, 8}};
  m_builder.CreateStore(pointer, GetAddress(value.offset));
  m_registers_left -= std::min<uint64_t>(m_registers_left, 2);
  const uint64_t size = pointee->isIncompleteType() || pointee->isFunctionType()
                            ? 0
                            : GetSize(pointee);
  if (size && size <= kMaxObject) {
    value.object_size = size;
    value.object_offset = m_memory.Reserve(size);
    value.object_target = m_memory.Reserve(8);
    Copy(m_builder, GetAddress(value.object_offset), pointer, size);
    if (!pointee.isConstQualified())
      m_copies.push_back(
          {pointer, value.object_offset, size, value.object_target});
  }
  m_call.arguments.push_back(std::move(value));
}

void CallWriter::PassValue(clang::QualType type) {
  FunctionCall::Value value;
  value.size = GetSize(type);
  value.offset = m_memory.Reserve(value.size);
  value.alignment = std::max<uint64_t>(
      m_types.GetType(type).GetTypeBitAlign(&m_thread).value_or(8) / 8, 1);
  std::optional<Passing> passing = ABIAMDGPU::GetArgumentPassing(
      m_types.GetType(type), m_thread, m_registers_left);
  if (!passing) {
    Refuse(formatv("the registers of its argument of type '{0}' aren't known",
                   type.getAsString())
               .str());
    return;
  }
  value.passing = std::move(*passing);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (record && record->isEmpty()) {
    // Neither machine passes it.
  } else if (const bool in_memory =
                 m_next < m_inst.arg_size() &&
                 (m_inst.paramHasAttr(m_next, llvm::Attribute::ByVal) ||
                  (record && !record->canPassInRegisters()));
             in_memory) {
    Copy(m_builder, GetAddress(value.offset), Take(), value.size);
  } else {
    for (uint64_t done = 0; done < value.size;) {
      llvm::Value *part = Take();
      if (!part)
        return;
      if (part->getType()->isIntegerTy(1))
        part = m_builder.CreateZExt(part, m_builder.getInt8Ty());
      m_builder.CreateStore(part, GetAddress(value.offset + done));
      // Registers of a struct have eight bytes each.
      done +=
          type->isRecordType() || type->isAnyComplexType()
              ? std::max<uint64_t>(8, GetStoreSize(m_layout, part->getType()))
              : value.size;
    }
  }
  m_call.arguments.push_back(std::move(value));
}

void CallWriter::PassArguments(const clang::FunctionDecl &decl) {
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(&decl);
  if (method && method->isInstance())
    PassObject(method->getThisType()->getPointeeType());
  for (const clang::ParmVarDecl *parameter : decl.parameters()) {
    const clang::QualType type = parameter->getType().getCanonicalType();
    if (type->isReferenceType())
      PassObject(type->getPointeeType());
    else
      PassValue(type);
  }
  if (decl.isVariadic() || m_next != m_inst.arg_size())
    Refuse("it has other arguments than its declaration");
}

void CallWriter::DescribeResult(const clang::FunctionDecl &decl) {
  clang::QualType result_type = decl.getReturnType().getCanonicalType();
  if (result_type->isReferenceType())
    result_type =
        decl.getASTContext().getPointerType(result_type->getPointeeType());
  if (!result_type->isVoidType() &&
      !llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(&decl)) {
    FunctionCall::Value &value = m_call.result;
    value.size = GetSize(result_type);
    value.alignment = std::max<uint64_t>(
        m_types.GetType(result_type).GetTypeBitAlign(&m_thread).value_or(8) / 8,
        1);
    value.offset = m_memory.Reserve(std::max<uint64_t>(value.size, 16));
    if (auto passing =
            ABIAMDGPU::GetResultPassing(m_types.GetType(result_type), m_thread))
      value.passing = std::move(*passing);
    else
      Refuse(formatv("the registers of its result of type '{0}' aren't known",
                     result_type.getAsString())
                 .str());
  }
}

void CallWriter::LoadResult(uint64_t result_offset, uint64_t result_size) {
  if (m_struct_result) {
    m_builder.CreateMemCpy(m_struct_result, llvm::Align(1),
                           GetAddress(result_offset), llvm::Align(1),
                           result_size);
  } else if (auto *parts = llvm::dyn_cast<llvm::StructType>(m_inst.getType())) {
    // The two registers of a struct, as clang takes them apart.
    const llvm::StructLayout *places = m_layout.getStructLayout(parts);
    for (llvm::User *user : llvm::make_early_inc_range(m_inst.users())) {
      if (auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
          part && part->getNumIndices() == 1) {
        IRBuilder<> at(part);
        part->replaceAllUsesWith(at.CreateLoad(
            part->getType(),
            GetAddress(result_offset +
                       places->getElementOffset(part->getIndices().front()))));
        part->eraseFromParent();
      } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        IRBuilder<> at(store);
        at.CreateMemCpy(store->getPointerOperand(), llvm::Align(1),
                        GetAddress(result_offset), llvm::Align(1), result_size);
        store->eraseFromParent();
      }
    }
  } else if (!m_inst.getType()->isVoidTy()) {
    llvm::Value *result =
        m_inst.getType()->isIntegerTy(1)
            ? m_builder.CreateTrunc(
                  m_builder.CreateLoad(m_builder.getInt8Ty(),
                                       GetAddress(result_offset)),
                  m_inst.getType())
            : static_cast<llvm::Value *>(m_builder.CreateLoad(
                  m_inst.getType(), GetAddress(result_offset)));
    m_inst.replaceAllUsesWith(result);
  }
}

void CallWriter::Replace(uint64_t number, uint64_t offset, uint64_t size) {
  m_builder.CreateStore(m_builder.getInt64(number), GetAddress(0));
  for (const CopyBack &copy : m_copies)
    m_builder.CreateMemCpy(
        m_builder.CreateLoad(m_builder.getPtrTy(), GetAddress(copy.target)),
        llvm::Align(1), GetAddress(copy.offset), llvm::Align(1), copy.size);
  LoadResult(offset, size);
  if (!m_inst.use_empty())
    m_inst.replaceAllUsesWith(llvm::UndefValue::get(m_inst.getType()));
  m_inst.eraseFromParent();
}

namespace {
/// Computes with numbers in objects of a class, as doubles.
class SmallNumbers {
public:
  using Math = llvm::function_ref<llvm::Value *(
      const MathFunction &math, llvm::ArrayRef<llvm::Value *> arguments)>;

  SmallNumbers(IRBuilder<> &builder, const SmallFloat &kind, Math call)
      : m_builder(builder), m_bits(builder.getIntNTy(kind.bits() > 8 ? 16 : 8)),
        m_kind(llvm::ConstantFP::get(builder.getDoubleTy(),
                                     GetSmallFloatKind(kind))),
        m_call(call) {}

  llvm::Value *Load(llvm::Value *object) {
    return m_call(GetSmallFloatDecoder(),
                  {m_builder.CreateUIToFP(m_builder.CreateLoad(m_bits, object),
                                          m_builder.getDoubleTy()),
                   m_kind});
  }
  void Store(llvm::Value *number, llvm::Value *object) {
    m_builder.CreateStore(
        m_builder.CreateFPToUI(m_call(GetSmallFloatEncoder(), {number, m_kind}),
                               m_bits),
        object);
  }
  /// An object as a function returns it.
  llvm::Value *Return(llvm::Value *number, llvm::Type *type,
                      llvm::Value *object) {
    Store(number, object);
    return m_builder.CreateLoad(type, object);
  }
  /// A double as a number of a type.
  llvm::Value *Convert(llvm::Value *number, clang::QualType to,
                       llvm::Type *type);
  /// A number of a type as a double.
  llvm::Value *Widen(llvm::Value *number, clang::QualType from);

private:
  IRBuilder<> &m_builder;
  llvm::Type *m_bits;
  llvm::Value *m_kind;
  Math m_call;
};
} // namespace

llvm::Value *SmallNumbers::Convert(llvm::Value *number, clang::QualType to,
                                   llvm::Type *type) {
  if (to->isBooleanType())
    return m_builder.CreateZExtOrTrunc(
        m_builder.CreateFCmpUNE(
            number, llvm::ConstantFP::get(m_builder.getDoubleTy(), 0)),
        type);
  if (type->isFloatingPointTy())
    return m_builder.CreateFPCast(number, type);
  llvm::Value *whole =
      to->isUnsignedIntegerType()
          ? m_builder.CreateFPToUI(number, m_builder.getInt64Ty())
          : m_builder.CreateFPToSI(number, m_builder.getInt64Ty());
  return m_builder.CreateTrunc(whole, type);
}

llvm::Value *SmallNumbers::Widen(llvm::Value *number, clang::QualType from) {
  if (number->getType()->isFloatingPointTy())
    return m_builder.CreateFPCast(number, m_builder.getDoubleTy());
  return from->isUnsignedIntegerType()
             ? m_builder.CreateUIToFP(number, m_builder.getDoubleTy())
             : m_builder.CreateSIToFP(number, m_builder.getDoubleTy());
}

/// The arithmetic of a compound operator; nullopt for other operators.
static std::optional<llvm::Instruction::BinaryOps>
GetArithmetic(clang::OverloadedOperatorKind kind) {
  switch (kind) {
  case clang::OO_PlusEqual:
  case clang::OO_PlusPlus:
    return llvm::Instruction::FAdd;
  case clang::OO_MinusEqual:
  case clang::OO_MinusMinus:
    return llvm::Instruction::FSub;
  case clang::OO_StarEqual:
    return llvm::Instruction::FMul;
  case clang::OO_SlashEqual:
    return llvm::Instruction::FDiv;
  default:
    return std::nullopt;
  }
}

/// Members of HIP's classes for small floating-point numbers: programs have no
/// code for most of them.
bool CallLowering::LowerSmallFloat(llvm::CallInst &inst,
                                   const clang::FunctionDecl &decl) {
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(&decl);
  if (!method || !method->isInstance())
    return false;
  const std::string name = method->getParent()->getQualifiedNameAsString();
  const std::optional<SmallFloat> kind = SmallFloat::ofClass(name);
  if (!kind || kind->Count != 1)
    return false;
  IRBuilder<> builder(&inst);
  auto call = [&](const MathFunction &math,
                  llvm::ArrayRef<llvm::Value *> arguments) {
    return CallMath(builder, math, arguments);
  };
  SmallNumbers numbers(builder, *kind, call);
  const unsigned count = decl.getNumParams();
  const bool is_in_memory =
      inst.arg_size() && inst.paramHasAttr(0, llvm::Attribute::StructRet);
  if (inst.arg_size() != is_in_memory + 1 + count)
    return false;
  llvm::Value *object = inst.getArgOperand(is_in_memory), *result = nullptr;
  llvm::Value *argument =
      count ? inst.getArgOperand(is_in_memory + 1) : nullptr;
  const clang::QualType first =
      count ? decl.getParamDecl(0)->getType() : clang::QualType();
  const bool is_copy =
      count && first->isReferenceType() && first->getPointeeCXXRecordDecl() &&
      first->getPointeeCXXRecordDecl()->getQualifiedNameAsString() == name;
  auto make = [&](llvm::Value *number) -> llvm::Value * {
    if (is_in_memory) {
      numbers.Store(number, inst.getArgOperand(0));
      return nullptr;
    }
    llvm::Value *copy = IRBuilder<>(&*m_function.getEntryBlock().begin())
                            .CreateAlloca(builder.getInt64Ty());
    return numbers.Return(number, inst.getType(), copy);
  };
  const auto arithmetic = GetArithmetic(decl.getOverloadedOperator());
  if (llvm::isa<clang::CXXConversionDecl>(method)) {
    if (!decl.getReturnType()->isArithmeticType())
      return false;
    result = numbers.Convert(numbers.Load(object), decl.getReturnType(),
                             inst.getType());
  } else if (llvm::isa<clang::CXXConstructorDecl>(method) ||
             decl.getOverloadedOperator() == clang::OO_Equal) {
    if (count != 1 || !(is_copy || first->isArithmeticType()))
      return false;
    if (is_copy)
      builder.CreateMemCpy(object, llvm::Align(1), argument, llvm::Align(1),
                           kind->bits() > 8 ? 2 : 1);
    else
      numbers.Store(numbers.Widen(argument, first), object);
    result = object;
  } else if (arithmetic) {
    const bool is_step = decl.getOverloadedOperator() == clang::OO_PlusPlus ||
                         decl.getOverloadedOperator() == clang::OO_MinusMinus;
    llvm::Value *old = numbers.Load(object), *other = nullptr;
    if (is_step)
      other = llvm::ConstantFP::get(builder.getDoubleTy(), 1);
    else if (is_copy)
      other = numbers.Load(argument);
    else
      return false;
    llvm::Value *sum = builder.CreateBinOp(*arithmetic, old, other);
    // The step behind an object has a parameter, and gives the old number.
    result = is_step && count ? make(old) : object;
    numbers.Store(sum, object);
  } else if (count == 0 && decl.getOverloadedOperator() == clang::OO_Minus) {
    result = make(builder.CreateFNeg(numbers.Load(object)));
  } else if (count == 0 && decl.getOverloadedOperator() == clang::OO_Plus) {
    result = make(numbers.Load(object));
  } else {
    return false;
  }
  if (!inst.use_empty())
    inst.replaceAllUsesWith(result);
  inst.eraseFromParent();
  return true;
}

bool CallLowering::Lower(llvm::CallInst &inst) {
  llvm::Function *callee = inst.getCalledFunction();
  if (!callee || callee->isIntrinsic() || !callee->isDeclaration())
    return false;
  const clang::FunctionDecl *decl = FindDeclaration(*callee);
  if (!decl)
    return false;
  if (LowerSmallFloat(inst, *decl))
    return true;
  FunctionCall call;
  call.name = llvm::demangle(GetLookupName(callee->getName()));
  Resolve(callee->getName(), *decl, call);
  if (!call.obstacle.empty() && LowerTrivialMember(inst, *decl))
    return true;
  auto *types = TypeSystemClang::GetASTContext(
      const_cast<clang::ASTContext *>(&decl->getASTContext()));
  ThreadSP thread_sp = m_process.GetThreadList().GetSelectedThread();
  if (!types || !thread_sp)
    return false;

  CallWriter writer(inst, call, *types, *thread_sp);
  writer.PassArguments(*decl);
  writer.DescribeResult(*decl);
  const uint64_t offset = call.result.offset, size = call.result.size;
  writer.Replace(m_calls.Add(std::move(call)), offset, size);
  return true;
}

bool CallLowering::Run() {
  bool changed = false;
  // Calls and loads go with the instructions that use them.
  llvm::SmallVector<llvm::CallInst *> calls;
  llvm::SmallVector<llvm::LoadInst *> loads;
  for (llvm::Instruction &inst : llvm::instructions(m_function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&inst))
      calls.push_back(call);
    else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&inst))
      loads.push_back(load);
  for (llvm::CallInst *call : calls)
    changed |= LowerMath(*call) || Lower(*call);
  for (llvm::LoadInst *load : loads)
    changed |= LowerStructLoad(*load);
  return changed;
}

/// The name in <math.h> of what an intrinsic computes; empty for others.
static llvm::StringRef GetMathName(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::sqrt:
    return "sqrt";
  case llvm::Intrinsic::fabs:
    return "fabs";
  case llvm::Intrinsic::fma:
  case llvm::Intrinsic::fmuladd:
    return "fma";
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::minimumnum:
    return "fmin";
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::maximumnum:
    return "fmax";
  case llvm::Intrinsic::copysign:
    return "copysign";
  case llvm::Intrinsic::floor:
    return "floor";
  case llvm::Intrinsic::ceil:
    return "ceil";
  case llvm::Intrinsic::trunc:
    return "trunc";
  case llvm::Intrinsic::rint:
    return "rint";
  case llvm::Intrinsic::nearbyint:
    return "nearbyint";
  case llvm::Intrinsic::round:
    return "round";
  case llvm::Intrinsic::exp:
    return "exp";
  case llvm::Intrinsic::exp2:
    return "exp2";
  case llvm::Intrinsic::log:
    return "log";
  case llvm::Intrinsic::log2:
    return "log2";
  case llvm::Intrinsic::log10:
    return "log10";
  case llvm::Intrinsic::pow:
    return "pow";
  case llvm::Intrinsic::sin:
    return "sin";
  case llvm::Intrinsic::cos:
    return "cos";
  case llvm::Intrinsic::tan:
    return "tan";
  default:
    return {};
  }
}

bool CallLowering::LowerMath(llvm::CallInst &inst) {
  llvm::Function *callee = inst.getCalledFunction();
  llvm::Type *type = inst.getType();
  if (!callee || (!type->isFloatTy() && !type->isDoubleTy()))
    return false;
  // Clang's built-in functions call the C library's by their plain names; the
  // program's own functions have C++ names.
  llvm::StringRef name = callee->isIntrinsic()
                             ? GetMathName(callee->getIntrinsicID())
                             : callee->getName();
  if (!callee->isIntrinsic() && type->isFloatTy() && !name.consume_back("f"))
    return false;
  const MathFunction *math = FindMathFunction(name);
  if (!math || inst.arg_size() != math->arguments)
    return false;
  llvm::SmallVector<llvm::Value *> arguments(inst.args());
  if (llvm::any_of(arguments, [&](llvm::Value *argument) {
        return argument->getType() != type;
      }))
    return false;
  IRBuilder<> builder(&inst);
  inst.replaceAllUsesWith(CallMath(builder, *math, arguments));
  inst.eraseFromParent();
  return true;
}

llvm::Value *CallLowering::CallMath(IRBuilder<> &builder,
                                    const MathFunction &math,
                                    llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Type *type = arguments.front()->getType();
  FunctionCall call;
  call.math = &math;
  call.name = math.name;
  const uint64_t size = type->isDoubleTy() ? 8 : 4;
  Layout memory(call);
  for (llvm::Value *argument : arguments) {
    FunctionCall::Value value;
    value.size = size;
    value.offset = memory.Reserve(size);
    builder.CreateStore(argument, GetAddress(value.offset));
    call.arguments.push_back(std::move(value));
  }
  call.result.size = size;
  call.result.offset = memory.Reserve(size);
  const uint64_t result_offset = call.result.offset;
  builder.CreateStore(builder.getInt64(m_calls.Add(std::move(call))),
                      GetAddress(0));
  return builder.CreateLoad(type, GetAddress(result_offset));
}

bool CallLowering::LowerMath() {
  bool changed = false;
  for (llvm::Instruction &inst :
       llvm::make_early_inc_range(llvm::instructions(m_function)))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&inst))
      changed |= LowerMath(*call);
  return changed;
}
