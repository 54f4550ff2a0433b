#include "keelson/transport/internal/buffered_bio.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace keelson::internal {

namespace {

constexpr size_t kInput = size_t{64} << 10;

bool MayRetry(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

int SocketBuffer::Read(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  auto& self = *static_cast<SocketBuffer*>(BIO_get_data(bio));
  if (self.begin_ == self.end_) {
    // Not cleared: a small answer touches the first page only.
    if (self.input_ == nullptr) self.input_ = std::make_unique_for_overwrite<char[]>(kInput);
    const ssize_t got = recv(self.socket_, self.input_.get(), kInput, self.waits_ ? 0 : MSG_DONTWAIT);
    if (got <= 0) {
      if (got < 0 && MayRetry(errno)) BIO_set_retry_read(bio);
      if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
      return static_cast<int>(got);
    }
    self.begin_ = 0;
    self.end_ = static_cast<size_t>(got);
    self.drained_ = self.end_ < kInput;
  }
  const size_t taken = std::min(static_cast<size_t>(size), self.end_ - self.begin_);
  std::memcpy(to, self.input_.get() + self.begin_, taken);
  self.begin_ += taken;
  return static_cast<int>(taken);
}

int SocketBuffer::Write(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  auto& self = *static_cast<SocketBuffer*>(BIO_get_data(bio));
  const ssize_t put = send(self.socket_, from, static_cast<size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (put < 0 && MayRetry(errno)) BIO_set_retry_write(bio);
  if (put > 0) self.written_ += static_cast<uint64_t>(put);
  return static_cast<int>(put);
}

long SocketBuffer::Control(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default: return 0;
  }
}

const BIO_METHOD* SocketBuffer::Method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffered socket");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_read(made, Read);
    BIO_meth_set_write(made, Write);
    BIO_meth_set_ctrl(made, Control);
    return made;  // lives as long as the process
  }();
  return method;
}

BIO* SocketBuffer::NewBio() {
  BIO* bio = BIO_new(Method());
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace keelson::internal
