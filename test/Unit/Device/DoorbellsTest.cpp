//===-- DoorbellsTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Device/Doorbells.h"

#include "gtest/gtest.h"

#include <atomic>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace wavelane::simulator;

namespace {

constexpr uint64_t LongIdle = 1000000000;

class DoorbellsTest : public testing::Test {
protected:
  void SetUp() override {
    int Fd = int(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    uffdio_api Api = {
        UFFD_API,
        UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM, 0};
    if (Fd < 0 || ioctl(Fd, UFFDIO_API, &Api) != 0)
      GTEST_SKIP() << "no userfaultfd here";
    void *Page = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(Page, MAP_FAILED);
    Doorbell = static_cast<std::atomic<uint64_t> *>(Page);
    *Doorbell = 1;
    const uint64_t Address = reinterpret_cast<uint64_t>(Page);
    uffdio_register Register = {{Address, Size}, UFFDIO_REGISTER_MODE_WP, 0};
    ASSERT_EQ(ioctl(Fd, UFFDIO_REGISTER, &Register), 0);
    TheDoorbells.add({Address, Size}, Fd);
  }
  void TearDown() override {
    if (Doorbell)
      munmap(Doorbell, Size);
  }
  bool isHeard(int TimeoutMs) {
    pollfd Fd = {TheDoorbells.file(), POLLIN, 0};
    return poll(&Fd, 1, TimeoutMs) == 1;
  }

  static constexpr size_t Size = 4096;
  std::atomic<uint64_t> *Doorbell = nullptr;
  Doorbells TheDoorbells;
};

TEST_F(DoorbellsTest, HearsTheFirstStoreAndLetsItThrough) {
  EXPECT_FALSE(TheDoorbells.canWait());
  EXPECT_TRUE(TheDoorbells.arm(LongIdle));
  EXPECT_FALSE(TheDoorbells.arm(LongIdle)) << "it was armed";
  EXPECT_TRUE(TheDoorbells.canWait());
  std::thread Program([this] { *Doorbell = 2; });
  EXPECT_TRUE(isHeard(60000));
  EXPECT_EQ(*Doorbell, 1u);
  TheDoorbells.takeEvents();
  // The device finds nothing to do before the program's thread runs on.
  const bool TooEarly = TheDoorbells.arm(0);
  const bool Waits = TheDoorbells.canWait();
  TheDoorbells.disarm();
  Program.join();
  ASSERT_FALSE(TooEarly);
  EXPECT_FALSE(Waits);
  EXPECT_EQ(*Doorbell, 2u);
  *Doorbell = 3;
  EXPECT_FALSE(isHeard(0));
  EXPECT_TRUE(TheDoorbells.arm(LongIdle));
  EXPECT_TRUE(TheDoorbells.canWait());
}

TEST(Doorbells, WithoutAny) {
  Doorbells None;
  EXPECT_TRUE(None.canWait());
  EXPECT_TRUE(None.arm(0));
  EXPECT_FALSE(None.arm(0));
}

} // namespace
