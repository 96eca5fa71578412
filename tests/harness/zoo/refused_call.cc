// SPDX-License-Identifier: Apache-2.0
// Runs a command as on a kernel that answers one system call with an error:
// refused_call NUMBER ERRNO COMMAND...

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto call = static_cast<std::uint32_t>(std::atoi(argv[1]));
  const auto error = static_cast<std::uint32_t>(std::atoi(argv[2]));
  sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program{4, code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) {
    std::perror("refused_call");
    return 2;
  }
  ::execvp(argv[3], argv + 3);
  std::perror(argv[3]);
  return 2;
}
