// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank and its debugger write to each other, from any bytes: a rank
// or a debugger without the secret gets nowhere.
#include "wavelane/Protocol/Job/JobMessages.h"

#include <cstdlib>

using namespace llvm;
using namespace wavelane::job;

template <typename T> static void use(Expected<T> Result) {
  if (!Result)
    consumeError(Result.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const StringRef Text(reinterpret_cast<const char *>(Data), Size);
  use(Registration::parse(Text));
  use(Terms::parse(Text));
  use(parseGreeting(Text));
  Expected<Registration> Registered = checkReport("secret", "nonce", Text);
  if (Registered)
    abort();
  consumeError(Registered.takeError());
  Expected<Terms> Answer = checkAnswer("secret", "nonce", Text);
  if (Answer)
    abort();
  consumeError(Answer.takeError());
  return 0;
}
