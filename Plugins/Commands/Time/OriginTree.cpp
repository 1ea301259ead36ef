//===-- OriginTree.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OriginTree.h"
#include "Core/Format/SourcePlace.h"
#include "Process/AMDGPU/HostActionText.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/SourceManager.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Stream.h"
#include "wavelane/GPU/SmallFloat.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::SmallFloat;
namespace protocol = ::wavelane::protocol;
using Kind = protocol::OriginKind;

// Steps that are printed; JSON has all.
static constexpr size_t kMostPrinted = 100;

struct OriginTree::Node {
  protocol::OriginKind kind = protocol::OriginKind::Step;
  std::string type, value, instruction, what, space;
  /// Of a dword that is half of a value: that value, and its type.
  std::string whole, whole_type;
  std::optional<int64_t> half;       ///< 0: the lower one
  std::optional<int64_t> other_half; ///< a node
  int64_t position = 0, number = 0, bits = 32;
  std::optional<int64_t> lane, detail, index, mask_bits;
  std::optional<addr_t> pc;
  bool is_copy = false, is_other = false;
  std::optional<protocol::HostAction> action;
  std::vector<size_t> inputs;
};

//===-- Values ------------------------------------------------------------===//

/// \param hex  The bits, highest first.
static std::string FormatValue(llvm::StringRef hex, llvm::StringRef type,
                               int64_t bits) {
  llvm::APInt value;
  if (hex.empty() || hex.getAsInteger(16, value))
    return "";
  if (const auto small = SmallFloat::ofName(type)) {
    const double number = small->decode(
        uint32_t(value.zextOrTrunc(small->bits()).getZExtValue()));
    if (std::isnan(number))
      return "nan";
    char text[40];
    snprintf(text, sizeof(text), "%.9g", number);
    return text;
  }
  unsigned width = 0;
  const bool has_type =
      !type.empty() && !type.drop_front().getAsInteger(10, width);
  const unsigned wanted =
      has_type ? width : unsigned(std::max<int64_t>(bits, 1));
  value = value.zextOrTrunc(std::max(wanted, 1u));
  if (has_type && type.front() == 'f') {
    const llvm::fltSemantics *semantics =
        width == 16   ? &llvm::APFloat::IEEEhalf()
        : width == 32 ? &llvm::APFloat::IEEEsingle()
        : width == 64 ? &llvm::APFloat::IEEEdouble()
                      : nullptr;
    if (semantics) {
      const llvm::APFloat number(*semantics, value);
      if (number.isNaN())
        return "nan";
      if (number.isInfinity())
        return number.isNegative() ? "-inf" : "inf";
      bool inexact = false;
      llvm::APFloat wide = number;
      wide.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &inexact);
      char text[40];
      snprintf(text, sizeof(text), width == 64 ? "%.17g" : "%.9g",
               wide.convertToDouble());
      return text;
    }
  }
  if (has_type)
    return llvm::toString(value, 10, /*Signed=*/type.front() == 'i');
  return "0x" + llvm::toString(value, 16, /*Signed=*/false);
}

//===-- Building ----------------------------------------------------------===//

class OriginTree::Builder {
public:
  Builder(ProcessAMDGPU &process, OriginTree &tree, bool is_history)
      : m_process(process), m_target(process.GetTarget()), m_tree(tree),
        m_is_history(is_history) {}

  llvm::Error Read(const protocol::OriginAnswer &answer) {
    if (answer.Nodes.empty())
      return llvm::createStringError("the recording's answer is incomplete");
    for (const protocol::OriginNode &node : answer.Nodes)
      m_nodes.push_back(ReadNode(node, answer.Nodes.size()));
    for (const protocol::OriginWave &wave : answer.Waves)
      ReadWave(wave);
    return llvm::Error::success();
  }

  void Build() {
    m_step_of.assign(m_nodes.size(), SIZE_MAX);
    if (m_is_history) {
      // One after the other, each the value before.
      std::vector<size_t> order;
      for (size_t i = 1; i < m_nodes.size(); ++i)
        order.push_back(i);
      llvm::sort(order, [&](size_t a, size_t b) {
        return m_nodes[a].position != m_nodes[b].position
                   ? m_nodes[a].position > m_nodes[b].position
                   : a < b;
      });
      for (size_t index : order) {
        const Node &node = m_nodes[index];
        if (JoinsOtherHalf(node, std::nullopt))
          continue;
        m_step_of[index] = m_tree.m_steps.size();
        m_tree.m_top.push_back(m_tree.m_steps.size());
        m_tree.m_steps.push_back(MakeStep(node, nullptr));
      }
      return;
    }
    // The order of a tree that is printed line by line.
    struct Item {
      size_t node;
      std::optional<size_t> parent; ///< step
      const Node *from;             ///< what wants it
    };
    std::vector<Item> left;
    auto push = [&](const Node &of, std::optional<size_t> parent) {
      for (size_t input : llvm::reverse(of.inputs))
        left.push_back({SkipHalves(input), parent, &of});
    };
    push(m_nodes.front(), std::nullopt);
    while (!left.empty()) {
      const Item item = left.back();
      left.pop_back();
      const Node &node = m_nodes[item.node];
      size_t &step = m_step_of[item.node];
      const bool is_new = step == SIZE_MAX;
      if (is_new && item.parent && Merges(node, *item.parent)) {
        step = *item.parent;
      } else if (is_new && JoinsOtherHalf(node, item.parent)) {
        step = m_step_of[size_t(*node.other_half)];
        m_parts[step].first =
            std::max(m_parts[step].first, node.pc.value_or(0));
      } else if (is_new) {
        step = m_tree.m_steps.size();
        m_tree.m_steps.push_back(
            MakeStep(node, item.parent ? item.from : nullptr));
        m_parts.push_back({node.pc.value_or(0), node.is_copy});
      }
      const size_t where = step;
      if (!item.parent) {
        if (!llvm::is_contained(m_tree.m_top, where))
          m_tree.m_top.push_back(where);
      } else if (where != *item.parent) {
        auto &inputs = m_tree.m_steps[*item.parent].inputs;
        if (!llvm::is_contained(inputs, where))
          inputs.push_back(where);
      }
      if (is_new)
        push(node, where);
    }
  }

  /// The first instruction whose value holds, while none of its inputs does.
  /// Steps have several, and may be each other's inputs.
  void FindFirst() {
    auto is_known = [&](size_t i) {
      return !m_nodes[i].value.empty() && !IsPlainHalf(m_nodes[i]);
    };
    auto holds = [&](size_t i) {
      return !m_nodes[i].is_other && is_known(i) && m_step_of[i] != SIZE_MAX;
    };
    // What comes before one that doesn't hold is of no interest.
    std::vector<bool> was_seen(m_nodes.size());
    std::vector<size_t> left = {0};
    std::optional<size_t> first;
    while (!left.empty()) {
      const size_t i = left.back();
      left.pop_back();
      bool has_earlier = false;
      for (size_t each : m_nodes[i].inputs) {
        const size_t input = SkipHalves(each);
        has_earlier |= holds(input);
        if ((holds(input) || !is_known(input)) && !was_seen[input]) {
          was_seen[input] = true;
          left.push_back(input);
        }
      }
      if (i && holds(i) && !has_earlier &&
          (!first || m_nodes[i].position < m_nodes[*first].position))
        first = i;
    }
    if (first)
      m_tree.m_first = m_step_of[*first];
  }

private:
  /// What a step is made of.
  struct Part {
    addr_t first; ///< address
    bool is_copy;
  };
  struct WaveInfo {
    std::string name;
    std::optional<int64_t> id;
    addr_t entry = 0;
  };

  static Node ReadNode(const protocol::OriginNode &from, size_t count) {
    Node node;
    node.kind = from.Kind;
    node.type = from.Type;
    node.value = from.Value;
    node.instruction = from.Instruction;
    node.what = from.What;
    node.whole = from.Whole;
    node.whole_type = from.WholeType;
    node.half = from.Half;
    node.other_half = from.OtherHalf;
    if (from.Space)
      node.space = protocol::getWord(*from.Space).str();
    node.position = int64_t(from.Position);
    node.number = from.Number;
    node.bits = from.Bits;
    node.lane = from.Lane;
    node.detail = from.Detail;
    node.index = from.Index;
    node.mask_bits = from.MaskBits;
    node.pc = from.PC;
    node.is_copy = from.Copies;
    node.is_other = from.IsOther;
    node.action = from.Action;
    for (uint64_t input : from.Inputs)
      if (input < count)
        node.inputs.push_back(size_t(input));
    return node;
  }

  void ReadWave(const protocol::OriginWave &from) {
    WaveInfo info;
    info.entry = from.Entry;
    if (from.Wave)
      info.id = int64_t(from.Wave);
    const std::string kernel = SourcePlace::Find(m_target, from.Entry).name;
    info.name =
        llvm::formatv("{0} ({1},{2},{3})/{4}", kernel.empty() ? "wave" : kernel,
                      from.Group[0], from.Group[1], from.Group[2], from.Index);
    m_waves[from.Number] = std::move(info);
  }

  /// Whether an instruction belongs to the step that it gives its result to: it
  /// is of the same line, executed before.
  bool Merges(const Node &node, size_t into) {
    OriginStep &step = m_tree.m_steps[into];
    Part &part = m_parts[into];
    if (!node.pc || !step.pc || step.line.empty() ||
        (node.kind != Kind::Step && node.kind != Kind::Constant) ||
        step.kind != Kind::Step || node.number != step.number ||
        (node.lane && node.lane != step.lane) || node.is_other || !step.holds ||
        *node.pc >= part.first)
      return false;
    const SourcePlace place = SourcePlace::Find(m_target, *node.pc);
    const std::string line = FormatLine(place.line);
    if (place.name != step.function ||
        !SameLine(line, step.line, node.is_copy || part.is_copy))
      return false;
    // What computes says more than what copies.
    if (part.is_copy && !node.is_copy) {
      step.instruction = node.instruction;
      part.is_copy = false;
    }
    part.first = *node.pc;
    if (node.kind == Kind::Constant)
      step.kind = Kind::Constant;
    return true;
  }

  /// Where a copied half of a value that isn't known comes from: that says
  /// more.
  size_t SkipHalves(size_t index) const {
    while (IsPlainHalf(m_nodes[index]) && m_nodes[index].is_copy &&
           m_nodes[index].kind == Kind::Step &&
           m_nodes[index].inputs.size() == 1)
      index = m_nodes[index].inputs.front();
    return index;
  }

  /// Whether the other half of its value is a step that this one belongs to.
  bool JoinsOtherHalf(const Node &node, std::optional<size_t> parent) {
    const size_t other = size_t(node.other_half.value_or(0));
    if (!other || other >= m_nodes.size() || m_step_of[other] == SIZE_MAX)
      return false;
    const OriginStep &step = m_tree.m_steps[m_step_of[other]];
    // A debugger writes private memory in parts.
    if (!node.pc)
      return !step.pc && node.kind == Kind::Debugger && step.kind == node.kind;
    // The step of another node, which that one was merged into, is another
    // value's.
    if (parent != m_step_of[other] &&
        (step.pc != m_nodes[other].pc ||
         step.position != m_nodes[other].position))
      return false;
    const SourcePlace place = SourcePlace::Find(m_target, *node.pc);
    return (node.kind == step.kind || parent == m_step_of[other]) &&
           node.number == step.number && node.lane == step.lane &&
           node.is_other != step.holds && place.name == step.function &&
           SameLine(FormatLine(place.line), step.line, /*any_column=*/true);
  }

  /// \param any_column  Whether columns may differ.
  static bool SameLine(llvm::StringRef a, llvm::StringRef b, bool any_column) {
    if (a == b)
      return true;
    return any_column && a.rsplit(':').first == b.rsplit(':').first;
  }

  static bool IsPlainHalf(const Node &node) {
    return node.half && node.whole.empty();
  }
  static std::string ShowValue(const Node &node) {
    return !node.whole.empty()
               ? FormatValue(node.whole, node.whole_type, 64)
               : FormatValue(node.value, IsPlainHalf(node) ? "" : node.type,
                             node.bits);
  }

  /// \param from  What wants its value; may be null.
  OriginStep MakeStep(const Node &node, const Node *from) {
    OriginStep step;
    step.kind = node.kind;
    step.position = node.position;
    step.is_host_action = node.action.has_value();
    step.holds = !node.is_other;
    step.lane = node.lane;
    step.number = node.number;
    step.instruction = node.instruction;
    step.pc = node.pc;
    step.value = ShowValue(node);
    if (node.mask_bits && llvm::isPowerOf2_64(uint64_t(*node.mask_bits))) {
      // A lane's bit of a mask.
      uint64_t mask = 0;
      if (!llvm::StringRef(node.value).getAsInteger(16, mask))
        step.value = mask & uint64_t(*node.mask_bits) ? "true" : "false";
    }
    // What is copied from somewhere is what the copy has.
    if (step.value.empty() && from && from->is_copy)
      step.value = ShowValue(*from);
    if (auto wave = m_waves.find(node.number);
        wave != m_waves.end() && node.kind != Kind::Host) {
      step.wave = wave->second.name;
      step.wave_id = wave->second.id;
    }
    if (node.pc) {
      const SourcePlace place = SourcePlace::Find(m_target, *node.pc);
      step.line = FormatLine(place.line);
      step.function = place.name;
      if (place.line.IsValid()) {
        SourceManager::FileSP file_sp =
            m_target.GetSourceManager().GetFile(place.line.file_sp);
        if (file_sp && file_sp->GetLine(place.line.line, step.source))
          step.source = llvm::StringRef(step.source).trim().str();
      }
    }
    step.text = Describe(node);
    if (IsPlainHalf(node) && step.text.empty())
      step.text = *node.half ? "the upper half" : "the lower half";
    return step;
  }

  std::string Describe(const Node &node) {
    const uint64_t detail = uint64_t(node.detail.value_or(0));
    if (node.kind == Kind::Argument)
      return DescribeArgument(node, detail);
    if (node.kind == Kind::Packet)
      return llvm::formatv("the launch: byte {0} of its packet", detail);
    if (node.kind == Kind::Start) {
      const std::string name = llvm::formatv("{0}{1}",
                                             node.space == "vector" ? "v"
                                             : node.space == "acc"  ? "a"
                                                                    : "s",
                                             node.index.value_or(0));
      if (!node.what.empty())
        return name + " when the wave began: " + node.what;
      return name + (node.space == "vector" && node.index.value_or(9) < 3
                         ? " when the wave began: threadIdx"
                         : " when the wave began: never set");
    }
    if (node.kind == Kind::Unset)
      return llvm::formatv("never written: {0} memory at {1:x}", node.space,
                           node.index.value_or(0));
    if (node.kind == Kind::Store)
      return "stored by another wave";
    if (node.kind == Kind::Debugger)
      return "written by the debugger";
    if (node.kind == Kind::Host)
      return node.action ? DescribeHostAction(m_process, *node.action)
                         : llvm::formatv("written by the host: memory at {0:x}",
                                         node.index.value_or(0));
    if (node.kind == Kind::Earlier)
      return DescribeEarlier(node);
    if (node.kind == Kind::TooMany)
      return llvm::formatv("{0} inputs, which are not followed", detail);
    if (node.kind == Kind::Limit)
      return "more steps, which are not followed";
    return "";
  }

  std::string DescribeEarlier(const Node &node) {
    if (node.space == "global") {
      const addr_t address = addr_t(node.index.value_or(0));
      Address resolved;
      if (m_target.ResolveLoadAddress(address, resolved) &&
          resolved.GetModule())
        return llvm::formatv("in {0} since it was loaded, at {1:x}",
                             resolved.GetModule()->GetFileSpec().GetFilename(),
                             address);
      return llvm::formatv("from before the recording: memory at {0:x}",
                           address);
    }
    return "from before the recording";
  }

  /// The name of the argument of the wave's kernel at an offset.
  std::string DescribeArgument(const Node &node, uint64_t offset) {
    auto wave = m_waves.find(node.number);
    Function *function =
        wave == m_waves.end()
            ? nullptr
            : SourcePlace::Find(m_target, wave->second.entry).function;
    VariableListSP variables =
        function ? function->GetBlock(true).GetBlockVariableList(true)
                 : nullptr;
    uint64_t at = 0;
    for (size_t i = 0; variables && i < variables->GetSize(); ++i) {
      VariableSP variable_sp = variables->GetVariableAtIndex(i);
      if (variable_sp->GetScope() != eValueTypeVariableArgument ||
          !variable_sp->GetType())
        continue;
      CompilerType type = variable_sp->GetType()->GetForwardCompilerType();
      const uint64_t size =
          llvm::expectedToOptional(type.GetByteSize(nullptr)).value_or(0);
      const uint64_t align = type.GetTypeBitAlign(nullptr).value_or(64) / 8;
      at = llvm::alignTo(at, std::max<uint64_t>(align, 1));
      if (offset >= at && offset < at + size)
        return llvm::formatv("the kernel's argument '{0}'",
                             variable_sp->GetName());
      at += size;
    }
    return llvm::formatv("the launch: byte {0} of the kernel's arguments",
                         offset);
  }

  ProcessAMDGPU &m_process;
  Target &m_target;
  OriginTree &m_tree;
  const bool m_is_history;
  std::vector<Node> m_nodes;
  std::map<int64_t, WaveInfo> m_waves;
  std::vector<size_t> m_step_of;
  std::vector<Part> m_parts; ///< by step
};

llvm::Expected<OriginTree>
OriginTree::Build(ProcessAMDGPU &process, const protocol::OriginAnswer &answer,
                  bool is_history) {
  OriginTree tree;
  Builder builder(process, tree, is_history);
  if (llvm::Error error = builder.Read(answer))
    return std::move(error);
  builder.Build();
  builder.FindFirst();
  return tree;
}

//===-- Printing ----------------------------------------------------------===//

void OriginTree::PrintStep(Stream &stream, size_t index, size_t depth,
                           tid_t wave, int64_t lane) const {
  const OriginStep &step = m_steps[index];
  std::string text =
      llvm::formatv("#{0,-3} {1}", index + 1,
                    std::string(2 * std::min<size_t>(depth, 20), ' '));
  std::vector<std::string> parts;
  if (!step.value.empty())
    parts.push_back(step.value);
  if (!step.line.empty())
    parts.push_back(step.line);
  else if (step.pc)
    parts.push_back(llvm::formatv("{0:x}", *step.pc));
  const bool is_other_wave = step.kind == Kind::Store;
  if (is_other_wave)
    parts.push_back(step.wave);
  if (step.lane && (*step.lane != lane || is_other_wave))
    parts.push_back(llvm::formatv("lane {0}", *step.lane));
  if (!step.text.empty())
    parts.push_back(step.text);
  else if (step.kind == Kind::Constant)
    parts.push_back("constant");
  text += llvm::join(parts, "  ");
  if (!step.source.empty())
    text += "  | " + step.source;
  stream << text << "\n";
}

void OriginTree::Print(Stream &stream, tid_t wave, int64_t lane,
                       bool until) const {
  if (until) {
    if (std::optional<size_t> first = FindFirst()) {
      PrintStep(stream, *first, 0, wave, lane);
      for (size_t input : m_steps[*first].inputs)
        PrintStep(stream, input, 1, wave, lane);
    }
    return;
  }
  struct Item {
    size_t step, depth;
  };
  std::vector<Item> left;
  for (size_t top : llvm::reverse(m_top))
    left.push_back({top, 0});
  std::vector<bool> was_printed(m_steps.size());
  size_t printed = 0;
  while (!left.empty() && printed < kMostPrinted) {
    const Item item = left.back();
    left.pop_back();
    const OriginStep &step = m_steps[item.step];
    if (was_printed[item.step]) {
      stream << llvm::formatv(
                    "     {0}#{1}, as above\n",
                    std::string(2 * std::min<size_t>(item.depth, 20), ' '),
                    item.step + 1)
                    .str();
      continue;
    }
    was_printed[item.step] = true;
    ++printed;
    PrintStep(stream, item.step, item.depth, wave, lane);
    // A chain needs no indentation.
    const size_t depth = item.depth + (step.inputs.size() > 1);
    for (size_t input : llvm::reverse(step.inputs))
      left.push_back({input, depth});
  }
  if (printed < m_steps.size())
    stream << llvm::formatv("{0} more steps: --json has all\n",
                            m_steps.size() - printed)
                  .str();
}

llvm::json::Array OriginTree::ToJSON() const {
  llvm::json::Array array;
  for (size_t i = 0; i < m_steps.size(); ++i) {
    const OriginStep &step = m_steps[i];
    llvm::json::Object object{{"step", int64_t(i + 1)},
                              {"kind", protocol::getWord(step.kind)},
                              {"position", step.position}};
    auto put = [&](const char *key, const std::string &text) {
      if (!text.empty())
        object[key] = text;
    };
    put("value", step.value);
    put("line", step.line);
    put("source", step.source);
    put("function", step.function);
    put("instruction", step.instruction);
    put("text", step.text);
    put("wave", step.wave);
    if (step.wave_id)
      object["thread"] = *step.wave_id;
    if (step.lane)
      object["lane"] = *step.lane;
    if (step.pc)
      object["pc"] = step.pc;
    if (!step.holds)
      object["other"] = true;
    llvm::json::Array inputs;
    for (size_t input : step.inputs)
      inputs.push_back(int64_t(input + 1));
    object["inputs"] = std::move(inputs);
    array.push_back(std::move(object));
  }
  return array;
}
