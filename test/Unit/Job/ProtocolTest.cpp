//===-- ProtocolTest.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Job/JobMessages.h"
#include "gtest/gtest.h"

using namespace wavelane::job;

/// RFC 4231, test cases 1, 2, 6.
TEST(ProtocolTest, Authenticates) {
  EXPECT_EQ(authenticate(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(authenticate("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(authenticate(std::string(131, '\xaa'),
                         "Test Using Larger Than Block-Size Key - Hash Key "
                         "First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static Registration makeRegistration() {
  Registration Registered;
  Registered.Rank = 3;
  Registered.Size = 8;
  Registered.Host = "node \"a\"\n";
  Registered.Pid = 4711;
  Registered.Program = "/home/me/app";
  Registered.Source = "PMI_RANK";
  Registered.Nonce = "34cd";
  return Registered;
}

static std::string why(llvm::Error Failed) {
  return Failed ? llvm::toString(std::move(Failed)) : "no error";
}

TEST(ProtocolTest, ReportsARank) {
  auto Nonce = parseGreeting(makeGreeting("12ab"));
  ASSERT_TRUE(bool(Nonce)) << why(Nonce.takeError());
  EXPECT_EQ(*Nonce, "12ab");
  const std::string Line = makeReport("secret", *Nonce, makeRegistration());
  EXPECT_EQ(Line.find('\n'), Line.size() - 1);
  auto Registered = checkReport("secret", "12ab", Line);
  ASSERT_TRUE(bool(Registered)) << why(Registered.takeError());
  EXPECT_EQ(Registered->str(), makeRegistration().str());
  EXPECT_EQ(Registered->Host, "node \"a\"\n");
}

TEST(ProtocolTest, ReportsWhoARefusedRankClaimsToBe) {
  Registration Registered = makeRegistration();
  EXPECT_EQ(describeClaim(makeReport("any", "12ab", Registered)),
            "rank 3, process 4711 on host unknown");
  Registered.Host = "node1";
  EXPECT_EQ(describeClaim(makeReport("any", "12ab", Registered)),
            "rank 3, process 4711 on host node1");
  EXPECT_EQ(describeClaim("GET / HTTP/1.0"), "");
  EXPECT_EQ(describeClaim("{\"registration\":\"{}\"}"), "");
}

/// Anybody on the machine can connect, and LLVM's parser would overflow the
/// stack.
TEST(ProtocolTest, RefusesDeepLines) {
  const std::string Deep(1 << 20, '[');
  EXPECT_EQ(why(parseGreeting(Deep).takeError()), "it isn't JSON");
  EXPECT_EQ(why(checkReport("secret", "12ab", Deep).takeError()),
            "it isn't JSON");
  EXPECT_EQ(describeClaim(Deep), "");
  // Brackets in a string don't count.
  Registration Registered = makeRegistration();
  Registered.Program = std::string(2000, '[');
  auto Read =
      checkReport("secret", "12ab", makeReport("secret", "12ab", Registered));
  ASSERT_TRUE(bool(Read)) << why(Read.takeError());
  EXPECT_EQ(Read->Program, Registered.Program);
}

TEST(ProtocolTest, RefusesAnotherSecretOrNonce) {
  const std::string Line = makeReport("secret", "12ab", makeRegistration());
  EXPECT_EQ(why(checkReport("secrets", "12ab", Line).takeError()),
            "its secret isn't the job's");
  EXPECT_EQ(why(checkReport("secret", "12ac", Line).takeError()),
            "its secret isn't the job's");
  // The proof is of what is reported.
  std::string Changed = Line;
  Changed.replace(Changed.find("4711"), 4, "4712");
  EXPECT_EQ(why(checkReport("secret", "12ab", Changed).takeError()),
            "its secret isn't the job's");
}

TEST(ProtocolTest, RefusesWhatIsNoReport) {
  EXPECT_EQ(why(checkReport("s", "n", "GET / HTTP/1.1").takeError()),
            "it isn't JSON");
  EXPECT_EQ(why(checkReport("s", "n", "[]").takeError()),
            "it isn't a JSON object");
  EXPECT_EQ(why(checkReport("s", "n", "{}").takeError()),
            "it isn't a rank's report");
  Registration Registered = makeRegistration();
  Registered.Rank = 8;
  EXPECT_EQ(
      why(checkReport("s", "n", makeReport("s", "n", Registered)).takeError()),
      "its rank is 8 of 8");
  Registered = makeRegistration();
  Registered.Pid = 0;
  EXPECT_EQ(
      why(checkReport("s", "n", makeReport("s", "n", Registered)).takeError()),
      "its rank, host, pid, program or nonce is missing");
}

TEST(ProtocolTest, AnswersARank) {
  Terms Granted;
  Granted.Device = "simulated";
  Granted.EndsWithDebugger = false;
  auto Heard =
      checkAnswer("secret", "34cd", makeAnswer("secret", "34cd", Granted));
  ASSERT_TRUE(bool(Heard)) << why(Heard.takeError());
  EXPECT_EQ(Heard->Device, "simulated");
  EXPECT_EQ(Heard->Runtime, "auto");
  EXPECT_FALSE(Heard->EndsWithDebugger);
  EXPECT_EQ(why(checkAnswer("secret", "34cd", makeRefusal("rank 3 is here"))
                    .takeError()),
            "rank 3 is here");
  EXPECT_EQ(
      why(checkAnswer("secret", "34cd", makeRefusal("a\x1b[2Jb")).takeError()),
      "a?[2Jb");
}

/// Another user may listen where a debugger was.
TEST(ProtocolTest, RefusesADebuggerWithoutTheSecret) {
  const char Unproved[] =
      "what listens there isn't the job's debugger: it doesn't know the job's "
      "secret";
  Terms Granted;
  auto Check = [](llvm::StringRef Line) {
    return why(checkAnswer("secret", "34cd", Line).takeError());
  };
  EXPECT_EQ(Check(makeAnswer("another", "34cd", Granted)), Unproved);
  EXPECT_EQ(Check(makeAnswer("secret", "34ce", Granted)), Unproved);
  // A rank's own proof, sent back.
  EXPECT_EQ(Check("{\"terms\":\"{}\",\"proof\":\"" +
                  authenticate("secret", "34cd{}") + "\"}"),
            Unproved);
  std::string Changed = makeAnswer("secret", "34cd", Granted);
  Changed.replace(Changed.find("true"), 4, "null");
  EXPECT_EQ(Check(Changed), Unproved);
  // Answers of version 1 had no proof.
  EXPECT_EQ(Check("{\"accepted\":true,\"device\":\"auto\",\"runtime\":"
                  "\"auto\",\"ends_with_debugger\":false}"),
            "the debugger's answer is incomplete");
}

TEST(ProtocolTest, RefusesAnotherVersion) {
  EXPECT_EQ(
      why(parseGreeting("{\"wavelane_job\":1,\"nonce\":\"1\"}").takeError())
          .rfind("the debugger's protocol is 1", 0),
      0u);
}
