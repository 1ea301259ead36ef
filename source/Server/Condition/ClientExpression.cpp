//===-- ClientExpression.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ClientExpression.h"
#include "wavelane/Location/Lanes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"

using namespace llvm;
namespace wl = wavelane::location;

namespace wavelane::server {

namespace {
constexpr unsigned MaxDepth = 64, MaxNodes = 4096;
constexpr size_t MaxVariables = 64, MaxExpression = 4096;
constexpr uint64_t MaxVariableSize = 4096;
} // namespace

struct ClientExpression::Node {
  enum Kind {
    Constant, ///< value
    Load,     ///< variable `index` at byte `offset`
    Read,     ///< generic memory at the address in argument 0
    Number,   ///< name; index: the dimension
    Convert,
    Unary, ///< code: DW_OP_neg or DW_OP_not
    Not,
    Binary, ///< code: a DW_OP_ operation; both operands have `type`
    Shift,
    And,
    Or,
    Choose,
  };
  Kind kind = Constant;
  wl::Type type;
  wl::Value value;
  uint8_t code = 0;
  size_t index = 0;
  uint64_t offset = 0;
  std::string name;
  std::vector<std::unique_ptr<Node>> arguments;
};

namespace {

using Node = ClientExpression::Node;

Error Bad(const Twine &text) {
  return createStringError(inconvertibleErrorCode(),
                           "the expression is ill-formed: " + text);
}

std::optional<wl::Type> ParseType(StringRef text) {
  unsigned size = 0;
  if (text.size() != 2 || text.drop_front().getAsInteger(10, size) ||
      (size != 1 && size != 2 && size != 4 && size != 8))
    return std::nullopt;
  wl::Type type;
  type.Size = uint8_t(size);
  switch (text[0]) {
  case 's':
    type.Kind = wl::Type::Signed;
    return type;
  case 'u':
    type.Kind = wl::Type::Unsigned;
    return type;
  case 'f':
    type.Kind = wl::Type::Float;
    return size == 1 ? std::nullopt : std::optional(type);
  default:
    return std::nullopt;
  }
}

struct BinaryCode {
  const char *text;
  uint8_t code;
  bool compares;
};
constexpr BinaryCode BinaryCodes[] = {
    {"+", dwarf::DW_OP_plus, false}, {"-", dwarf::DW_OP_minus, false},
    {"*", dwarf::DW_OP_mul, false},  {"/", dwarf::DW_OP_div, false},
    {"%", dwarf::DW_OP_mod, false},  {"&", dwarf::DW_OP_and, false},
    {"|", dwarf::DW_OP_or, false},   {"^", dwarf::DW_OP_xor, false},
    {"==", dwarf::DW_OP_eq, true},   {"!=", dwarf::DW_OP_ne, true},
    {"<", dwarf::DW_OP_lt, true},    {"<=", dwarf::DW_OP_le, true},
    {">", dwarf::DW_OP_gt, true},    {">=", dwarf::DW_OP_ge, true},
};

/// Parses a tree of JSON arrays.
class TreeReader {
public:
  explicit TreeReader(size_t variables) : m_variables(variables) {}

  Expected<std::unique_ptr<Node>> Read(const json::Value &value,
                                       unsigned depth = 0) {
    const json::Array *array = value.getAsArray();
    if (depth > MaxDepth || ++m_nodes > MaxNodes)
      return Bad("it is too large");
    std::optional<StringRef> name =
        array && !array->empty() ? (*array)[0].getAsString() : std::nullopt;
    if (!name)
      return Bad("an operation isn't an array with a name");
    auto node = std::make_unique<Node>();
    auto text = [&](size_t i) {
      return i < array->size() ? (*array)[i].getAsString() : std::nullopt;
    };
    auto number = [&](size_t i) -> std::optional<uint64_t> {
      return i < array->size() ? (*array)[i].getAsUINT64() : std::nullopt;
    };
    auto type = [&]() {
      std::optional<wl::Type> found = ParseType(text(1).value_or(""));
      if (found)
        node->type = *found;
      return found.has_value();
    };
    auto arguments = [&](size_t first, size_t count) -> Error {
      if (array->size() != first + count)
        return Bad("'" + *name + "' has another number of operands");
      for (size_t i = first; i < array->size(); ++i) {
        auto argument = Read((*array)[i], depth + 1);
        if (!argument)
          return argument.takeError();
        node->arguments.push_back(std::move(*argument));
      }
      return Error::success();
    };
    auto finish = [&](Node::Kind kind, size_t first,
                      size_t count) -> Expected<std::unique_ptr<Node>> {
      node->kind = kind;
      if (Error error = arguments(first, count))
        return std::move(error);
      return std::move(node);
    };

    if (*name == "const") {
      if (!type() || !number(2))
        return Bad("'const' needs a type and a value's bits");
      node->value = wl::Value(node->type, *number(2));
      return finish(Node::Constant, 3, 0);
    }
    if (*name == "var") {
      if (!type() || !number(2) || *number(2) >= m_variables || !number(3))
        return Bad("'var' needs a type, a variable's index and an offset");
      node->index = size_t(*number(2));
      node->offset = *number(3);
      return finish(Node::Load, 4, 0);
    }
    if (*name == "number") {
      if (!type() || !text(2) || !number(3) || *number(3) > 2)
        return Bad("'number' needs a type, a name and a dimension");
      node->name = text(2)->str();
      node->index = size_t(*number(3));
      return finish(Node::Number, 4, 0);
    }
    if (*name == "!")
      return finish(Node::Not, 1, 1);
    if (*name == "&&")
      return finish(Node::And, 1, 2);
    if (*name == "||")
      return finish(Node::Or, 1, 2);
    if (!type())
      return Bad("'" + *name + "' has no type");
    if (*name == "read")
      return finish(Node::Read, 2, 1);
    if (*name == "convert")
      return finish(Node::Convert, 2, 1);
    if (*name == "?")
      return finish(Node::Choose, 2, 3);
    if (*name == "neg" || *name == "~") {
      node->code = *name == "neg" ? dwarf::DW_OP_neg : dwarf::DW_OP_not;
      return finish(Node::Unary, 2, 1);
    }
    if (*name == "<<" || *name == ">>") {
      node->code = *name == "<<"                         ? dwarf::DW_OP_shl
                   : node->type.Kind == wl::Type::Signed ? dwarf::DW_OP_shra
                                                         : dwarf::DW_OP_shr;
      return finish(Node::Shift, 2, 2);
    }
    for (const BinaryCode &code : BinaryCodes)
      if (*name == code.text) {
        node->code = code.code;
        return finish(Node::Binary, 2, 2);
      }
    return Bad("unknown operation '" + *name + "'");
  }

private:
  const size_t m_variables;
  unsigned m_nodes = 0;
};

/// A variable's bytes in each lane, one lane after the other.
struct LaneBytes {
  size_t size = 0; ///< of the variable
  std::vector<uint8_t> bytes;
  uint64_t unknown = 0; ///< a mask of the lanes in which it can't be read
};

class Evaluation {
public:
  Evaluation(ExpressionSubject &subject,
             const std::vector<LaneBytes> &variables)
      : m_subject(subject), m_variables(variables) {}

  /// \return nullopt if it can't be evaluated.
  std::optional<wl::Value> Evaluate(const Node &node, uint32_t lane) {
    auto argument = [&](size_t i) {
      return Evaluate(*node.arguments[i], lane);
    };
    auto truth = [](bool value) {
      return wl::Value({wl::Type::Signed, 4}, value);
    };
    switch (node.kind) {
    case Node::Constant:
      return node.value;
    case Node::Load: {
      const LaneBytes &variable = m_variables[node.index];
      if (variable.unknown >> lane & 1 || node.offset > variable.size ||
          node.type.Size > variable.size - node.offset)
        return std::nullopt;
      return FromBytes(node.type, variable.bytes.data() + lane * variable.size +
                                      node.offset);
    }
    case Node::Read: {
      std::optional<wl::Value> address = argument(0);
      uint8_t bytes[8];
      if (!address)
        return std::nullopt;
      m_subject.SetLane(lane);
      constexpr uint64_t Generic = 1;
      if (errorToBool(m_subject.readMemory(
              Generic, lane, m_subject.getThread(), address->Bits,
              MutableArrayRef<uint8_t>(bytes, node.type.Size))))
        return std::nullopt;
      return FromBytes(node.type, bytes);
    }
    case Node::Number: {
      std::optional<uint64_t> number =
          m_subject.GetNumber(node.name, unsigned(node.index), lane);
      if (!number)
        return std::nullopt;
      return wl::Value(node.type, *number);
    }
    case Node::Convert: {
      std::optional<wl::Value> value = argument(0);
      return value ? Take(wl::convert(*value, node.type)) : std::nullopt;
    }
    case Node::Unary: {
      std::optional<wl::Value> value = argument(0);
      return value ? Take(wl::applyUnary(node.code, *value)) : std::nullopt;
    }
    case Node::Not: {
      std::optional<wl::Value> value = argument(0);
      return value ? std::optional(truth(!ClientExpression::IsTrue(*value)))
                   : std::nullopt;
    }
    case Node::Binary:
    case Node::Shift: {
      std::optional<wl::Value> left = argument(0), right = argument(1);
      if (!left || !right)
        return std::nullopt;
      std::optional<wl::Value> result =
          Take(wl::applyBinary(node.code, *left, *right));
      // A comparison's result has C's type int.
      if (result && result->Type.Kind == wl::Type::Generic)
        return truth(result->Bits != 0);
      return result;
    }
    case Node::And:
    case Node::Or: {
      std::optional<wl::Value> left = argument(0);
      if (!left)
        return std::nullopt;
      if (ClientExpression::IsTrue(*left) == (node.kind == Node::Or))
        return truth(node.kind == Node::Or);
      std::optional<wl::Value> right = argument(1);
      return right ? std::optional(truth(ClientExpression::IsTrue(*right)))
                   : std::nullopt;
    }
    case Node::Choose: {
      std::optional<wl::Value> which = argument(0);
      return which ? argument(ClientExpression::IsTrue(*which) ? 1 : 2)
                   : std::nullopt;
    }
    }
    return std::nullopt;
  }

private:
  static std::optional<wl::Value> Take(Expected<wl::Value> value) {
    if (value)
      return *value;
    consumeError(value.takeError());
    return std::nullopt;
  }
  static wl::Value FromBytes(wl::Type type, const uint8_t *bytes) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < type.Size; ++i)
      bits |= uint64_t(bytes[i]) << 8 * i;
    return wl::Value(type, bits);
  }

  ExpressionSubject &m_subject;
  const std::vector<LaneBytes> &m_variables;
};

std::optional<std::vector<uint8_t>> ParseHex(std::optional<StringRef> text) {
  std::string bytes;
  if (!text || text->size() > 2 * MaxExpression || !tryGetFromHex(*text, bytes))
    return std::nullopt;
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

/// Adds the frame base at the expression's place to a subject.
class WithFrameBase : public wl::Context {
public:
  WithFrameBase(ExpressionSubject &subject, ArrayRef<uint8_t> frame_base,
                const wl::EvaluationOptions &options)
      : m_subject(subject), m_frame_base(frame_base), m_options(options) {}

  unsigned getAddressSize() override { return 8; }
  std::optional<wl::AddressSpace> getAddressSpace(uint64_t number) override {
    return m_subject.getAddressSpace(number);
  }
  std::optional<std::string> getRegisterName(uint64_t number) override {
    return m_subject.getRegisterName(number);
  }
  Expected<uint64_t> getRegisterSize(uint64_t number) override {
    return m_subject.getRegisterSize(number);
  }
  Error readRegister(uint64_t number, uint64_t thread, uint64_t offset,
                     MutableArrayRef<uint8_t> into) override {
    return m_subject.readRegister(number, thread, offset, into);
  }
  Error readMemory(uint64_t space, std::optional<uint32_t> lane,
                   uint64_t thread, uint64_t address,
                   MutableArrayRef<uint8_t> into) override {
    return m_subject.readMemory(space, lane, thread, address, into);
  }
  Error readMemoryInLanes(uint64_t space, uint32_t lanes, uint64_t thread,
                          uint64_t address,
                          MutableArrayRef<uint8_t> into) override {
    return m_subject.readMemoryInLanes(space, lanes, thread, address, into);
  }
  uint64_t getThread() override { return m_subject.getThread(); }
  std::optional<uint32_t> getLane() override { return m_subject.getLane(); }
  uint32_t getLaneCount() override { return m_subject.getLaneCount(); }
  bool isVectorRegister(uint64_t number, unsigned &size) override {
    return m_subject.isVectorRegister(number, size);
  }
  unsigned getPrivateFrameScale() override {
    return m_subject.getPrivateFrameScale();
  }
  Expected<wl::Location> getFrameBase() override {
    if (m_frame_base.empty() || m_busy)
      return wl::missing("frame base");
    m_busy = true;
    Expected<wl::Location> base =
        wl::evaluateFrameBase(m_frame_base, *this, m_options);
    m_busy = false;
    return base;
  }

private:
  ExpressionSubject &m_subject;
  const ArrayRef<uint8_t> m_frame_base;
  const wl::EvaluationOptions &m_options;
  bool m_busy = false;
};

} // namespace

bool ClientExpression::IsTrue(const wl::Value &value) {
  return value.Type.isIntegral() ? value.Bits != 0 : value.getFloat() != 0;
}

Expected<ClientExpression> ClientExpression::Parse(const json::Object &object) {
  ClientExpression expression;
  expression.m_old_numbers = object.getBoolean("old_numbers").value_or(false);
  if (object.get("frame_base")) {
    auto bytes = ParseHex(object.getString("frame_base"));
    if (!bytes)
      return Bad("'frame_base' isn't hexadecimal");
    expression.m_frame_base = std::move(*bytes);
  }
  if (const json::Array *variables = object.getArray("variables")) {
    if (variables->size() > MaxVariables)
      return Bad("it has too many variables");
    for (const json::Value &value : *variables) {
      const json::Object *entry = value.getAsObject();
      auto bytes =
          entry ? ParseHex(entry->getString("expression")) : std::nullopt;
      std::optional<int64_t> size =
          entry ? entry->getInteger("size") : std::nullopt;
      if (!bytes || !size || *size <= 0 || uint64_t(*size) > MaxVariableSize)
        return Bad("a variable needs an expression and a size");
      expression.m_variables.push_back({std::move(*bytes), uint64_t(*size)});
    }
  }
  if (const json::Value *test = object.get("test")) {
    auto node = TreeReader(expression.m_variables.size()).Read(*test);
    if (!node)
      return node.takeError();
    expression.m_tree = std::move(*node);
  }
  return std::move(expression);
}

std::vector<std::optional<wl::Value>>
ClientExpression::Evaluate(ExpressionSubject &subject, uint64_t lanes) const {
  const uint32_t count = std::min(subject.getLaneCount(), 64U);
  std::vector<std::optional<wl::Value>> values(count);
  if (!m_tree)
    return values;
  std::vector<LaneBytes> variables;
  for (const Variable &variable : m_variables) {
    wl::EvaluationOptions options;
    options.Decode.AddressSize = 8;
    options.Decode.DirectCodes = true;
    options.Upstream.Enabled = options.IsLenient = true;
    options.Upstream.OldNumbers = m_old_numbers;
    WithFrameBase context(subject, m_frame_base, options);
    LaneBytes &read = variables.emplace_back();
    read.size = size_t(variable.size);
    read.bytes.resize(count * read.size);
    wl::readLanes(
        variable.expression, count,
        [&](uint32_t lane) -> wl::Context & {
          subject.SetLane(lane);
          return context;
        },
        read.size, read.bytes,
        [&](uint32_t lane, Error why) {
          consumeError(std::move(why));
          read.unknown |= uint64_t(1) << lane;
        },
        options);
  }
  Evaluation evaluation(subject, variables);
  for (uint32_t lane = 0; lane < count; ++lane)
    if (lanes >> lane & 1)
      values[lane] = evaluation.Evaluate(*m_tree, lane);
  return values;
}

} // namespace wavelane::server
