//===-- RemotePacketsTest.cpp - where gdb-remote packets end --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process/AMDGPU/RemotePackets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <utility>
#include <vector>

using namespace lldb_private::wavelane;
using testing::ElementsAre;
using testing::Pair;

namespace {

using Packets = std::vector<std::pair<std::string, std::string>>;

/// The packets in \a bytes, which come in pieces of \a size, each with what the
/// framing keeps of its contents.
Packets Split(llvm::StringRef bytes, size_t size) {
  Packets packets;
  ReplyFraming framing;
  std::string packet;
  for (; !bytes.empty(); bytes = bytes.drop_front(std::min(size, bytes.size())))
    for (llvm::StringRef piece = bytes.take_front(size); !piece.empty();) {
      bool ends;
      const size_t taken = framing.Take(piece, ends);
      packet += piece.take_front(taken);
      piece = piece.drop_front(taken);
      if (!ends)
        continue;
      packets.emplace_back(packet, framing.GetStart().str());
      packet.clear();
    }
  EXPECT_EQ(packet, "");
  return packets;
}

TEST(RemotePacketsTest, PacketsEndWhereverPiecesDo) {
  const std::string three = MakePacket("OK") + "+" + MakePacket("m12,34") +
                            MakePacket("X09;process:1");
  for (size_t size : {1, 2, 3, 5, 100})
    EXPECT_THAT(Split(three, size),
                ElementsAre(Pair("$OK#9a", "OK"),
                            Pair("+" + MakePacket("m12,34"), "m1"),
                            Pair(MakePacket("X09;process:1"), "X09;process:1")))
        << size;
}

TEST(RemotePacketsTest, AnEchoIsKeptWhole) {
  EXPECT_THAT(Split(MakePacket("qEcho:17"), 4),
              ElementsAre(Pair("$qEcho:17#92", "qEcho:17")));
  EXPECT_THAT(Split(MakePacket("qC"), 1), ElementsAre(Pair("$qC#b4", "qC")));
}

TEST(RemotePacketsTest, AnEndIsKeptUpToALimit) {
  const Packets packets = Split(MakePacket("W" + std::string(9000, '0')), 8192);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].second.size(), 4096u);
}

TEST(RemotePacketsTest, WhatAReplyIs) {
  EXPECT_TRUE(IsEndPacket("W00"));
  EXPECT_TRUE(IsEndPacket("X09"));
  EXPECT_FALSE(IsEndPacket("T05"));
  EXPECT_TRUE(IsOutputPacket("O61"));
  EXPECT_FALSE(IsOutputPacket("OK"));
}

TEST(RemotePacketsTest, WhatResumes) {
  for (const char *packet :
       {"c", "s", "bc", "bs", "vCont;c", "vAttach;1", "C05", "S05"})
    EXPECT_TRUE(ResumesProgram(packet)) << packet;
  for (const char *packet : {"vCont?", "m12,34", "SetBreak", "qC", "bcx"})
    EXPECT_FALSE(ResumesProgram(packet)) << packet;
}

TEST(RemotePacketsTest, WhatAClientGetsInstead) {
  EXPECT_EQ(MakeNoAnswer("qEcho:1"), MakePacket("qEcho:1"));
  EXPECT_EQ(MakeNoAnswer("qSymbol::"), "$#00");
  EXPECT_THAT(MakeNoAnswer("qC"), testing::StartsWith("$E04;"));
}

} // namespace
