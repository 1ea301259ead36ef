// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of lanes and of a job's events, as the plugin writes them in
// JSON, with damage anywhere or of any bytes. What is read is written and read
// again as the same.
#include "Core/Record/JobEvent.h"
#include "Core/Record/LaneRecord.h"
#include "fuzz/Input.h"

#include <cstdlib>
#include <iterator>

using namespace llvm;
using namespace lldb_private::wavelane;
using wavelane::test::Input;

template <typename T> static void tryAs(const json::Value &Value) {
  T Read;
  json::Path::Root Root("it");
  if (!fromJSON(Value, Read, Root)) {
    consumeError(Root.getError());
    return;
  }
  if constexpr (!std::is_same_v<T, LaneValue> &&
                !std::is_same_v<T, LaneValues>) {
    const json::Value Written = toJSON(Read);
    T Again;
    json::Path::Root Second("it");
    if (!fromJSON(Written, Again, Second) || toJSON(Again) != Written)
      abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const char *const Texts[] = {
      R"({"thread":3,"tid":18364758544493064720,"frame":1,"focus":1,
          "wave":"saxpy (1,0,0)/2","lanes":[{"lane":0,"active":true,
          "focus":false,"caused_stop":true,"work_item":[1,2,3],
          "grid":[4,5,6],"name":"producer","line":"saxpy.hip:13:5",
          "goes_on_at":null},{"lane":1,"active":false,"focus":true,
          "work_item":null,"grid":null,"line":null,"goes_on_at":"a.hip:1",
          "done":true}]})",
      R"({"expression":"a[i]","type":"int","thread":3,"tid":7,"wave":"w",
          "values":[{"lane":0,"active":true,"value":"5","bytes":"05000000",
          "number":5.0,"error":null,"stale":false}]})",
      R"({"thread":3,"tid":7,"wave":"w","lane":0,"active":true,"focus":true,
          "work_item":[1,2,3],"grid":[4,5,6],"line":"a.hip:1",
          "goes_on_at":null,"lanes":[1,2],"unknown":[3],"stale":true,
          "frames":[{"frame":0,"pc":4096,"guess":false,"function":"f",
          "line":"a.hip:1"}]})",
      R"({"event":"stopped","targets":[0,18446744073709551615],
          "interrupted":[1]})"};
  Input In{Data, Size};
  const uint8_t Which = In.byte();
  std::string Text =
      Which & 0x80
          ? std::string(reinterpret_cast<const char *>(In.Data), In.Size)
          : Texts[Which % std::size(Texts)];
  In.damage(Text);
  JobEvent::Parse(Text);
  Expected<json::Value> Value = json::parse(Text);
  if (!Value) {
    consumeError(Value.takeError());
    return 0;
  }
  tryAs<LaneRecord>(*Value);
  tryAs<LaneList>(*Value);
  tryAs<LaneValue>(*Value);
  tryAs<LaneValues>(*Value);
  tryAs<LanesFound>(*Value);
  tryAs<LaneFrame>(*Value);
  tryAs<LaneStack>(*Value);
  return 0;
}
