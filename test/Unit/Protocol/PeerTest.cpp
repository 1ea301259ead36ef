//===-- PeerTest.cpp - Whose a connection is ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Peer/LocalPeer.h"
#include "gtest/gtest.h"

#include <cstddef>
#include <cstdlib>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavelane::protocol;

namespace {

/// As a container's profile may: the kernel doesn't say whose a socket is.
void forbidTheQuestion() {
  sock_filter Filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsockopt, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog Program = {sizeof(Filter) / sizeof(*Filter), Filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program))
    _exit(100);
}

/// Runs \a Question, which returns 0 or 1, where the kernel doesn't say.
template <typename T> int askWithoutKernel(T Question) {
  const pid_t Child = fork();
  if (Child == 0) {
    forbidTheQuestion();
    _exit(Question());
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 101;
}

class PeerTest : public testing::Test {
protected:
  void SetUp() override {
    char Path[] = "/tmp/wavelane-peer-test-XXXXXX";
    ASSERT_NE(mkdtemp(Path), nullptr);
    Folder = Path;
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, Pair), 0);
  }
  void TearDown() override {
    rmdir(Folder.c_str());
    close(Pair[0]);
    close(Pair[1]);
  }
  struct stat look() {
    struct stat Info = {};
    EXPECT_EQ(lstat(Folder.c_str(), &Info), 0);
    return Info;
  }
  bool isPeer(uid_t User, const struct stat *Where) {
    return IsLocalPeer(Pair[0], User, Where);
  }

  std::string Folder;
  int Pair[2] = {-1, -1};
};

TEST_F(PeerTest, TheKernelSaysWhose) {
  EXPECT_EQ(GetLocalUser(Pair[0]), getuid());
  EXPECT_TRUE(isPeer(getuid(), nullptr));
  // Whoever has the folder.
  const struct stat Private = look();
  EXPECT_EQ(isPeer(getuid() + 1, &Private), getuid() == 0);
}

TEST_F(PeerTest, WithoutTheKernelThePrivateFolderSaysIt) {
  const struct stat Private = look();
  ASSERT_EQ(chmod(Folder.c_str(), 0710), 0);
  const struct stat Open = look();
  struct stat Foreign = Private;
  Foreign.st_uid = getuid() + 1;
  struct stat File = Private;
  File.st_mode = S_IFREG | 0600;
  EXPECT_EQ(askWithoutKernel([&] { return GetLocalUser(Pair[0]) ? 1 : 0; }), 0);
  EXPECT_EQ(askWithoutKernel([&] { return isPeer(getuid(), &Private); }), 1);
  EXPECT_EQ(askWithoutKernel([&] { return isPeer(getuid(), &Open); }), 0);
  EXPECT_EQ(askWithoutKernel([&] { return isPeer(getuid(), &Foreign); }), 0);
  EXPECT_EQ(askWithoutKernel([&] { return isPeer(getuid(), &File); }), 0);
  EXPECT_EQ(askWithoutKernel([&] { return isPeer(getuid(), nullptr); }), 0);
}

} // namespace
