//===-- RecordingPositionTest.cpp - resumes in a recording ----------------===//
//-----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process/AMDGPU/RecordingPosition.h"

#include "gmock/gmock.h"

using namespace lldb_private::wavelane;
namespace protocol = ::wavelane::protocol;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A server with a recording of 100 instructions.
class RecordingPositionTest : public testing::Test {
protected:
  llvm::Expected<llvm::json::Value>
  Answer(const protocol::TimeRequest &request) {
    m_asked.push_back(std::visit(
        [](const auto &asked) {
          return std::decay_t<decltype(asked)>::Do.str();
        },
        request));
    if (m_fails)
      return llvm::createStringError("nothing is recorded");
    if (const auto *covers = std::get_if<protocol::CoversRequest>(&request)) {
      protocol::CoversAnswer answer;
      answer.Covers = covers->Address >= 0x1000;
      return protocol::toJSON(answer);
    }
    if (const auto *record = std::get_if<protocol::RecordRequest>(&request))
      m_records = record->On;
    protocol::HistoryState state;
    state.Recording = true;
    state.Now = 100;
    state.Position = m_position;
    state.InPast = m_position < 100;
    return protocol::toJSON(state);
  }
  std::vector<std::string> Asked() { return std::exchange(m_asked, {}); }
  /// Resumes, and stops at \a position.
  std::optional<std::pair<int64_t, int64_t>> Go(bool is_reverse,
                                                uint64_t position) {
    m_waves.WillResume(is_reverse);
    m_waves.Resumes();
    m_position = position;
    return m_waves.DidStop();
  }

  uint64_t m_position = 100;
  bool m_fails = false, m_records = true;
  std::vector<std::string> m_asked;
  RecordingPosition m_waves{
      [this](const protocol::TimeRequest &request) { return Answer(request); }};
};

} // namespace

TEST_F(RecordingPositionTest, NothingIsAskedInThePresent) {
  EXPECT_FALSE(Go(/*is_reverse=*/false, 100));
  EXPECT_FALSE(m_waves.Travels());
  EXPECT_FALSE(m_waves.IsInThePast());
  EXPECT_FALSE(llvm::cantFail(m_waves.Fork()));
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(RecordingPositionTest, BackAndForwardToThePresent) {
  EXPECT_EQ(Go(/*is_reverse=*/true, 40), std::pair(int64_t(100), int64_t(40)));
  EXPECT_TRUE(m_waves.Travels());
  EXPECT_TRUE(m_waves.IsInThePast());
  EXPECT_THAT(Asked(), ElementsAre("where", "where"));
  // A resume in the past goes through the recording, in either direction.
  EXPECT_EQ(Go(/*is_reverse=*/false, 60), std::pair(int64_t(40), int64_t(60)));
  EXPECT_FALSE(Go(/*is_reverse=*/true, 60));
  EXPECT_TRUE(m_waves.IsInThePast());
  EXPECT_EQ(Go(/*is_reverse=*/false, 100),
            std::pair(int64_t(60), int64_t(100)));
  EXPECT_TRUE(m_waves.Travels());
  EXPECT_FALSE(m_waves.IsInThePast());
  EXPECT_FALSE(Go(/*is_reverse=*/false, 100));
  EXPECT_FALSE(m_waves.Travels());
}

TEST_F(RecordingPositionTest, AChangeEndsThePast) {
  Go(/*is_reverse=*/true, 40);
  Asked();
  m_fails = true;
  EXPECT_TRUE(llvm::errorToBool(m_waves.Fork().takeError()));
  EXPECT_TRUE(m_waves.IsInThePast());
  m_fails = false;
  EXPECT_TRUE(llvm::cantFail(m_waves.Fork()));
  EXPECT_FALSE(m_waves.IsInThePast());
  EXPECT_FALSE(llvm::cantFail(m_waves.Fork()));
  EXPECT_THAT(Asked(), ElementsAre("fork", "fork"));
}

TEST_F(RecordingPositionTest, AServerThatDoesntKnow) {
  m_fails = true;
  EXPECT_FALSE(Go(/*is_reverse=*/true, 40));
  EXPECT_FALSE(m_waves.IsInThePast());
  EXPECT_TRUE(m_waves.IsRecorded(0x10));
}

TEST_F(RecordingPositionTest, TheHostsMemoryIsntRecorded) {
  EXPECT_FALSE(m_waves.IsRecorded(0x10));
  EXPECT_TRUE(m_waves.IsRecorded(0x1000));
}

TEST_F(RecordingPositionTest, SettingsAreSentIfTheyAreNew) {
  constexpr uint64_t kDefault = uint64_t(1) << 30;
  m_waves.SendSettings(std::nullopt, kDefault);
  EXPECT_THAT(Asked(), IsEmpty());
  m_waves.SendSettings(false, kDefault);
  EXPECT_FALSE(m_records);
  m_waves.SendSettings(false, kDefault);
  EXPECT_THAT(Asked(), ElementsAre("record"));
  m_waves.SendSettings(std::nullopt, kDefault / 2);
  EXPECT_TRUE(m_records);
  Asked();
  // In the past nothing is recorded; they are sent when it has ended.
  Go(/*is_reverse=*/true, 40);
  Asked();
  m_waves.SendSettings(false, kDefault);
  EXPECT_THAT(Asked(), IsEmpty());
  Go(/*is_reverse=*/false, 100);
  Asked();
  m_waves.SendSettings(false, kDefault);
  EXPECT_THAT(Asked(), ElementsAre("record"));
}

TEST_F(RecordingPositionTest, ADestinationIsOfOneJourney) {
  m_waves.SetDestination({3, "to the store"});
  Go(/*is_reverse=*/false, 100);
  EXPECT_FALSE(m_waves.TakeDestination());
  Go(/*is_reverse=*/true, 40);
  EXPECT_FALSE(m_waves.TakeDestination());
  m_waves.SetDestination({3, "to the store"});
  Go(/*is_reverse=*/true, 20);
  const auto destination = m_waves.TakeDestination();
  ASSERT_TRUE(destination);
  EXPECT_EQ(destination->lane, 3u);
  EXPECT_EQ(destination->name, "to the store");
  EXPECT_FALSE(m_waves.TakeDestination());
}

TEST_F(RecordingPositionTest, TheDirectionOfTheStopIsKnownOnce) {
  EXPECT_FALSE(m_waves.TakeWentBack());
  m_waves.WillShow(/*was_reverse=*/true);
  EXPECT_TRUE(m_waves.TakeWentBack());
  EXPECT_FALSE(m_waves.TakeWentBack());
}
