//===-- ExpressionPass.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpressionPass.h"

#include "CallLowering.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace lldb_private::wavelane;

char ExpressionPass::ID = 0;

/// LLDB's name for the function of an expression.
static llvm::Function *FindExpression(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() &&
        function.getName().contains("$__lldb_expr"))
      return &function;
  return nullptr;
}

static bool HasVectors(llvm::Function &function) {
  return llvm::any_of(
      llvm::instructions(function), [](const llvm::Instruction &inst) {
        return llvm::isa<llvm::VectorType>(inst.getType()) ||
               llvm::any_of(inst.operands(), [](const llvm::Use &use) {
                 return llvm::isa<llvm::VectorType>(use->getType());
               });
      });
}

static bool HasSwitches(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function),
                      [](const llvm::Instruction &inst) {
                        return llvm::isa<llvm::SwitchInst>(inst);
                      });
}

/// The interpreter has the predicates of C's operators, which are false (and
/// for != true) of what isn't a number.
static bool LowerComparison(llvm::FCmpInst &inst) {
  llvm::IRBuilder<> builder(&inst);
  llvm::Value *a = inst.getOperand(0), *b = inst.getOperand(1);
  llvm::Value *result = nullptr;
  switch (inst.getPredicate()) {
  case llvm::CmpInst::FCMP_ORD:
    result = builder.CreateAnd(builder.CreateFCmpOEQ(a, a),
                               builder.CreateFCmpOEQ(b, b));
    break;
  case llvm::CmpInst::FCMP_UNO:
    result = builder.CreateOr(builder.CreateFCmpUNE(a, a),
                              builder.CreateFCmpUNE(b, b));
    break;
  case llvm::CmpInst::FCMP_ONE:
    result = builder.CreateOr(builder.CreateFCmpOLT(a, b),
                              builder.CreateFCmpOGT(a, b));
    break;
  case llvm::CmpInst::FCMP_UEQ:
    result = builder.CreateNot(builder.CreateOr(builder.CreateFCmpOLT(a, b),
                                                builder.CreateFCmpOGT(a, b)));
    break;
  case llvm::CmpInst::FCMP_UGT:
  case llvm::CmpInst::FCMP_UGE:
  case llvm::CmpInst::FCMP_ULT:
  case llvm::CmpInst::FCMP_ULE:
    result =
        builder.CreateNot(builder.CreateFCmp(inst.getInversePredicate(), a, b));
    break;
  default:
    return false;
  }
  inst.replaceAllUsesWith(result);
  inst.eraseFromParent();
  return true;
}

static bool IsSmall(const llvm::Type *type) {
  return type->isHalfTy() || type->isBFloatTy();
}

/// The interpreter computes with float and double. A float has enough bits for
/// the result of one operation on small numbers to be rounded twice.
static bool WidenSmallNumbers(llvm::Instruction &inst) {
  auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst);
  auto *comparison = llvm::dyn_cast<llvm::FCmpInst>(&inst);
  if ((!binary && !comparison) || !IsSmall(inst.getOperand(0)->getType()))
    return false;
  llvm::IRBuilder<> builder(&inst);
  llvm::Value *a =
                  builder.CreateFPExt(inst.getOperand(0), builder.getFloatTy()),
              *b =
                  builder.CreateFPExt(inst.getOperand(1), builder.getFloatTy());
  inst.replaceAllUsesWith(
      binary
          ? builder.CreateFPTrunc(
                builder.CreateBinOp(binary->getOpcode(), a, b), inst.getType())
          : builder.CreateFCmp(comparison->getPredicate(), a, b));
  inst.eraseFromParent();
  return true;
}

/// What inlining leaves for optimizers alone.
static bool DropScopes(llvm::Function &function) {
  bool changed = false;
  for (llvm::Instruction &inst :
       llvm::make_early_inc_range(llvm::instructions(function)))
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(inst)) {
      inst.eraseFromParent();
      changed = true;
    }
  return changed;
}

/// Whether a constant object is only read; or its address is stored, as that of
/// a string that is the expression's result.
static bool IsOnlyRead(const llvm::Value &object) {
  return llvm::all_of(object.uses(), [](const llvm::Use &use) {
    const llvm::User *user = use.getUser();
    if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(user))
      return &transfer->getRawSourceUse() == &use;
    if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
      return store->getValueOperand() == use.get();
    return llvm::isa<llvm::LoadInst>(user) ||
           (llvm::isa<llvm::GEPOperator>(user) && IsOnlyRead(*user));
  });
}

/// The bytes of a constant object, in parts; empty if it has addresses.
static std::vector<llvm::ConstantInt *>
SplitConstant(llvm::Constant &value, const llvm::DataLayout &layout) {
  std::vector<llvm::ConstantInt *> parts;
  const uint64_t size = layout.getTypeStoreSize(value.getType());
  for (uint64_t done = 0; done < size;) {
    const uint64_t part = std::min<uint64_t>(8, llvm::bit_floor(size - done));
    auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        llvm::ConstantFoldLoadFromConst(
            &value,
            llvm::IntegerType::get(value.getContext(), unsigned(part) * 8),
            llvm::APInt(64, done), layout));
    if (!number)
      return {};
    parts.push_back(number);
    done += part;
  }
  return parts;
}

/// LLDB's variable for the address of a result that is a constant object has it
/// as its initializer: makes a store of it.
static bool StoreConstantResult(llvm::Module &module, llvm::Function &main) {
  bool changed = false;
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (!variable.getName().contains("$__lldb_expr_result_ptr") ||
        !variable.use_empty() || !variable.hasInitializer())
      continue;
    llvm::Constant *address = variable.getInitializer();
    llvm::IRBuilder<>(&*main.getEntryBlock().begin())
        .CreateStore(address, &variable);
    variable.setConstant(false);
    variable.setInitializer(llvm::Constant::getNullValue(address->getType()));
    changed = true;
  }
  return changed;
}

/// Clang copies the values of an initializer in braces from a constant object,
/// for which the interpreter has no memory: the function gets its own.
static bool CopyConstants(llvm::Module &module, llvm::Function &main) {
  constexpr uint64_t kMaxObject = 16 * 1024;
  const llvm::DataLayout &layout = module.getDataLayout();
  bool changed = false;
  for (llvm::GlobalVariable &object : module.globals()) {
    if (!object.isConstant() || !object.hasLocalLinkage() ||
        !object.hasInitializer() || object.use_empty() || !IsOnlyRead(object) ||
        layout.getTypeStoreSize(object.getValueType()) > kMaxObject)
      continue;
    const std::vector<llvm::ConstantInt *> parts =
        SplitConstant(*object.getInitializer(), layout);
    if (parts.empty())
      continue;
    llvm::convertUsersOfConstantsToInstructions({&object}, &main);
    llvm::IRBuilder<> builder(&*main.getEntryBlock().begin());
    llvm::Value *copy =
        builder.CreateAlloca(object.getValueType(), nullptr, "constant");
    uint64_t offset = 0;
    for (llvm::ConstantInt *part : parts) {
      builder.CreateStore(part, builder.CreateConstInBoundsGEP1_64(
                                    builder.getInt8Ty(), copy, offset));
      offset += part->getBitWidth() / 8;
    }
    object.replaceUsesWithIf(copy, [&](llvm::Use &use) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user && user->getFunction() == &main;
    });
    changed = true;
  }
  return changed;
}

bool ExpressionPass::runOnModule(llvm::Module &module) {
  llvm::Function *main = FindExpression(module);
  if (!main)
    return false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  std::unique_ptr<llvm::PassBuilder> builder;
  // Most expressions need none of this.
  auto prepare = [&] {
    if (builder)
      return;
    builder = std::make_unique<llvm::PassBuilder>();
    builder->registerModuleAnalyses(modules);
    builder->registerCGSCCAnalyses(components);
    builder->registerFunctionAnalyses(functions);
    builder->registerLoopAnalyses(loops);
    builder->crossRegisterProxies(loops, functions, components, modules);
  };

  bool changed = false;
  for (llvm::Function &function : module)
    if (&function != main && !function.isDeclaration()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.removeFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
      changed = true;
    }
  if (changed) {
    prepare();
    llvm::AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, modules);
    DropScopes(*main);
    modules.clear();
    functions.clear();
  }
  changed |= StoreConstantResult(module, *main);
  changed |= CopyConstants(module, *main);
  changed |= CallLowering(m_process, m_calls, module, *main).Run();
  if (HasVectors(*main)) {
    prepare();
    llvm::ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    llvm::ScalarizerPass(options).run(*main, functions);
    functions.clear();
    changed = true;
  }
  if (HasSwitches(*main)) {
    prepare();
    llvm::LowerSwitchPass().run(*main, functions);
    changed = true;
  }
  for (llvm::Instruction &inst :
       llvm::make_early_inc_range(llvm::instructions(*main)))
    changed |= WidenSmallNumbers(inst);
  for (llvm::Instruction &inst :
       llvm::make_early_inc_range(llvm::instructions(*main)))
    if (auto *comparison = llvm::dyn_cast<llvm::FCmpInst>(&inst))
      changed |= LowerComparison(*comparison);
  return CallLowering(m_process, m_calls, module, *main).LowerMath() || changed;
}
