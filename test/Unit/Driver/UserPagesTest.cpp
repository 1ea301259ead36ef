//===-- UserPagesTest.cpp - pages that a program and GPUs share -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program changes its mappings by raw system calls, as a C library does
// internally; a GPU reads and writes the file at the places that it was given.
//
//===----------------------------------------------------------------------===//

#include "Simulator/Driver/UserPages.h"

#include "Simulator/Common/Agent.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavelane;
using driver::Segment;
using driver::UserPages;
using simulator::PageSize;

namespace {

using Bytes = std::array<uint8_t, PageSize>;

class UserPagesTest : public testing::Test {
protected:
  static constexpr uint64_t Count = 48; ///< pages of the program
  int File = -1, Data = -1;
  std::unique_ptr<UserPages> Pages;
  uint64_t Base = 0;

  void SetUp() override {
    File = memfd_create("gpu", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(File, off_t(simulator::driver::FileSize)), 0);
    struct stat Stat;
    ASSERT_EQ(fstat(File, &Stat), 0);
    Pages = std::make_unique<UserPages>(
        File, Stat.st_ino,
        [](simulator::driver::ForeignMemory &, int) { return -ENOSYS; });
    Base = uint64_t(mmap(nullptr, Count * PageSize, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    // A program's table: pages of a file that nobody has read yet.
    Data = dup(fileno(tmpfile()));
    for (uint64_t I = 0; I < Count; ++I) {
      Bytes Page;
      Page.fill(fileByte(I));
      ASSERT_EQ(pwrite(Data, Page.data(), PageSize, off_t(I * PageSize)),
                ssize_t(PageSize));
    }
  }
  void TearDown() override {
    Pages.reset();
    syscall(SYS_munmap, Base, Count * PageSize);
    close(File);
    close(Data);
  }

  static uint8_t fileByte(uint64_t Page) { return uint8_t(100 + Page); }
  uint64_t at(uint64_t Page) const { return Base + Page * PageSize; }
  void map(uint64_t First, uint64_t N) const {
    ASSERT_EQ(syscall(SYS_mmap, at(First), N * PageSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
              long(at(First)));
  }
  void mapFile(uint64_t First, uint64_t N) const {
    ASSERT_EQ(syscall(SYS_mmap, at(First), N * PageSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_FIXED, Data, First * PageSize),
              long(at(First)));
  }
  void unmap(uint64_t First, uint64_t N) const {
    ASSERT_EQ(syscall(SYS_munmap, at(First), N * PageSize), 0);
  }
  /// \return Whether the kernel has done it.
  bool move(uint64_t First, uint64_t N, uint64_t To) const {
    return syscall(SYS_mremap, at(First), N * PageSize, N * PageSize,
                   MREMAP_MAYMOVE | MREMAP_FIXED, at(To)) == long(at(To));
  }
  void fill(uint64_t First, uint64_t N, uint8_t Value) const {
    memset(reinterpret_cast<void *>(at(First)), Value, N * PageSize);
  }
  Bytes program(uint64_t Page) const {
    Bytes B;
    memcpy(B.data(), reinterpret_cast<void *>(at(Page)), PageSize);
    return B;
  }
  static Bytes all(uint8_t Value) {
    Bytes B;
    B.fill(Value);
    return B;
  }
  std::vector<Segment> share(uint64_t First, uint64_t N) const {
    std::vector<Segment> Out;
    EXPECT_EQ(Pages->share(at(First), N * PageSize, Out), 0);
    return Out;
  }
  /// Where a GPU finds page \a I of a memory object.
  static off_t place(const std::vector<Segment> &Object, uint64_t I) {
    uint64_t At = I * PageSize;
    for (const Segment &S : Object) {
      if (At < S.size)
        return off_t(S.offset + At);
      At -= S.size;
    }
    return -1;
  }
  Bytes gpu(const std::vector<Segment> &Object, uint64_t I) const {
    Bytes B;
    EXPECT_EQ(pread(File, B.data(), PageSize, place(Object, I)),
              ssize_t(PageSize));
    return B;
  }
  void gpuFills(const std::vector<Segment> &Object, uint64_t I,
                uint8_t Value) const {
    const Bytes B = all(Value);
    ASSERT_EQ(pwrite(File, B.data(), PageSize, place(Object, I)),
              ssize_t(PageSize));
  }
};

} // namespace

TEST_F(UserPagesTest, HalfOfAnObjectIsReplaced) {
  map(0, 8);
  fill(0, 8, 1);
  const auto Old = share(0, 8);
  unmap(4, 4);
  map(4, 4);
  fill(4, 4, 2);
  const auto New = share(0, 8);
  for (uint64_t I = 0; I < 8; ++I) {
    EXPECT_EQ(program(I), all(I < 4 ? 1 : 2)) << I;
    EXPECT_EQ(gpu(New, I), all(I < 4 ? 1 : 2)) << I;
  }
  // A GPU that still has the first object can't reach the new pages.
  gpuFills(Old, 5, 9);
  EXPECT_EQ(program(5), all(2));
  Pages->release(at(0), Old, false);
  Pages->release(at(0), New, false);
  for (uint64_t I = 0; I < 8; ++I) {
    EXPECT_EQ(program(I), all(I < 4 ? 1 : 2)) << I;
    EXPECT_FALSE(UserPages::areaAt(at(I)).IsShared) << I;
  }
}

TEST_F(UserPagesTest, PagesOfAFileThatNobodyHasRead) {
  mapFile(3, 5);
  const auto Object = share(3, 5);
  for (uint64_t I = 0; I < 5; ++I)
    EXPECT_EQ(gpu(Object, I), all(fileByte(3 + I)));
  Pages->release(at(3), Object, false);
  for (uint64_t I = 3; I < 8; ++I)
    EXPECT_EQ(program(I), all(fileByte(I)));
}

TEST_F(UserPagesTest, AnObjectKeepsItsPlace) {
  map(0, 4);
  fill(0, 4, 1);
  const auto Old = share(0, 4);
  unmap(0, 4);
  map(8, 4);
  fill(8, 4, 2);
  map(0, 4);
  const auto Again = share(0, 4), Other = share(8, 4);
  for (uint64_t I = 0; I < 4; ++I)
    gpuFills(Old, I, 7);
  for (uint64_t I = 0; I < 4; ++I) {
    EXPECT_EQ(program(I), all(0));
    EXPECT_EQ(program(8 + I), all(2));
  }
  Pages->release(at(0), Old, false);
  gpuFills(Again, 0, 3);
  EXPECT_EQ(program(0), all(3));
}

TEST_F(UserPagesTest, AMappingCannotGrowIntoAnotherPlace) {
  map(0, 4);
  fill(0, 4, 1);
  map(20, 4);
  fill(20, 4, 2);
  share(0, 4);
  share(20, 4);
  // As realloc() does, which then copies.
  EXPECT_EQ(syscall(SYS_mremap, at(0), 4 * PageSize, 8 * PageSize,
                    MREMAP_MAYMOVE | MREMAP_FIXED, at(30)),
            -1);
  // A program's own call finds pages of its own.
  Pages->detach(at(0), 4 * PageSize);
  ASSERT_EQ(UserPages::moveByCopy(at(0), 4 * PageSize, 8 * PageSize,
                                  reinterpret_cast<void *>(at(30))),
            reinterpret_cast<void *>(at(30)));
  EXPECT_FALSE(Pages->isMapped(at(0), at(1)));
  for (uint64_t I = 30; I < 38; ++I)
    EXPECT_EQ(program(I), all(I < 34 ? 1 : 0));
}

TEST_F(UserPagesTest, DiscardedPagesAreZero) {
  map(0, 4);
  fill(0, 4, 1);
  const auto Object = share(0, 4);
  Pages->detach(at(1), 2 * PageSize);
  ASSERT_EQ(syscall(SYS_madvise, at(1), 2 * PageSize, MADV_DONTNEED), 0);
  for (uint64_t I = 0; I < 4; ++I)
    EXPECT_EQ(program(I), all(I == 1 || I == 2 ? 0 : 1));
  Pages->release(at(0), Object, false);
  EXPECT_EQ(program(0), all(1));
}

TEST_F(UserPagesTest, ProtectionOutlivesAnObject) {
  map(0, 4);
  fill(0, 4, 1);
  const auto Object = share(0, 4);
  ASSERT_EQ(syscall(SYS_mprotect, at(1), 2 * PageSize, PROT_READ), 0);
  Pages->release(at(0), Object, false);
  EXPECT_EQ(Pages->protection(at(0)), PROT_READ | PROT_WRITE);
  EXPECT_EQ(Pages->protection(at(1)), PROT_READ);
  EXPECT_EQ(program(1), all(1));
}

TEST_F(UserPagesTest, UnmappedPlacesAreFree) {
  struct stat Before, After;
  ASSERT_EQ(fstat(File, &Before), 0);
  for (int I = 0; I < 3; ++I) {
    map(0, 8);
    fill(0, 8, 1);
    const auto Object = share(0, 8);
    Pages->release(at(0), Object, /*Keep=*/true);
    unmap(0, 8);
    Pages->unmapped();
  }
  ASSERT_EQ(fstat(File, &After), 0);
  EXPECT_EQ(After.st_blocks, Before.st_blocks);
}

// Every page of the program has an identity, which a copy of the mappings here
// follows: what a page holds must be the same for the program and for each
// object that was made of it.
TEST_F(UserPagesTest, AnyOrderOfCalls) {
  struct Page {
    Bytes Holds = {};
  };
  using Known = std::shared_ptr<Page>;
  struct Object {
    uint64_t First;
    std::vector<Segment> Segments;
    std::vector<Known> Has;
  };
  for (unsigned Seed = 1; Seed <= 40; ++Seed) {
    SCOPED_TRACE(Seed);
    std::mt19937 Random(Seed);
    auto pick = [&](uint64_t N) { return Random() % N; };
    std::array<Known, Count> Has;
    std::vector<Object> Objects;
    syscall(SYS_mmap, Base, Count * PageSize, PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    auto dropObject = [&](size_t I) {
      const Object &O = Objects[I];
      Pages->release(at(O.First), O.Segments, pick(8) == 0);
      Objects.erase(Objects.begin() + long(I));
    };
    for (int Step = 0; Step < 300; ++Step) {
      SCOPED_TRACE(Step);
      const uint64_t First = pick(Count),
                     N = 1 + pick(std::min(Count - First, uint64_t(12)));
      auto Range = [&](uint64_t From) { return Has.begin() + long(From); };
      const bool IsMapped = std::all_of(Range(First), Range(First + N),
                                        [](const Known &K) { return bool(K); });
      const unsigned Op = unsigned(pick(12));
      switch (Op) {
      case 0:
        map(First, N);
        for (uint64_t I = First; I < First + N; ++I)
          Has[I] = std::make_shared<Page>();
        break;
      case 1:
        mapFile(First, N);
        for (uint64_t I = First; I < First + N; ++I) {
          Has[I] = std::make_shared<Page>();
          Has[I]->Holds.fill(fileByte(I));
        }
        break;
      case 2:
        unmap(First, N);
        std::fill(Range(First), Range(First + N), nullptr);
        Pages->unmapped();
        break;
      case 3: {
        const uint64_t To = pick(Count - N + 1);
        if (!IsMapped || (To < First + N && First < To + N))
          break;
        if (pick(2)) { // by a call that the driver sees
          Pages->detach(at(First), N * PageSize);
          for (uint64_t I = First; I < First + N; ++I)
            Has[I] = std::make_shared<Page>(*Has[I]);
        }
        if (!move(First, N, To)) {
          // The kernel has unmapped the new place already.
          unmap(To, N);
          std::fill(Range(To), Range(To + N), nullptr);
          break;
        }
        for (uint64_t I = 0; I < N; ++I)
          Has[To + I] = std::exchange(Has[First + I], nullptr);
        break;
      }
      case 4:
        if (!IsMapped)
          break;
        Pages->detach(at(First), N * PageSize);
        for (uint64_t I = First; I < First + N; ++I)
          Has[I] = std::make_shared<Page>(*Has[I]);
        break;
      case 5: {
        Object O = {First, {}, {}};
        const int Error = Pages->share(at(First), N * PageSize, O.Segments);
        ASSERT_EQ(Error == 0, IsMapped);
        if (Error)
          break;
        O.Has.assign(Range(First), Range(First + N));
        Objects.push_back(std::move(O));
        break;
      }
      case 6:
      case 7:
        if (!Objects.empty())
          dropObject(pick(Objects.size()));
        break;
      case 8:
        if (!Objects.empty()) {
          Object &O = Objects[pick(Objects.size())];
          const uint64_t I = pick(O.Has.size());
          const uint8_t Value = uint8_t(Random());
          gpuFills(O.Segments, I, Value);
          O.Has[I]->Holds.fill(Value);
        }
        break;
      case 9:
        if (pick(10) == 0) {
          Pages->beforeFork();
          const pid_t Child = fork();
          if (Child == 0) {
            Pages->afterForkInChild();
            bool Same = true;
            for (uint64_t I = 0; I < Count; ++I)
              if (Has[I]) {
                Same &= program(I) == Has[I]->Holds;
                fill(I, 1, 0xee); // which the parent must not see
              }
            _exit(Same ? 0 : 1);
          }
          Pages->afterForkInParent();
          int Status = -1;
          waitpid(Child, &Status, 0);
          ASSERT_EQ(Status, 0);
        }
        break;
      default: {
        const uint8_t Value = uint8_t(Random());
        for (uint64_t I = First; I < First + N; ++I)
          if (Has[I]) {
            fill(I, 1, Value);
            Has[I]->Holds.fill(Value);
          }
      }
      }
      for (uint64_t I = 0; I < Count; ++I)
        if (Has[I])
          ASSERT_EQ(program(I), Has[I]->Holds) << "page " << I << ", op " << Op;
      for (const Object &O : Objects)
        for (uint64_t I = 0; I < O.Has.size(); ++I)
          ASSERT_EQ(gpu(O.Segments, I), O.Has[I]->Holds)
              << "object at page " << O.First << " + " << I << ", op " << Op;
    }
    while (!Objects.empty())
      dropObject(0);
    unmap(0, Count);
    Pages->unmapped();
    struct stat Stat;
    ASSERT_EQ(fstat(File, &Stat), 0);
    EXPECT_EQ(Stat.st_blocks, 0) << "places are lost";
  }
}
