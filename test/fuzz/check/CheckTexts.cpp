// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suppressions, lists of checks and of launches, and the options that the
// device reads, each with damage anywhere or of any bytes.
#include "Simulator/Check/Options.h"
#include "fuzz/Input.h"
#include "wavelane/Formats/JSON/Parse.h"

#include <iterator>

using namespace llvm;
using namespace wavelane;
using wavelane::test::Input;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const char *const Texts[] = {
      "local-race file=a.hip line=12\ninvalid-global-access kernel=sum*\n",
      "# why\nuninitialized-read function=f(int, char) file=dir/b?.hip\n",
      "memory,all,count", "3-5,8,10-",
      R"({"checks":"memory,race","kernel":"sum.*","launches":[[1,3],[7,7]],
          "max":5,"shadowLimit":64,"leaks":true,"firstId":3,
          "suppressions":"race kernel=a\n"})"};
  Input In{Data, Size};
  const uint8_t Which = In.byte();
  std::string Text =
      Which & 0x80
          ? std::string(reinterpret_cast<const char *>(In.Data), In.Size)
          : Texts[Which % std::size(Texts)];
  In.damage(Text);
  check::Suppressions Suppressed;
  consumeError(Suppressed.parse(Text, "it"));
  Suppressed.matches({check::AllKinds[0], "sum", "f", "dir/a.hip", 12});
  if (auto Checks = check::parseList(Text); !Checks)
    consumeError(Checks.takeError());
  if (auto Launches = check::parseLaunches(Text); !Launches)
    consumeError(Launches.takeError());
  if (Expected<json::Value> Value = wavelane::parseJSON(Text)) {
    check::Options Options;
    if (Error Bad = Options.fromJSON(*Value))
      consumeError(std::move(Bad));
    else
      Options.toJSON();
  } else {
    consumeError(Value.takeError());
  }
  return 0;
}
