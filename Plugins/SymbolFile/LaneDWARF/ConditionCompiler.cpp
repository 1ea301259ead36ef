//===-- ConditionCompiler.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConditionCompiler.h"

#include "Builtins.h"
#include "MissingLocations.h"
#include "Operations.h"
#include "SymbolFileLaneDWARF.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Utility/DataExtractor.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace json = llvm::json;
namespace source = ::wavelane::source;

namespace {

/// The kind of an operand of the expression.
struct Operand {
  enum Kind {
    Value,    ///< the value of `tree`; its type is `number`, or u8 for a
              ///< pointer
    Variable, ///< `offset` bytes into variable `index`, of type `type`
    Memory,   ///< at the address to which `tree` evaluates, of type `type`
    Builtin,  ///< one of HIP's built-ins, with three dimensions
  };
  Kind kind = Value;
  json::Value tree = nullptr;
  std::string number;
  CompilerType pointee;
  CompilerType type;
  size_t index = 0;
  uint64_t offset = 0;

  /// A value's type in C++.
  enum CxxType {
    Arithmetic, ///< the basic type of the number
    Truth,      ///< bool
    Declared,   ///< `declared`
    Unknown,
  };
  CxxType cxx_type = Arithmetic;
  CompilerType declared;
};

class Compiler {
public:
  Compiler(llvm::StringRef text, const Address &address)
      : m_text(text), m_address(address) {}

  llvm::Expected<ServerExpression> Compile();

private:
  // Each sets m_error and returns a useless value if it can't continue.
  Operand ParseChoice();
  Operand ParseBinary(unsigned level);
  Operand ParseUnary();
  Operand ParsePostfix();
  Operand ParsePrimary();
  Operand ParseNumber();
  Operand FindVariable(llvm::StringRef name);
  VariableSP FindLocal(llvm::StringRef name) const;
  /// A variable whose value isn't only from its own location, as the debugger
  /// shows it. Without a number or a type, its location counts.
  std::optional<Operand> FindFilled(Variable &variable,
                                    const MissingLocation &location,
                                    const CompilerType &type);
  /// What the source says of \a variable.
  Operand ReadSource(Variable &variable, const source::Expression &expression);
  Operand ReadLeaf(Variable &variable, const source::Expression &leaf);
  bool ParseTypeName(std::string &number);

  Operand Load(Operand place);
  Operand Member(Operand object, llvm::StringRef name);
  Operand Element(Operand array, Operand index);
  Operand Convert(Operand value, const std::string &number);
  Operand Apply(llvm::StringRef op, Operand left, Operand right);
  std::string Promoted(const Operand &value);
  Operand Scale(Operand index, uint64_t size);
  CompilerType GetType(const Operand &value);

  Operand Fail(const llvm::Twine &text) {
    if (m_error.empty())
      m_error = text.str();
    return MakeConstant("s4", 0);
  }
  static Operand MakeConstant(llvm::StringRef number, uint64_t bits) {
    return MakeValue(json::Array{"const", number, bits}, number);
  }
  static Operand MakeTruth(json::Array tree) {
    Operand value = MakeValue(std::move(tree), "s4");
    value.cxx_type = Operand::Truth;
    return value;
  }
  static Operand MakeValue(json::Array tree, llvm::StringRef number) {
    Operand value;
    value.tree = std::move(tree);
    value.number = number.str();
    return value;
  }
  bool Take(llvm::StringRef token) {
    m_text = m_text.ltrim();
    return m_text.consume_front(token);
  }
  llvm::StringRef TakeName() {
    m_text = m_text.ltrim();
    llvm::StringRef name;
    if (!m_text.empty() &&
        (llvm::isAlpha(m_text[0]) || m_text[0] == '_' || m_text[0] == '$'))
      name = m_text.take_while(
          [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    m_text = m_text.drop_front(name.size());
    return name;
  }

  llvm::StringRef m_text;
  const Address m_address;
  SymbolContext m_sc;
  SymbolFileLaneDWARF *m_symbols = nullptr;
  addr_t m_function = LLDB_INVALID_ADDRESS;
  json::Array m_variables;
  std::map<std::string, Operand> m_known;
  std::string m_error;
  unsigned m_depth = 0;
  bool m_has_marks = false;
};

struct TypeName {
  const char *name;
  const char *number;
};
constexpr TypeName g_types[] = {
    {"int8_t", "s1"},   {"uint8_t", "u1"},  {"int16_t", "s2"},
    {"uint16_t", "u2"}, {"int32_t", "s4"},  {"uint32_t", "u4"},
    {"int64_t", "s8"},  {"uint64_t", "u8"}, {"size_t", "u8"},
    {"float", "f4"},    {"double", "f8"},   {"bool", "u1"},
};

/// The server's notation for a number of \a type; empty if it isn't a number.
std::string GetNumber(const CompilerType &type) {
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(nullptr));
  bool is_complex = false, is_signed = false;
  if (!size || (*size != 1 && *size != 2 && *size != 4 && *size != 8))
    return {};
  if (type.IsIntegerOrEnumerationType(is_signed) || type.IsBoolean())
    return (is_signed ? "s" : "u") + std::to_string(*size);
  if (type.IsFloatingPointType(is_complex) && !is_complex && *size > 1)
    return "f" + std::to_string(*size);
  return {};
}

} // namespace

//===-- Values ------------------------------------------------------------===//

Operand Compiler::Load(Operand place) {
  if (place.kind == Operand::Value || !m_error.empty())
    return place;
  if (place.kind == Operand::Builtin)
    return Fail("a built-in variable has members only");
  const bool is_reference = place.type.IsReferenceType();
  // IsReferenceType returns the type that a reference refers to.
  CompilerType pointee =
      is_reference ? place.type.GetNonReferenceType() : CompilerType();
  const bool is_pointer = is_reference || place.type.IsPointerType(&pointee);
  std::string number = is_pointer ? "u8" : GetNumber(place.type);
  if (is_pointer &&
      llvm::expectedToOptional(place.type.GetByteSize(nullptr)) != uint64_t(8))
    return Fail("pointers of an address space");
  if (number.empty())
    return Fail("values of this type");
  Operand value;
  if (place.kind == Operand::Variable)
    value = MakeValue(json::Array{"var", number, place.index, place.offset},
                      number);
  else
    value =
        MakeValue(json::Array{"read", number, std::move(place.tree)}, number);
  if (is_pointer)
    value.pointee = pointee;
  if (is_reference) {
    value.kind = Operand::Memory;
    value.type = pointee;
    value = Load(std::move(value));
  }
  // LLDB shows the text at a pointer to characters, which may be the lane's.
  value.cxx_type = is_reference || (is_pointer && pointee.IsCharType())
                       ? Operand::Unknown
                       : Operand::Declared;
  value.declared = place.type;
  return value;
}

/// The type of a value in C++; invalid if it isn't known.
CompilerType Compiler::GetType(const Operand &value) {
  static const std::map<llvm::StringRef, BasicType> basic_types = {
      {"s4", eBasicTypeInt},   {"u4", eBasicTypeUnsignedInt},
      {"s8", eBasicTypeLong},  {"u8", eBasicTypeUnsignedLong},
      {"f4", eBasicTypeFloat}, {"f8", eBasicTypeDouble}};
  if (value.cxx_type == Operand::Unknown)
    return {};
  if (value.cxx_type == Operand::Declared)
    return value.declared;
  auto basic = basic_types.find(value.number);
  const BasicType wanted = value.cxx_type == Operand::Truth ? eBasicTypeBool
                           : basic == basic_types.end()     ? eBasicTypeInvalid
                                                            : basic->second;
  auto types =
      m_sc.module_sp->GetTypeSystemForLanguage(m_sc.comp_unit->GetLanguage());
  if (!types) {
    llvm::consumeError(types.takeError());
    return {};
  }
  return wanted != eBasicTypeInvalid && *types
             ? (*types)->GetBasicTypeFromAST(wanted)
             : CompilerType();
}

Operand Compiler::Convert(Operand value, const std::string &number) {
  if (value.number == number)
    return value;
  return MakeValue(json::Array{"convert", number, std::move(value.tree)},
                   number);
}

/// The type after C's integral promotion.
std::string Compiler::Promoted(const Operand &value) {
  const std::string &number = value.number;
  return number[0] != 'f' && number[1] < '4' ? "s4" : number;
}

Operand Compiler::Scale(Operand index, uint64_t size) {
  index = Convert(std::move(index), "s8");
  index = Convert(std::move(index), "u8");
  return MakeValue(json::Array{"*", "u8", std::move(index.tree),
                               json::Array{"const", "u8", size}},
                   "u8");
}

Operand Compiler::Apply(llvm::StringRef op, Operand left, Operand right) {
  left = Load(std::move(left));
  right = Load(std::move(right));
  if (!m_error.empty())
    return left;
  const bool compares = op == "==" || op == "!=" || op == "<" || op == "<=" ||
                        op == ">" || op == ">=";
  if (left.pointee.IsValid() || right.pointee.IsValid()) {
    if (compares) {
      left = Convert(std::move(left), "u8");
      right = Convert(std::move(right), "u8");
      return MakeTruth(
          json::Array{op, "u8", std::move(left.tree), std::move(right.tree)});
    }
    if ((op != "+" && op != "-") || !left.pointee.IsValid() ||
        right.pointee.IsValid() || right.number[0] == 'f')
      return Fail("this arithmetic on pointers");
    std::optional<uint64_t> size =
        llvm::expectedToOptional(left.pointee.GetByteSize(nullptr));
    if (!size)
      return Fail("pointers to a type without a size");
    right = Scale(std::move(right), *size);
    Operand result = MakeValue(
        json::Array{op, "u8", std::move(left.tree), std::move(right.tree)},
        "u8");
    result.pointee = left.pointee;
    result.cxx_type = Operand::Unknown;
    return result;
  }
  std::string a = Promoted(left), b = Promoted(right);
  if (op == "<<" || op == ">>") {
    if (a[0] == 'f' || b[0] == 'f')
      return Fail("a shift of a floating-point number");
    left = Convert(std::move(left), a);
    right = Convert(std::move(right), "u8");
    return MakeValue(
        json::Array{op, a, std::move(left.tree), std::move(right.tree)}, a);
  }
  std::string common;
  if (a[0] == 'f' || b[0] == 'f') {
    common = a[0] != 'f' ? b : b[0] != 'f' ? a : a[1] >= b[1] ? a : b;
    if (op == "%" || op == "&" || op == "|" || op == "^")
      return Fail("'" + op + "' of floating-point numbers");
    if (common == "f2")
      common = "f4";
  } else if (a[1] != b[1]) {
    common = a[1] > b[1] ? a : b;
  } else {
    common = a[0] == 'u' ? a : b;
  }
  left = Convert(std::move(left), common);
  right = Convert(std::move(right), common);
  json::Array tree{op, common, std::move(left.tree), std::move(right.tree)};
  return compares ? MakeTruth(std::move(tree))
                  : MakeValue(std::move(tree), common);
}

Operand Compiler::Member(Operand object, llvm::StringRef name) {
  if (!m_error.empty())
    return object;
  if (object.kind == Operand::Builtin) {
    if (name != "x" && name != "y" && name != "z")
      return Fail("no member '" + name + "'");
    return MakeValue(
        json::Array{"number", "u4", object.number, int(name[0] - 'x')}, "u4");
  }
  if (object.kind != Operand::Value && object.type.IsReferenceType()) {
    const CompilerType pointee = object.type.GetNonReferenceType();
    Operand pointer =
        object.kind == Operand::Variable
            ? MakeValue(json::Array{"var", "u8", object.index, object.offset},
                        "u8")
            : MakeValue(json::Array{"read", "u8", std::move(object.tree)},
                        "u8");
    object = std::move(pointer);
    object.kind = Operand::Memory;
    object.type = pointee;
  }
  if (object.kind == Operand::Value)
    return Fail("a member of a value");
  for (uint32_t i = 0, n = object.type.GetNumFields(); i < n; ++i) {
    std::string field;
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;
    bool is_bitfield = false;
    CompilerType type = object.type.GetFieldAtIndex(i, field, &bit_offset,
                                                    &bit_size, &is_bitfield);
    if (field != name)
      continue;
    if (is_bitfield)
      return Fail("bit fields");
    object.type = type;
    if (object.kind == Operand::Variable)
      object.offset += bit_offset / 8;
    else
      object.tree = json::Array{"+", "u8", std::move(object.tree),
                                json::Array{"const", "u8", bit_offset / 8}};
    return object;
  }
  return Fail("no member '" + name + "' of its own");
}

Operand Compiler::Element(Operand array, Operand index) {
  index = Load(std::move(index));
  if (!m_error.empty())
    return index;
  if (index.number[0] == 'f')
    return Fail("an index that isn't an integer");
  CompilerType element;
  uint64_t count = 0;
  bool is_incomplete = false;
  if (array.kind != Operand::Value && array.kind != Operand::Builtin &&
      array.type.IsArrayType(&element, &count, &is_incomplete)) {
    std::optional<uint64_t> size =
        llvm::expectedToOptional(element.GetByteSize(nullptr));
    if (!size)
      return Fail("elements without a size");
    array.type = element;
    if (array.kind == Operand::Memory) {
      Operand offset = Scale(std::move(index), *size);
      array.tree =
          json::Array{"+", "u8", std::move(array.tree), std::move(offset.tree)};
      return array;
    }
    const json::Array *constant = index.tree.getAsArray();
    if (!constant || (*constant)[0] != json::Value("const"))
      return Fail("an element of a variable by an index that varies");
    const uint64_t number = (*constant)[2].getAsUINT64().value_or(0);
    if (number >= count)
      return Fail("an element past an array's end");
    array.offset += number * *size;
    return array;
  }
  Operand pointer = Apply("+", std::move(array), std::move(index));
  if (!m_error.empty() || !pointer.pointee.IsValid())
    return Fail("an index of something that isn't an array");
  pointer.kind = Operand::Memory;
  pointer.type = pointer.pointee;
  return pointer;
}

//===-- Names -------------------------------------------------------------===//

/// The server's name for a member of a built-in variable of the language.
static const char *GetServersName(LaneSource::Extent extent) {
  switch (extent) {
  case LaneSource::eWorkItem:
    return "item";
  case LaneSource::eWorkgroup:
    return "group";
  case LaneSource::eWorkgroupSize:
    return "group_size";
  case LaneSource::eWorkgroupCount:
    return "groups";
  case LaneSource::eLaneCount:
    return "lanes";
  }
  llvm_unreachable("not an extent");
}

VariableSP Compiler::FindLocal(llvm::StringRef name) const {
  VariableList list;
  if (m_sc.block)
    m_sc.block->AppendVariables(
        /*can_create=*/true, /*get_parent_variables=*/true,
        /*stop_if_block_is_inlined_function=*/true,
        [name](Variable *variable) { return variable->GetName() == name; },
        &list);
  // Inner blocks come first.
  return list.GetSize() ? list.GetVariableAtIndex(0) : nullptr;
}

/// The server's notation for a number of the source; empty for other types.
static std::string GetSourceNumber(const source::ValueType &type) {
  if (type.K == source::ValueType::Kind::Float && type.Size != 4 &&
      type.Size != 8)
    return {};
  const char *kind = type.K == source::ValueType::Kind::Signed  ? "s"
                     : type.K == source::ValueType::Kind::Float ? "f"
                     : type.isInteger()                         ? "u"
                                                                : nullptr;
  return kind && type.Size <= 8 ? kind + std::to_string(type.Size)
                                : std::string();
}

Operand Compiler::ReadLeaf(Variable &variable, const source::Expression &leaf) {
  if (leaf.Assignment) {
    const source::Expression *value =
        m_symbols->GetSourceValues().FindRead(variable, leaf);
    return value ? ReadSource(variable, *value)
                 : Fail("what the source says of '" + leaf.Name + "'");
  }
  if (leaf.K == source::Expression::Kind::Variable) {
    VariableSP read_sp = FindLocal(leaf.Name);
    if (!read_sp || read_sp->GetDeclaration().GetLine() != leaf.Line ||
        !m_symbols->GetSourceValues().IsKept(variable, leaf))
      return Fail("'" + leaf.Name + "', which the source reads");
  }
  const auto [object, part] = llvm::StringRef(leaf.Name).split('.');
  Operand result = FindVariable(object);
  if (!part.empty())
    result = Member(std::move(result), part);
  for (const std::string &member : leaf.Members)
    result = Member(std::move(result), member);
  return Load(std::move(result));
}

Operand Compiler::ReadSource(Variable &variable,
                             const source::Expression &expression) {
  using Kind = source::Expression::Kind;
  constexpr unsigned most_depth = 40;
  if (++m_depth > most_depth)
    return Fail("too deeply nested operations");
  auto leave = llvm::scope_exit([this] { --m_depth; });
  const std::string number = GetSourceNumber(expression.Type);
  if (number.empty() || !m_error.empty())
    return Fail("what the source says of '" +
                variable.GetName().GetStringRef() + "'");
  static const std::map<Kind, const char *> operators = {
      {Kind::Add, "+"},        {Kind::Subtract, "-"},
      {Kind::Multiply, "*"},   {Kind::And, "&"},
      {Kind::Or, "|"},         {Kind::ExclusiveOr, "^"},
      {Kind::ShiftLeft, "<<"}, {Kind::ShiftRight, ">>"}};
  switch (expression.K) {
  case Kind::Constant:
    return MakeConstant(number, expression.Constant);
  case Kind::Variable:
  case Kind::Builtin:
    return Convert(ReadLeaf(variable, expression), number);
  case Kind::Convert: {
    Operand value = ReadSource(variable, expression.Operands[0]);
    if (expression.Type.K != source::ValueType::Kind::Boolean)
      return Convert(std::move(value), number);
    json::Array zero{"const", value.number, 0};
    return Convert(
        MakeTruth(json::Array{"!=", value.number, std::move(value.tree),
                              std::move(zero)}),
        number);
  }
  default:
    break;
  }
  const auto found = operators.find(expression.K);
  if (found == operators.end() || number[0] == 'f')
    return Fail("what the source says of '" +
                variable.GetName().GetStringRef() + "'");
  Operand left = ReadSource(variable, expression.Operands[0]);
  Operand right = ReadSource(variable, expression.Operands[1]);
  const bool shifts =
      expression.K == Kind::ShiftLeft || expression.K == Kind::ShiftRight;
  left = Convert(std::move(left), number);
  right = Convert(std::move(right), shifts ? "u8" : number);
  return MakeValue(json::Array{found->second, number, std::move(left.tree),
                               std::move(right.tree)},
                   number);
}

std::optional<Operand> Compiler::FindFilled(Variable &variable,
                                            const MissingLocation &location,
                                            const CompilerType &type) {
  if (location.kind != MissingLocation::Kind::eArgument)
    return std::nullopt;
  if (location.source == MissingLocation::Source::eKernel) {
    Operand place;
    place.kind = Operand::Memory;
    place.type = type;
    place.tree =
        json::Array{"+", "u8", json::Array{"number", "u8", "arguments", 0},
                    json::Array{"const", "u8", location.number}};
    return place;
  }
  const source::Expression *assigned =
      location.source == MissingLocation::Source::eCall
          ? nullptr
          : m_symbols->GetSourceValues().FindExpression(
                variable, m_sc.line_entry.GetFile(), m_sc.line_entry.line);
  if (!assigned)
    return std::nullopt;
  Operand value = ReadSource(variable, *assigned);
  value.cxx_type = Operand::Declared;
  value.declared = type;
  return value;
}

Operand Compiler::FindVariable(llvm::StringRef name) {
  auto known = m_known.find(name.str());
  if (known != m_known.end())
    return known->second;

  VariableSP variable_sp = FindLocal(name);
  if (!variable_sp) {
    if (const BuiltinVariable *builtin = FindBuiltin(name)) {
      const char *number = GetServersName(builtin->extent);
      if (builtin->extent == LaneSource::eLaneCount)
        return MakeValue(json::Array{"number", "s4", number, 0}, "s4");
      Operand operand;
      operand.kind = Operand::Builtin;
      operand.number = number;
      return operand;
    }
    static const std::map<llvm::StringRef, const char *> numbers = {
        {"$lane", "lane"},
        {"$dispatch", "dispatch"},
        {"$wave_in_group", "wave_in_group"}};
    auto number = numbers.find(name);
    if (number != numbers.end())
      return MakeValue(json::Array{"number", "s4", number->second, 0}, "s4");
    return Fail("'" + name + "', which isn't a local variable");
  }
  if (variable_sp->GetScope() != eValueTypeVariableLocal &&
      variable_sp->GetScope() != eValueTypeVariableArgument)
    return Fail("'" + name + "', which isn't a local variable");
  Type *type = variable_sp->GetType();
  Operand place;
  place.kind = Operand::Variable;
  place.index = m_variables.size();
  if (type)
    place.type = type->GetFullCompilerType();
  std::optional<uint64_t> size =
      place.type.IsValid()
          ? llvm::expectedToOptional(place.type.GetByteSize(nullptr))
          : std::nullopt;
  if (place.type.IsReferenceType())
    size = 8;
  if (!size || !*size)
    return Fail("'" + name + "', whose size isn't known");
  lldb_private::DataExtractor data;
  std::optional<lldb_private::DataExtractor> emitted;
  if (variable_sp->LocationExpressionList().GetExpressionData(
          data, m_function, m_address.GetFileAddress()) &&
      data.GetByteSize()) {
    if (const auto missing = MissingLocation::Decode(data.GetData()))
      if (std::optional<Operand> filled =
              FindFilled(*variable_sp, *missing, place.type)) {
        m_has_marks = true;
        return *filled;
      }
    emitted = GetEmittedLocation(data);
  }
  if (!emitted)
    return Fail("'" + name + "', which has no location here");
  data = *emitted;
  if (HasAMDOperation(data))
    return Fail("'" + name + "', whose location needs the call frame");
  m_variables.push_back(json::Object{
      {"expression", llvm::toHex(data.GetData(), /*LowerCase=*/true)},
      {"size", *size}});
  m_known[name.str()] = place;
  return place;
}

/// A type's name and the closing parenthesis of a cast.
bool Compiler::ParseTypeName(std::string &number) {
  const llvm::StringRef before = m_text;
  unsigned longs = 0;
  bool is_unsigned = false, any = false, is_char = false, is_short = false;
  number.clear();
  while (true) {
    const llvm::StringRef name = TakeName();
    if (name.empty())
      break;
    any = true;
    if (name == "unsigned")
      is_unsigned = true;
    else if (name == "long")
      ++longs;
    else if (name == "char")
      is_char = true;
    else if (name == "short")
      is_short = true;
    else if (name != "int" && name != "signed") {
      const auto *found = llvm::find_if(
          g_types, [&](const TypeName &type) { return name == type.name; });
      if (found == std::end(g_types) || !number.empty()) {
        m_text = before;
        return false;
      }
      number = found->number;
    }
  }
  if (!any || !Take(")")) {
    m_text = before;
    return false;
  }
  if (number.empty())
    number = std::string(is_unsigned ? "u" : "s") + (longs      ? "8"
                                                     : is_char  ? "1"
                                                     : is_short ? "2"
                                                                : "4");
  return true;
}

//===-- The grammar -------------------------------------------------------===//

Operand Compiler::ParseNumber() {
  llvm::StringRef token = m_text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
  // An exponent has a sign of its own.
  const bool is_hex = token.starts_with_insensitive("0x");
  if (!is_hex && token.size() < m_text.size() &&
      (token.ends_with_insensitive("e")) &&
      (m_text[token.size()] == '-' || m_text[token.size()] == '+'))
    token = m_text.take_front(
        token.size() + 1 +
        m_text.drop_front(token.size() + 1)
            .take_while([](char c) { return llvm::isAlnum(c); })
            .size());
  m_text = m_text.drop_front(token.size());
  if (!is_hex && token.find_first_of(".eE") != llvm::StringRef::npos) {
    const bool is_float = token.consume_back_insensitive("f");
    double value = 0;
    if (token.getAsDouble(value))
      return Fail("the number '" + token + "'");
    if (is_float)
      return MakeConstant("f4", llvm::bit_cast<uint32_t>(float(value)));
    return MakeConstant("f8", llvm::bit_cast<uint64_t>(value));
  }
  bool is_unsigned = false, is_long = false;
  while (!token.empty() && llvm::StringRef("uUlL").contains(token.back())) {
    (llvm::toLower(token.back()) == 'u' ? is_unsigned : is_long) = true;
    token = token.drop_back();
  }
  uint64_t value = 0;
  if (token.getAsInteger(0, value))
    return Fail("the number '" + token + "'");
  const bool fits = value <= (is_unsigned || is_hex ? UINT32_MAX : INT32_MAX);
  if (is_hex && value > INT32_MAX && value <= UINT32_MAX)
    is_unsigned = true;
  if (value > INT64_MAX)
    is_unsigned = true;
  return MakeConstant(is_long || !fits ? (is_unsigned ? "u8" : "s8")
                                       : (is_unsigned ? "u4" : "s4"),
                      value);
}

Operand Compiler::ParsePrimary() {
  m_text = m_text.ltrim();
  if (m_text.empty())
    return Fail("an expression that ends early");
  if (llvm::isDigit(m_text[0]) ||
      (m_text[0] == '.' && m_text.size() > 1 && llvm::isDigit(m_text[1])))
    return ParseNumber();
  if (m_text[0] == '\'' && m_text.size() > 2 && m_text[1] != '\\' &&
      m_text[2] == '\'') {
    const char c = m_text[1];
    m_text = m_text.drop_front(3);
    return MakeConstant("s1", uint8_t(c));
  }
  if (Take("(")) {
    Operand inner = ParseChoice();
    if (!Take(")"))
      return Fail("an expression without its ')'");
    return inner;
  }
  const llvm::StringRef name = TakeName();
  if (name.empty())
    return Fail("'" + m_text + "'");
  if (name == "true" || name == "false")
    return MakeConstant("u1", name == "true");
  if (name == "nullptr" || name == "NULL")
    return MakeConstant("u8", 0);
  return FindVariable(name);
}

Operand Compiler::ParsePostfix() {
  Operand result = ParsePrimary();
  while (m_error.empty()) {
    if (Take("[")) {
      Operand index = ParseChoice();
      if (!Take("]"))
        return Fail("an index without its ']'");
      result = Element(std::move(result), std::move(index));
    } else if (Take("->")) {
      result = Load(std::move(result));
      if (!m_error.empty() || !result.pointee.IsValid())
        return Fail("'->' of something that isn't a pointer");
      result.kind = Operand::Memory;
      result.type = result.pointee;
      result.pointee = CompilerType();
      result = Member(std::move(result), TakeName());
    } else if (Take(".")) {
      result = Member(std::move(result), TakeName());
    } else {
      break;
    }
  }
  return result;
}

Operand Compiler::ParseUnary() {
  constexpr unsigned MaxDepth = 40;
  if (++m_depth > MaxDepth)
    return Fail("too deeply nested operations");
  auto leave = llvm::scope_exit([this] { --m_depth; });
  m_text = m_text.ltrim();
  if (m_text.starts_with("++") || m_text.starts_with("--"))
    return Fail("assignments");
  if (Take("!")) {
    Operand value = Load(ParseUnary());
    return MakeTruth(json::Array{"!", std::move(value.tree)});
  }
  if (Take("-") || Take("~")) {
    const bool is_minus = m_text.data()[-1] == '-';
    Operand value = Load(ParseUnary());
    if (!m_error.empty())
      return value;
    if (value.pointee.IsValid() || (!is_minus && value.number[0] == 'f'))
      return Fail("'-' or '~' of this type");
    const std::string number = Promoted(value);
    value = Convert(std::move(value), number);
    return MakeValue(
        json::Array{is_minus ? "neg" : "~", number, std::move(value.tree)},
        number);
  }
  if (Take("+")) {
    Operand value = Load(ParseUnary());
    value.cxx_type = Operand::Unknown;
    return value;
  }
  if (Take("*")) {
    Operand pointer = Load(ParseUnary());
    if (!m_error.empty() || !pointer.pointee.IsValid())
      return Fail("'*' of something that isn't a pointer");
    pointer.kind = Operand::Memory;
    pointer.type = pointer.pointee;
    pointer.pointee = CompilerType();
    return pointer;
  }
  if (!m_text.starts_with("&&") && Take("&")) {
    Operand place = ParseUnary();
    if (!m_error.empty() || place.kind != Operand::Memory)
      return Fail("the address of something that isn't in memory");
    Operand pointer = MakeValue(std::move(*place.tree.getAsArray()), "u8");
    pointer.pointee = place.type;
    pointer.declared = place.type.GetPointerType();
    pointer.cxx_type =
        place.type.IsCharType() ? Operand::Unknown : Operand::Declared;
    return pointer;
  }
  const llvm::StringRef before = m_text;
  std::string number;
  if (Take("(") && ParseTypeName(number)) {
    Operand value = Load(ParseUnary());
    if (m_error.empty())
      value = Convert(std::move(value), number);
    value.cxx_type = Operand::Unknown;
    return value;
  }
  m_text = before;
  return ParsePostfix();
}

Operand Compiler::ParseBinary(unsigned level) {
  // The longer of two operators with the same beginning comes first.
  static const std::vector<std::vector<llvm::StringRef>> levels = {
      {"||"},
      {"&&"},
      {"|"},
      {"^"},
      {"&"},
      {"==", "!="},
      {"<=", ">=", "<", ">"},
      {"<<", ">>"},
      {"+", "-"},
      {"*", "/", "%"}};
  if (level == levels.size())
    return ParseUnary();
  Operand left = ParseBinary(level + 1);
  while (m_error.empty()) {
    m_text = m_text.ltrim();
    llvm::StringRef op;
    for (llvm::StringRef candidate : levels[level]) {
      if (!m_text.starts_with(candidate))
        continue;
      const llvm::StringRef after = m_text.drop_front(candidate.size());
      // Neither a part of another operator nor an assignment.
      if (candidate.size() == 1 && !after.empty() &&
          llvm::StringRef("|&<>").contains(candidate[0]) &&
          after[0] == candidate[0])
        continue;
      if (after.starts_with("=") && candidate != "==" && candidate != "!=" &&
          candidate != "<=" && candidate != ">=")
        return Fail("assignments");
      op = candidate;
      break;
    }
    if (op.empty())
      return left;
    m_text = m_text.drop_front(op.size());
    Operand right = ParseBinary(level + 1);
    if (op == "&&" || op == "||") {
      left = Load(std::move(left));
      right = Load(std::move(right));
      left = MakeTruth(
          json::Array{op, std::move(left.tree), std::move(right.tree)});
    } else {
      left = Apply(op, std::move(left), std::move(right));
    }
  }
  return left;
}

Operand Compiler::ParseChoice() {
  Operand which = ParseBinary(0);
  if (!m_error.empty() || !Take("?"))
    return which;
  which = Load(std::move(which));
  Operand yes = Load(ParseChoice());
  if (!Take(":"))
    return Fail("'?' without its ':'");
  Operand no = Load(ParseChoice());
  if (!m_error.empty() || yes.number != no.number)
    return Fail("'?' between different types");
  return MakeValue(json::Array{"?", yes.number, std::move(which.tree),
                               std::move(yes.tree), std::move(no.tree)},
                   yes.number);
}

llvm::Expected<ServerExpression> Compiler::Compile() {
  auto error = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  m_address.CalculateSymbolContext(&m_sc, eSymbolContextEverything);
  m_symbols =
      m_sc.module_sp
          ? dynamic_cast<SymbolFileLaneDWARF *>(m_sc.module_sp->GetSymbolFile())
          : nullptr;
  if (!m_sc.function || !m_sc.comp_unit || !m_symbols)
    return error("there is no debug information at the breakpoint");
  const Address start = m_sc.function->GetAddress();
  m_function = start.GetFileAddress();
  // At the beginning of inlined code, LLDB may consider a wave to be in front
  // of it.
  for (Block *block = m_sc.block; block; block = block->GetParent()) {
    AddressRange range;
    if (block->GetInlinedFunctionInfo() &&
        block->GetRangeContainingAddress(m_address, range) &&
        range.GetBaseAddress() == m_address)
      return error("the breakpoint is where inlined code begins");
  }
  Operand result = Load(ParseChoice());
  m_text = m_text.ltrim();
  if (m_error.empty() && !m_text.empty())
    m_error = ("'" + m_text + "'").str();
  if (!m_error.empty())
    return error("the server can't evaluate " + m_error);

  CompilerType type = GetType(result);
  json::Object object{
      {"test", std::move(result.tree)},
      {"variables", std::move(m_variables)},
      {"old_numbers", m_symbols->UsesOldNumbers(*m_sc.comp_unit)}};
  lldb_private::DataExtractor frame_base;
  if (m_sc.function->GetFrameBaseExpression().GetExpressionData(
          frame_base, m_function, m_address.GetFileAddress())) {
    if (HasAMDOperation(frame_base))
      return error("the server can't evaluate what needs the call frame");
    object["frame_base"] =
        llvm::toHex(frame_base.GetData(), /*LowerCase=*/true);
  }
  return ServerExpression{std::move(object), type, m_has_marks};
}

llvm::Expected<ServerExpression>
lldb_private::wavelane::CompileForServer(llvm::StringRef text,
                                         const Address &address) {
  return Compiler(text, address).Compile();
}
