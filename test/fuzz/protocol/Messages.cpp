// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between LLDB, lldb-server and the device, with damage anywhere or of
// any bytes. What is read is written and read again as the same.
#include "fuzz/Input.h"
#include "wavelane/Protocol/Device/CoreMessages.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "wavelane/Protocol/Server/AcceleratorMessages.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"
#include "wavelane/Protocol/Server/Stop.h"
#include "wavelane/Protocol/Server/StoppedWaves.h"
#include "wavelane/Protocol/Server/WaveMessages.h"

#include <cstdlib>
#include <iterator>

using namespace llvm;
using namespace wavelane::protocol;
using wavelane::test::Input;

template <typename T> static void tryAs(const json::Value &Value) {
  Expected<T> Message = read<T>(Value, "it");
  if (!Message)
    return consumeError(Message.takeError());
  const json::Value Written = toJSON(*Message);
  Expected<T> Again = read<T>(Written, "it");
  if (!Again || toJSON(*Again) != Written)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const char *const Texts[] = {
      R"({"kind":"memory violation","signal":11,"detail":"d","finding":3,
          "watchpoint":1,"watched":4096,"address":18446744073709551615,
          "lanes":"ffffffffffffffff","other_lanes":"1","pc":8192,
          "instruction":"s_nop 0","waits_at_barrier":true})",
      R"({"plugin_name":"p","session_name":"s","identifier":3,
          "breakpoints":[{"identifier":1,
            "by_name":{"shlib":"l","function_name":"f"},
            "by_address":{"load_address":18446744073709551615},
            "symbol_names":["a"]}],
          "connect_info":{"connect_url":"u","platform_name":"n","triple":"t",
            "synchronous":true,"simulated":true,"device_process":7}})",
      R"({"paths":["/a"],"ranges":[{"file":0,"offset":0,"size":1,"address":2}],
          "recording":{"file":0,"offset":8,"size":9},"runtime":"00",
          "agents":["00"],"queues":[{"queue":"00","waves":[1,2]}]})",
      R"({"library_infos":[{"pathname":"p","uuid":"0a","load":true,
          "load_address":4096,"loaded_sections":[],"file_offset":3}]})",
      R"({"do":"scan","before":100,
          "breakpoints":[{"address":1,"bytes":"00","stops":true}]})",
      R"({"do":"back","wave":1,"kind":"over","lane":0,"pc":4096,
          "code":[[4096,8,12,1,5]]})",
      R"({"do":"origin","number":0,"register":1,"lane":0})",
      R"({"do":"record","on":true,"limit":1048576})"};
  Input In{Data, Size};
  const uint8_t Which = In.byte();
  std::string Text =
      Which & 0x80
          ? std::string(reinterpret_cast<const char *>(In.Data), In.Size)
          : Texts[Which % std::size(Texts)];
  In.damage(Text);
  consumeError(wavelane::server::ParseStoppedWaves(Text).takeError());
  Expected<json::Value> Value = wavelane::parseJSON(Text);
  if (!Value) {
    consumeError(Value.takeError());
    return 0;
  }
  tryAs<Stop>(*Value);
  tryAs<AcceleratorActions>(*Value);
  tryAs<AcceleratorHit>(*Value);
  tryAs<AcceleratorLibraries>(*Value);
  tryAs<LoadCoreRequest>(*Value);
  tryAs<GoRequest>(*Value);
  tryAs<RecordRequest>(*Value);
  tryAs<ScanRequest>(*Value);
  tryAs<OriginRequest>(*Value);
  tryAs<OriginAnswer>(*Value);
  tryAs<CoreFiles>(*Value);
  tryAs<EvaluateRequest>(*Value);
  return 0;
}
