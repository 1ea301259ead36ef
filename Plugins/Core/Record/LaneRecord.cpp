//===-- LaneRecord.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneRecord.h"
#include "JSONSchema.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace json = llvm::json;

//===-- Text --------------------------------------------------------------===//

std::string LaneRecord::FormatProgress() const {
  switch (progress) {
  case eUnknown:
    return "";
  case eStands:
    return " at " + line;
  case eGoesOn:
    return " continues at " + line;
  case eDone:
    return " has finished";
  }
  return "";
}

std::string LaneRecord::Describe() const {
  std::string text = is_active ? "active" : "inactive";
  if (work_item)
    text += ", work-item " + FormatTriple(*work_item);
  if (progress == eStands)
    text += ", " + line;
  else if (progress != eUnknown)
    text += "," + FormatProgress();
  return text;
}

std::string wavelane::FormatThread(uint32_t thread, llvm::StringRef wave) {
  if (wave.empty())
    return llvm::formatv("thread #{0}", thread);
  return llvm::formatv("thread #{0} '{1}'", thread, wave);
}

std::string LaneList::FormatThread() const {
  return wavelane::FormatThread(thread, wave);
}

//===-- JSON --------------------------------------------------------------===//

static json::Object MakeObject(const LaneRecord &lane) {
  json::Object object{{"lane", lane.lane},
                      {"active", lane.is_active},
                      {"focus", lane.has_focus}};
  if (lane.caused_stop)
    object["caused_stop"] = true;
  if (lane.work_item)
    object["work_item"] = json::Array(*lane.work_item);
  if (lane.grid)
    object["grid"] = json::Array(*lane.grid);
  if (!lane.name.empty())
    object["name"] = lane.name;
  if (lane.progress == LaneRecord::eStands)
    object["line"] = lane.line;
  else if (lane.progress == LaneRecord::eGoesOn)
    object["goes_on_at"] = lane.line;
  else if (lane.progress == LaneRecord::eDone)
    object["done"] = true;
  return object;
}

/// The fields that identify a record's thread.
template <typename T>
static void AddThread(const T &record, json::Object &object) {
  object["thread"] = record.thread;
  object["tid"] = record.tid;
  if (!record.wave.empty())
    object["wave"] = record.wave;
}

json::Value wavelane::toJSON(const LaneRecord &lane) {
  return MakeObject(lane);
}

json::Value wavelane::toJSON(const LaneList &list) {
  json::Object object{{"frame", list.frame},
                      {"lane_count", list.lanes.size()},
                      {"focus", list.focus},
                      {"lanes", list.lanes}};
  AddThread(list, object);
  return object;
}

json::Value wavelane::FocusToJSON(const LaneList &list) {
  json::Object object = MakeObject(list.lanes[list.focus]);
  AddThread(list, object);
  object["frame"] = list.frame;
  object["lane_count"] = list.lanes.size();
  return object;
}

std::string LaneValue::FormatText() const {
  const llvm::StringRef mark = llvm::StringRef(stale).substr(stale.find(" ["));
  return stale.empty() || llvm::StringRef(text).ends_with(mark)
             ? text
             : text + " [stale: " + stale + "]";
}

// Keys are in the order in which json::Value prints them.
static void WriteJSON(const LaneValue &value, json::OStream &stream) {
  stream.object([&] {
    stream.attribute("active", value.is_active);
    if (!value.bytes.empty())
      stream.attribute("bytes", value.bytes);
    if (value.is_error)
      stream.attribute("error", value.text);
    stream.attribute("lane", value.lane);
    if (!value.stale.empty())
      stream.attribute("stale", value.stale);
    if (!value.is_error)
      stream.attribute("value", value.text);
  });
}

void wavelane::WriteJSON(const LaneValues &values, json::OStream &stream) {
  stream.object([&] {
    stream.attribute("expression", values.expression);
    stream.attribute(kSchemaKey, kSchemaVersion);
    stream.attribute("thread", values.thread);
    stream.attribute("tid", values.tid);
    stream.attribute("type", values.type);
    stream.attributeArray("values", [&] {
      for (const LaneValue &value : values.values)
        ::WriteJSON(value, stream);
    });
    if (!values.wave.empty())
      stream.attribute("wave", values.wave);
  });
}

json::Value wavelane::toJSON(const LanesFound &found) {
  json::Object object{{"lanes", found.lanes}};
  AddThread(found, object);
  if (!found.stale.empty())
    object["stale"] = found.stale;
  if (!found.unknown.empty())
    object["unknown"] = found.unknown;
  return object;
}

json::Value wavelane::toJSON(const LaneFrame &frame) {
  json::Object object{
      {"frame", frame.frame}, {"pc", frame.pc}, {"guess", frame.is_guess}};
  if (!frame.function.empty())
    object["function"] = frame.function;
  if (!frame.line.empty())
    object["line"] = frame.line;
  return object;
}

json::Value wavelane::toJSON(const LaneStack &stack) {
  json::Object object = MakeObject(stack.lane);
  AddThread(stack, object);
  object["frames"] = stack.frames;
  return object;
}

/// Maps a position, which may be missing.
static bool MapTriple(json::ObjectMapper &mapper, llvm::StringLiteral key,
                      std::optional<Triple> &triple, json::Path path) {
  std::optional<std::vector<uint32_t>> numbers;
  if (!mapper.map(key, numbers))
    return false;
  triple = std::nullopt;
  if (!numbers)
    return true;
  if (numbers->size() != 3) {
    path.field(key).report("expected three numbers");
    return false;
  }
  triple = Triple{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
  return true;
}

template <typename T>
static bool MapThread(json::ObjectMapper &mapper, T &record) {
  return mapper.map("thread", record.thread) && mapper.map("tid", record.tid) &&
         mapper.mapOptional("wave", record.wave);
}

bool wavelane::fromJSON(const json::Value &value, LaneRecord &lane,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::optional<std::string> line, goes_on_at;
  bool is_done = false;
  if (!mapper || !mapper.map("lane", lane.lane) ||
      !mapper.map("active", lane.is_active) ||
      !mapper.map("focus", lane.has_focus) ||
      !mapper.mapOptional("caused_stop", lane.caused_stop) ||
      !MapTriple(mapper, "work_item", lane.work_item, path) ||
      !MapTriple(mapper, "grid", lane.grid, path) ||
      !mapper.mapOptional("name", lane.name) || !mapper.map("line", line) ||
      !mapper.map("goes_on_at", goes_on_at) ||
      !mapper.mapOptional("done", is_done))
    return false;
  lane.progress = line         ? LaneRecord::eStands
                  : goes_on_at ? LaneRecord::eGoesOn
                  : is_done    ? LaneRecord::eDone
                               : LaneRecord::eUnknown;
  lane.line = line ? *line : goes_on_at.value_or("");
  return true;
}

bool wavelane::fromJSON(const json::Value &value, LaneList &list,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !MapThread(mapper, list) || !mapper.map("frame", list.frame) ||
      !mapper.map("focus", list.focus) || !mapper.map("lanes", list.lanes))
    return false;
  if (list.focus < list.lanes.size())
    return true;
  path.field("focus").report("no such lane");
  return false;
}

bool wavelane::fromJSON(const json::Value &value, LaneValue &lane_value,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::optional<std::string> error;
  if (!mapper || !mapper.map("lane", lane_value.lane) ||
      !mapper.map("active", lane_value.is_active) ||
      !mapper.map("error", error) ||
      !mapper.mapOptional("value", lane_value.text) ||
      !mapper.mapOptional("bytes", lane_value.bytes) ||
      !mapper.mapOptional("stale", lane_value.stale))
    return false;
  lane_value.is_error = error.has_value();
  if (error)
    lane_value.text = std::move(*error);
  return true;
}

bool wavelane::fromJSON(const json::Value &value, LaneValues &values,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && MapThread(mapper, values) &&
         mapper.map("expression", values.expression) &&
         mapper.map("type", values.type) && mapper.map("values", values.values);
}

bool wavelane::fromJSON(const json::Value &value, LanesFound &found,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && MapThread(mapper, found) &&
         mapper.map("lanes", found.lanes) &&
         mapper.mapOptional("unknown", found.unknown) &&
         mapper.mapOptional("stale", found.stale);
}

bool wavelane::fromJSON(const json::Value &value, LaneFrame &frame,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("frame", frame.frame) &&
         mapper.map("pc", frame.pc) && mapper.map("guess", frame.is_guess) &&
         mapper.mapOptional("function", frame.function) &&
         mapper.mapOptional("line", frame.line);
}

bool wavelane::fromJSON(const json::Value &value, LaneStack &stack,
                        json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && MapThread(mapper, stack) &&
         fromJSON(value, stack.lane, path) &&
         mapper.map("frames", stack.frames);
}
