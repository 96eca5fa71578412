#include "harness/core/processes/starter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "harness/core/processes/confinement.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

namespace {

// One request is one message: texts that each end with a zero byte, and the worker's end of its
// report pipe.
constexpr std::size_t kLongestRequest = std::size_t{16} << 10;

// After its starter has ended a worker's pipe is closed at once, unless there is a worker.
constexpr int kMillisecondsToClose = 1000;

/// Has the loader look up all functions of this program at its start, that is, once for all forks.
constexpr const char* kBindNow = "LD_BIND_NOW";

/// What the starter says to it.
struct Answer {
  std::int32_t pid = 0;   ///< the worker's, or the negative of an error number
  std::int32_t file = 0;  ///< which of the texts of the request it could not open; 0: none
};

std::system_error failed(const std::string& what, int error) {
  return {error, std::generic_category(), what};
}

/// A message of these bytes, with room for one descriptor beside them.
struct Envelope {
  Envelope(char* bytes, std::size_t size) : part{bytes, size} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
  }
  Envelope(const Envelope&) = delete;
  Envelope& operator=(const Envelope&) = delete;

  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
};

ssize_t send_with(int socket, std::string text, int file) {
  Envelope envelope(text.data(), text.size());
  cmsghdr* const header = CMSG_FIRSTHDR(&envelope.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof(int));
  ssize_t sent = 0;
  while ((sent = ::sendmsg(socket, &envelope.message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent;
}

/// A request as it came: the job file, the two output files, and entries of the environment.
struct Request {
  char text[kLongestRequest];
  std::size_t size = 0;
  int report = -1;

  const char* after(const char* part) const { return part + std::strlen(part) + 1; }
  const char* job() const { return text; }
  const char* standard_output() const { return after(job()); }
  const char* standard_error() const { return after(standard_output()); }
};

/// False: there is none, and no other will come.
bool receive(int socket, Request& request) {
  Envelope envelope(request.text, sizeof(request.text));
  ssize_t got = 0;
  while ((got = ::recvmsg(socket, &envelope.message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&envelope.message);
  if (got <= 0 || header == nullptr || header->cmsg_type != SCM_RIGHTS) return false;
  request.size = static_cast<std::size_t>(got);
  std::memcpy(&request.report, CMSG_DATA(header), sizeof(int));
  return true;
}

std::string to_text(const WorkerStart& start) {
  std::string text;
  const auto add = [&text](const std::string& part) { text.append(part.c_str(), part.size() + 1); };
  add(start.job.string());
  add(start.output.standard_output.string());
  add(start.output.standard_error.string());
  for (const auto& entry : start.environment) add(entry);
  return text;
}

/// fork() of a process with one thread, whose parent is this one's parent. -1 and errno: it failed.
pid_t fork_sibling() {
#if defined(__SANITIZE_THREAD__)
  errno = ENOSYS;  // its runtime has a thread of its own in every process
  return -1;
#else
  clone_args arguments{};
  arguments.flags = CLONE_PARENT;
  // Where the C library keeps the thread's number, which it would renew itself in a fork of its own.
  int* number = nullptr;
  if (::prctl(PR_GET_TID_ADDRESS, &number) == 0 && number != nullptr) {
    arguments.flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    arguments.child_tid = reinterpret_cast<std::uintptr_t>(number);
  }
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof(arguments)));
#endif
}

int open_output(const char* file) {
  return ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

/// Takes what is free in the heap, for good, so that forks allocate from fresh pages, one after the
/// other. The free pieces lie all over the heap, and each page of it that a fork writes to is copied
/// first.
void use_up_free_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr std::size_t kLargest = 4096, kStep = 16;
  static void* volatile piece = nullptr;  // or the compiler would leave out what nothing uses
  const char* const fresh = static_cast<char*>(::sbrk(0)) - ::mallinfo2().keepcost;
  for (std::size_t size = kLargest; size > 0; size -= kStep) {
    do piece = std::malloc(size);
    while (piece != nullptr && static_cast<char*>(piece) < fresh);
    std::free(piece);
  }
#endif
}

/// Nobody has, or will have, the other end.
bool is_closed(int pipe) {
  pollfd end{pipe, POLLIN, 0};
  char byte = 0;
  return ::poll(&end, 1, kMillisecondsToClose) == 1 && ::read(pipe, &byte, 1) == 0;
}

/// Who holds the other end.
pid_t peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return peer.pid;
}

/// The fork becomes the worker that was asked for, which does not outlive who has asked.
void become(const Request& request, pid_t parent, int output, int error, char* argument) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::setsid();
  if (::dup2(output, STDOUT_FILENO) < 0 || ::dup2(error, STDERR_FILENO) < 0 ||
      ::dup2(request.report, kReportFd) < 0)
    ::_exit(1);
  ::closefrom(kReportFd + 1);
  ::unsetenv(kBindNow);
  const char* const end = request.text + request.size;
  for (const char* entry = request.after(request.standard_error()); entry < end;
       entry = request.after(entry)) {
    const std::string text = entry;
    const std::size_t equals = text.find('=');
    ::setenv(text.substr(0, equals).c_str(), entry + equals + 1, 1);
  }
  std::memset(argument, 0, starter_argument().size());
  std::memcpy(argument, request.job(), std::strlen(request.job()));
}

}  // namespace

const std::string& starter_argument() {
  static const std::string text = [] {
    std::string out = "--starter";
    out.resize(PATH_MAX, ' ');
    return out;
  }();
  return text;
}

Starter::Starter(std::string executable, std::vector<std::string> environment,
                 std::chrono::milliseconds patience)
    : executable_(std::move(executable)), environment_(std::move(environment)) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw failed("socketpair", errno);
  auto entries = environment_;
  entries.push_back(std::string(kBindNow) + "=1");
  try {
    pid_ = spawn({executable_, "worker", starter_argument()}, {"/dev/null", "/dev/null"}, entries,
                 ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  socket_ = ends[0];
  const timeval longest{patience.count() / 1000, patience.count() % 1000 * 1000};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest));
}

Starter::~Starter() {
  end();
  ::close(socket_);
}

void Starter::end() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);  // or one that is stopped would stay
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::optional<StartedProcess> Starter::start(const WorkerStart& wanted) {
  const std::string request = to_text(wanted);
  if (request.size() > kLongestRequest || wanted.job.string().size() > starter_argument().size())
    return std::nullopt;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw failed("pipe", errno);
  const ssize_t sent = send_with(socket_, request, ends[1]);
  ::close(ends[1]);
  if (sent < 0) {
    ::close(ends[0]);
    return std::nullopt;
  }
  Answer answer;
  const auto receive_answer = [&] {
    ssize_t got = 0;
    while ((got = ::recv(socket_, &answer, sizeof(answer), 0)) < 0 && errno == EINTR) {
    }
    return got;
  };
  ssize_t got = receive_answer();
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    end();
    got = receive_answer();  // it may have been about to
  }
  if (got == sizeof(answer) && answer.pid > 0) return StartedProcess{answer.pid, ends[0]};
  const bool none = got != sizeof(answer) && is_closed(ends[0]);
  ::close(ends[0]);
  if (none) return std::nullopt;
  if (got != sizeof(answer))
    throw std::runtime_error(
        "the process that starts workers ended right after it had started one");
  if (answer.file == 1) throw failed(wanted.output.standard_output.string(), -answer.pid);
  if (answer.file == 2) throw failed(wanted.output.standard_error.string(), -answer.pid);
  able_ = answer.pid != -ENOSYS && answer.pid != -EPERM && answer.pid != -EINVAL;
  if (!able_) return std::nullopt;
  throw failed("a worker cannot be started", -answer.pid);
}

void serve_starts(char* argument, const std::function<void(const std::filesystem::path&)>& work) {
  const int socket = kReportFd;  // as in every child; a fork has its report pipe in its place
  const pid_t parent = peer_of(socket);
  // Every page that is written to after a fork costs a copy of it, so nothing is allocated here.
  static Request request;
  prepare_confinement();
  use_up_free_memory();
  while (receive(socket, request)) {
    Answer answer{0, 1};
    int error = -1;
    const int output = open_output(request.standard_output());
    if (output >= 0) answer.file = 2, error = open_output(request.standard_error());
    if (error >= 0) answer.file = 0, answer.pid = fork_sibling();
    if (error >= 0 && answer.pid == 0) {
      become(request, parent, output, error, argument);
      work(request.job());
      ::_exit(1);
    }
    if (answer.pid <= 0) answer.pid = -errno;
    for (const int file : {request.report, output, error})
      if (file >= 0) ::close(file);
    if (::send(socket, &answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer)) break;
  }
  ::_exit(0);
}

}  // namespace conoscope::core
