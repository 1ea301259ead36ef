//===-- MessagesTest.cpp - Every message as JSON and back -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each message has a sample with all of its fields. What is wrong input follows
// from the sample: a key is missing, or has a value of another type.
//
//===----------------------------------------------------------------------===//

#include "wavelane/Protocol/Device/CoreMessages.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "wavelane/Protocol/Server/AcceleratorMessages.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"
#include "wavelane/Protocol/Server/SettingsMessages.h"
#include "wavelane/Protocol/Server/Stop.h"
#include "wavelane/Protocol/Server/WaveMessages.h"
#include "gtest/gtest.h"
#include <functional>

using namespace wavelane::protocol;
using llvm::json::Object;
using llvm::json::Value;

namespace {

struct Sample {
  const char *Name;
  const char *Text;
  /// The keys that may be missing.
  std::vector<llvm::StringRef> Optional;
  /// Reads a message and writes it again.
  std::function<llvm::Expected<Value>(const Value &)> Convert;
};

template <typename T>
Sample make(const char *Name, const char *Text,
            std::vector<llvm::StringRef> Optional = {}) {
  return {Name, Text, std::move(Optional),
          [](const Value &From) -> llvm::Expected<Value> {
            llvm::Expected<T> Message = wavelane::protocol::read<T>(From, "it");
            if (!Message)
              return Message.takeError();
            return toJSON(*Message);
          }};
}

const Sample Samples[] = {
    make<Stop>(
        "Stop",
        R"({"kind":"memory violation","signal":11,"detail":"d","finding":3,
            "watchpoint":1,"watched":4096,"address":18446744073709551615,
            "lanes":"ffffffffffffffff","other_lanes":"1","pc":8192,
            "instruction":"s_nop 0","kernel":"k","processor":"gfx90a",
            "explanation":"e","waits_at_barrier":true})",
        {"signal", "detail", "finding", "watchpoint", "watched", "address",
         "lanes", "other_lanes", "pc", "instruction", "kernel", "processor",
         "explanation", "waits_at_barrier"}),
    make<AcceleratorActions>(
        "AcceleratorActions",
        R"({"plugin_name":"p","session_name":"s","identifier":3,
            "breakpoints":[{"identifier":1,
              "by_name":{"shlib":"l","function_name":"f"},
              "by_address":{"load_address":18446744073709551615},
              "symbol_names":["a"]}],
            "connect_info":{"connect_url":"u","platform_name":"n","triple":"t",
              "synchronous":true,"simulated":true,"processor":"gfx90a",
              "device_process":7},
            "load_libraries":true})",
        {"connect_info", "load_libraries"}),
    make<AcceleratorHit>("AcceleratorHit",
                         R"({"plugin_name":"p","breakpoint":{"identifier":1,
                             "symbol_names":[]},
                             "symbol_values":[{"name":"a","value":8}]})",
                         {}),
    make<AcceleratorHitAnswer>("AcceleratorHitAnswer",
                               R"({"disable_bp":true,"auto_resume_native":false,
            "actions":{"plugin_name":"p","session_name":"s","identifier":3,
              "breakpoints":[]}})",
                               {"actions"}),
    make<AcceleratorLibraryRequest>("AcceleratorLibraryRequest",
                                    R"({"plugin_name":"p","full":false})", {}),
    make<AcceleratorLibraries>(
        "AcceleratorLibraries",
        R"({"library_infos":[{"pathname":"p","uuid":"0a","load":true,
            "load_address":4096,"loaded_sections":[],
            "native_memory_address":1,"native_memory_size":2,"file_offset":3,
            "file_size":4,"loaded_image":true,"warning":"w"}]})",
        {}),
    make<AddressSpace>(
        "AddressSpace",
        R"({"name":"local","space_id":3,"is_thread_specific":true,
            "address_bits":32,"null":4294967295,"depends_on":"workgroup"})",
        {"address_bits", "null", "depends_on"}),
    make<ConditionsRequest>("ConditionsRequest",
                            R"({"address":8,"any":[{"test":[]}]})", {}),
    make<EvaluateRequest>(
        "EvaluateRequest",
        R"({"expression":{"test":[]},"threads":[1,2],"lanes":255,"values":true})",
        {"lanes", "values"}),
    make<EvaluatedWave>(
        "EvaluatedWave",
        R"({"thread":1,"known":255,"true":15,"bits":"0100000000000000"})",
        {"bits"}),
    make<StopInformation>("StopInformation", R"({"stop":{"kind":"trace"}})",
                          {"stop"}),
    make<HistoryState>(
        "HistoryState",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7})",
        {"idle", "dropped", "unread"}),
    make<HistoryTrap>("HistoryTrap",
                      R"({"address":8,"bytes":"0aff","stops":false})",
                      {"stops"}),
    make<RecordRequest>("RecordRequest", R"({"on":false,"limit":1048576})",
                        {"on", "limit"}),
    make<GoRequest>(
        "GoRequest",
        R"({"position":3,"number":1,"watches":2,"breakpoints":[{"address":8,"bytes":"00","stops":false}]})",
        {"number", "watches", "breakpoints"}),
    make<GoAnswer>(
        "GoAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,
            "queue":1,"index":2,"wave":3})",
        {"idle", "dropped", "unread", "queue", "index", "wave"}),
    make<HistoryHit>(
        "HistoryHit",
        R"({"position":1,"number":2,"wave":3,"pc":4,"why":"watch","lanes":"f",
            "code":1})",
        {}),
    make<ScanRequest>("ScanRequest",
                      R"({"before":3,"after":4,
            "breakpoints":[{"address":8,"bytes":"00","stops":false}]})",
                      {"before", "after", "breakpoints"}),
    make<ScanAnswer>(
        "ScanAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,
            "from":1,"to":9,"hits":[]})",
        {"idle", "dropped", "unread"}),
    make<BackRequest>(
        "BackRequest",
        R"({"wave":1,"kind":"instruction-over","lane":63,"pc":4096,"depth":1,
            "continues":true,"code":[[4096,8,[[12,0],[13,1]],1,5]],
            "breakpoints":[{"address":8,"bytes":"00","stops":false}]})",
        {"depth", "continues", "breakpoints"}),
    make<BackAnswer>(
        "BackAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,
            "done":true,"target":3,"depth":1,"unknown":4096})",
        {"idle", "dropped", "unread", "target", "depth", "unknown"}),
    make<StepRequest>("StepRequest", R"({"number":1,"wave":2,"forward":true})",
                      {"number", "wave", "forward"}),
    make<StepAnswer>(
        "StepAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,
            "number":1,"step":2,"begins":true})",
        {"idle", "dropped", "unread", "step", "begins"}),
    make<WroteRequest>("WroteRequest", R"({"address":4096,"bytes":"00ff"})",
                       {}),
    make<HostAction>(
        "HostAction",
        R"({"position":1,"what":"copy","to":2,"from":3,"size":4,"packet":5,
            "queue":6,"callers":[7]})",
        {"from", "size", "packet", "queue", "callers"}),
    make<CrossedRequest>("CrossedRequest", R"({"from":1,"to":2,"most":3})",
                         {"most"}),
    make<CrossedAnswer>(
        "CrossedAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,
            "count":1,"actions":[{"position":1,"what":"copy","to":2,"from":3,"size":4,"packet":5,
            "queue":6,"callers":[7]}]})",
        {"idle", "dropped", "unread"}),
    make<CoversRequest>("CoversRequest", R"({"address":4096,"size":4})", {}),
    make<CoversAnswer>(
        "CoversAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,"covers":true})",
        {"idle", "dropped", "unread"}),
    make<OriginCell>("OriginCell",
                     R"({"space":"vector","index":3,"lane":5,"bits":255})",
                     {"lane", "bits"}),
    make<OriginNode>(
        "OriginNode",
        R"({"kind":"too many","position":1,"number":2,"pc":3,"instruction":"v_mov",
            "copy":true,"lane":4,"type":"f32","value":"0000002a","bits":16,
            "mask_bits":1,"half":1,"whole":"2a","whole_type":"f64",
            "other_half":2,"space":"acc","index":6,"what":"the grid's size",
            "detail":3,"action":{"position":1,"what":"copy","to":2,"from":3,"size":4,"packet":5,
            "queue":6,"callers":[7]},
            "other":true,"inputs":[1]})",
        {"pc", "instruction", "copy", "lane", "type", "value", "bits",
         "mask_bits", "half", "whole", "whole_type", "other_half", "space",
         "index", "what", "detail", "action", "other"}),
    make<OriginWave>(
        "OriginWave",
        R"({"number":1,"wave":2,"group":[1,2,3],"index":4,"entry":5})",
        {"wave"}),
    make<OriginRequest>(
        "OriginRequest",
        R"({"number":1,"wave":2,"cells":[{"space":"scalar","index":3}],
            "type":"f32","history":true,"most":5,
            "until":{"is":"isnan"},
            "breakpoints":[{"address":8,"bytes":"00","stops":false}]})",
        {"number", "wave", "cells", "type", "until", "history", "most",
         "breakpoints"}),
    make<OriginAnswer>(
        "OriginAnswer",
        R"({"recording":true,"idle":true,"begin":1,"now":9,"position":5,"past":true,
            "dropped":true,"unread":true,"bytes":64,"snapshots":2,"repeated":7,
            "done":true,"at":3,"nodes":[],"waves":[]})",
        {"idle", "dropped", "unread"}),
    make<TargetRequest>("TargetRequest",
                        R"({"wave":1,"position":2,"number":3})", {"number"}),
    make<CorePath>("CorePath", R"({"path":"/tmp/core"})"),
    make<WrongSetting>("WrongSetting", R"({"setting":"device","why":"w"})", {}),
    make<SharedFile>(
        "SharedFile",
        R"({"begin":4096,"end":8192,"offset":0,"device":"0:19","inode":42,
            "file":"/dev/shm/name"})"),
    make<CoreFacts>("CoreFacts",
                    R"({"processor":"gfx90a","warnings":["old"]})"),
    make<Simulation>(
        "Simulation",
        R"({"processor":"gfx90a","warnings":[],"recording":true})"),
    make<AcceleratorBreakpoint>(
        "AcceleratorBreakpoint",
        R"({"identifier":2,"by_name":{"function_name":"f","shlib":"s"},
            "by_address":{"load_address":4096},"symbol_names":["a"]})",
        {"by_name", "by_address"}),
    make<AcceleratorConnection>(
        "AcceleratorConnection",
        R"({"connect_url":"unix-connect:///s","platform_name":"",
            "triple":"amdgpu-amd-amdhsa--gfx90a","exe_path":"/e",
            "synchronous":true,"processor":"gfx90a","simulated":true,
            "device_process":12})",
        {"exe_path", "processor", "simulated", "device_process"}),
    make<AcceleratorClient>("AcceleratorClient", R"({"lists_libraries":true})",
                            {"lists_libraries"}),
    make<CoreFiles>(
        "CoreFiles",
        R"({"files":["/a"],"ranges":[{"file":0,"offset":1,"size":2,"address":3}],
            "recording":{"file":0,"offset":1,"size":2}})",
        {"recording"}),
    make<LoadCoreAnswer>("LoadCoreAnswer", R"({"queues":[],"warning":"w"})",
                         {"warning"}),
    make<Failure>("Failure", R"({"error":"nothing has been recorded"})", {}),
};

class MessagesTest : public testing::TestWithParam<Sample> {
protected:
  Object get() {
    llvm::Expected<Value> Parsed = llvm::json::parse(GetParam().Text);
    EXPECT_TRUE(bool(Parsed)) << llvm::toString(Parsed.takeError());
    return Parsed && Parsed->getAsObject() ? *Parsed->getAsObject() : Object();
  }
  /// What is wrong with \p Message; empty if nothing is.
  static std::string findFault(Object Message) {
    llvm::Expected<Value> Read = GetParam().Convert(Value(std::move(Message)));
    return Read ? "" : llvm::toString(Read.takeError());
  }
};

TEST_P(MessagesTest, IsWrittenAsItWasRead) {
  const Object Whole = get();
  llvm::Expected<Value> Written = GetParam().Convert(Value(Object(Whole)));
  ASSERT_TRUE(bool(Written)) << llvm::toString(Written.takeError());
  EXPECT_EQ(getText(*Written), getText(Value(Object(Whole))));
}

TEST_P(MessagesTest, RefusesWhatLacksAField) {
  const Object Whole = get();
  for (const auto &[Key, Field] : Whole) {
    Object Part = Whole;
    Part.erase(Key);
    const bool IsOptional =
        llvm::is_contained(GetParam().Optional, llvm::StringRef(Key));
    const std::string Fault = findFault(Part);
    EXPECT_EQ(Fault.empty(), IsOptional) << llvm::StringRef(Key).str();
    EXPECT_EQ(Fault.find(llvm::StringRef(Key).str()) == std::string::npos,
              IsOptional)
        << Fault;
  }
}

TEST_P(MessagesTest, RefusesValuesOfAnotherType) {
  const Object Whole = get();
  for (const auto &[Key, Field] : Whole) {
    Object Wrong = Whole;
    // No field is a fraction.
    Wrong[Key] = 0.5;
    EXPECT_NE(findFault(Wrong), "") << llvm::StringRef(Key).str();
    if (Field.kind() == Value::Number) {
      Wrong[Key] = "5";
      EXPECT_NE(findFault(Wrong), "") << llvm::StringRef(Key).str();
    }
  }
}

TEST_P(MessagesTest, RefusesWhatIsNoObject) {
  for (const char *Text : {"[]", "1", "\"text\"", "null"}) {
    llvm::Expected<Value> Read =
        GetParam().Convert(llvm::cantFail(llvm::json::parse(Text)));
    EXPECT_FALSE(bool(Read)) << Text;
    llvm::consumeError(Read.takeError());
  }
}

TEST_P(MessagesTest, IgnoresWhatItDoesNotKnow) {
  Object More = get();
  More["a key of a later version"] = 1;
  EXPECT_EQ(findFault(More), "");
}

INSTANTIATE_TEST_SUITE_P(All, MessagesTest, testing::ValuesIn(Samples),
                         [](const testing::TestParamInfo<Sample> &Info) {
                           return std::string(Info.param.Name);
                         });

TEST(CoreMessagesTest, StructsOfKFDAreBytes) {
  LoadCoreRequest Request;
  Request.Runtime.Value.runtime_state = 2;
  Request.Agents.resize(1);
  Request.Agents[0].Value.gpu_id = 7;
  Request.Queues.resize(1);
  Request.Queues[0].Queue.Value.queue_id = 9;
  Request.Queues[0].Waves = {1, 2};
  llvm::Expected<LoadCoreRequest> Read =
      parse<LoadCoreRequest>(getText(Request), "request");
  ASSERT_TRUE(bool(Read)) << llvm::toString(Read.takeError());
  EXPECT_EQ(Read->Runtime.Value.runtime_state, 2u);
  EXPECT_EQ(Read->Agents[0].Value.gpu_id, 7u);
  EXPECT_EQ(Read->Queues[0].Queue.Value.queue_id, 9u);
  EXPECT_EQ(Read->Queues[0].Waves, (std::vector<uint64_t>{1, 2}));
  // Of another version.
  Value Wrong = toJSON(Request);
  (*Wrong.getAsObject())["runtime"] = "00";
  llvm::Expected<LoadCoreRequest> Other =
      wavelane::protocol::read<LoadCoreRequest>(Wrong, "request");
  EXPECT_EQ(llvm::toString(Other.takeError()),
            "entry of another size at request.runtime");
}

TEST(HistoryTest, ARequestIsKnownByItsName) {
  auto Read = [](llvm::StringRef Text) {
    return parse<HistoryRequest>(Text, "request");
  };
  llvm::Expected<HistoryRequest> Go = Read(R"({"do":"go","position":3})");
  ASSERT_TRUE(bool(Go)) << llvm::toString(Go.takeError());
  ASSERT_TRUE(std::holds_alternative<GoRequest>(*Go));
  EXPECT_EQ(std::get<GoRequest>(*Go).Position, 3u);
  EXPECT_EQ(getText(*Go), R"({"do":"go","position":3})");
  for (const char *Text :
       {R"({"do":"fly"})", R"({"do":1})", R"({"position":3})", R"({"do":"go"})",
        R"({"do":"go","position":-1})", "[]", R"({"do":"target"})"}) {
    llvm::Expected<HistoryRequest> Bad = Read(Text);
    EXPECT_FALSE(bool(Bad)) << Text;
    llvm::consumeError(Bad.takeError());
  }
}

TEST(HistoryTest, WithoutARecordingAnAnswerHasNoPositions) {
  llvm::Expected<HistoryState> State =
      parse<HistoryState>(R"({"recording":false})", "answer");
  ASSERT_TRUE(bool(State)) << llvm::toString(State.takeError());
  EXPECT_EQ(getText(*State), R"({"recording":false})");
}

TEST(HistoryTest, AnAnswerMayBeAFailure) {
  llvm::Expected<HistoryState> State =
      parseAnswer<HistoryState>(R"({"error":"too late"})", "answer");
  ASSERT_FALSE(bool(State));
  EXPECT_EQ(llvm::toString(State.takeError()), "too late");
  State = parseAnswer<HistoryState>(R"({"error":1})", "answer");
  EXPECT_FALSE(bool(State));
  llvm::consumeError(State.takeError());
}

/// Fields of every kind that has a range.
struct Ranges {
  uint8_t Small = 0;
  std::optional<uint32_t> Large;
  Triple Sizes{};
  Bytes Data;
  LaneMask Lanes;
  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("small", S.Small);
    F("large", S.Large);
    F("sizes", S.Sizes);
    F("data", S.Data);
    F("lanes", S.Lanes);
  }
};

TEST(FieldsTest, NumbersHaveToFit) {
  auto Fault = [](llvm::StringRef Text) {
    llvm::Expected<Ranges> Read = parse<Ranges>(Text, "it");
    return Read ? std::string() : llvm::toString(Read.takeError());
  };
  const std::string Good =
      R"({"small":255,"large":4294967295,"sizes":[1,2,4294967295],)"
      R"("data":"00ff","lanes":"ffffffffffffffff"})";
  EXPECT_EQ(Fault(Good), "");
  for (auto [From, To] :
       {std::pair<llvm::StringRef, llvm::StringRef>("255", "256"),
        {"255", "-1"},
        {"4294967295,", "4294967296,"},
        {"4294967295]", "4294967296]"},
        {"[1,", "[1,1,"},
        {"[1,2,", "["},
        {"00ff", "0f0"},
        {"00ff", "xy"},
        {"ffffffffffffffff", "1ffffffffffffffff"},
        {"ffffffffffffffff", "-1"},
        {"ffffffffffffffff", ""}}) {
    std::string Bad = Good;
    Bad.replace(Bad.find(From.str()), From.size(), To.str());
    EXPECT_NE(Fault(Bad), "") << Bad;
  }
}

TEST(FieldsTest, TextThatIsNotUTF8IsMended) {
  Stop Message;
  Message.Explanation = "\xff";
  EXPECT_TRUE(llvm::json::isUTF8(getText(Message)));
}

TEST(FieldsTest, TextThatIsNestedTooDeeplyIsRefused) {
  const std::string Text = std::string(100000, '[');
  llvm::Expected<Stop> Read = parse<Stop>(Text, "it");
  EXPECT_FALSE(bool(Read));
  llvm::consumeError(Read.takeError());
}

} // namespace
