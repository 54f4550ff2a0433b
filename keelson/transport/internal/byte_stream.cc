#include "keelson/transport/internal/byte_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "keelson/transport/internal/tls_server_context.h"

namespace keelson::internal {

namespace {

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(int socket) : socket_(socket) {}

  IoResult Handshake() override { return {}; }

  IoResult Read(std::span<char> buffer) override {
    while (true) {
      const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got > 0) return {.status = IoStatus::kDone, .bytes = static_cast<size_t>(got)};
      if (got == 0) return {.status = IoStatus::kEnd};
      if (errno == EINTR) continue;
      return {.status = WouldBlock(errno) ? IoStatus::kWantRead : IoStatus::kFailed};
    }
  }

  IoResult Write(std::span<const iovec> pieces) override {
    msghdr message = {};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    while (true) {
      const ssize_t put = sendmsg(socket_, &message, MSG_NOSIGNAL);
      if (put >= 0) return {.status = IoStatus::kDone, .bytes = static_cast<size_t>(put)};
      if (errno == EINTR) continue;
      return {.status = WouldBlock(errno) ? IoStatus::kWantWrite : IoStatus::kFailed};
    }
  }

  void Shutdown() override { shutdown(socket_, SHUT_WR); }
  bool HasBuffered() const override { return false; }
  bool ChoseHttp2() const override { return false; }
  void Describe(Peer&) const override {}
  std::string failure() const override { return {}; }

 private:
  const int socket_;
};

// OpenSSL's own socket BIO writes in a way that raises SIGPIPE when the client has gone.
int BioWrite(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  int socket = -1;
  BIO_get_fd(bio, &socket);
  const ssize_t put = send(socket, data, static_cast<size_t>(size), MSG_NOSIGNAL);
  if (put < 0 && (WouldBlock(errno) || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(put);
}

const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const method = [] {
    const BIO_METHOD* const base = BIO_s_socket();
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOCKET, "socket without SIGPIPE");
    BIO_meth_set_write(made, BioWrite);
    BIO_meth_set_read(made, BIO_meth_get_read(base));
    BIO_meth_set_ctrl(made, BIO_meth_get_ctrl(base));
    BIO_meth_set_create(made, BIO_meth_get_create(base));
    BIO_meth_set_destroy(made, BIO_meth_get_destroy(base));
    return made;  // lives as long as the process
  }();
  return method;
}

class TlsStream final : public ByteStream {
 public:
  TlsStream(int socket, std::shared_ptr<SSL_CTX> context)
      : socket_(socket), context_(std::move(context)), ssl_(SSL_new(context_.get()), SSL_free) {
    BIO* bio = BIO_new(SocketMethod());
    BIO_set_fd(bio, socket, BIO_NOCLOSE);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_accept_state(ssl_.get());
  }

  IoResult Handshake() override {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return {};
    return Outcome(result);
  }

  IoResult Read(std::span<char> buffer) override {
    ERR_clear_error();
    size_t got = 0;
    const int result = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &got);
    if (result == 1) return {.status = IoStatus::kDone, .bytes = got};
    return Outcome(result);
  }

  IoResult Write(std::span<const iovec> pieces) override {
    // One record for many small pieces. The same bytes stand at the beginning when OpenSSL wants them again.
    std::string_view bytes(static_cast<const char*>(pieces[0].iov_base), pieces[0].iov_len);
    std::array<char, kRecord> record;
    if (bytes.size() < record.size() && pieces.size() > 1) {
      size_t size = 0;
      for (const iovec& piece : pieces) {
        const size_t part = std::min(piece.iov_len, record.size() - size);
        std::memcpy(record.data() + size, piece.iov_base, part);
        size += part;
        if (size == record.size()) break;
      }
      bytes = {record.data(), size};
    }
    ERR_clear_error();
    size_t put = 0;
    const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &put);
    if (result == 1) return {.status = IoStatus::kDone, .bytes = put};
    return Outcome(result);
  }

  void Shutdown() override {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_.get())) SSL_shutdown(ssl_.get());
    shutdown(socket_, SHUT_WR);
  }

  bool HasBuffered() const override { return SSL_has_pending(ssl_.get()) == 1; }

  bool ChoseHttp2() const override {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
  }

  void Describe(Peer& peer) const override {
    peer.tls = true;
    DescribeClient(ssl_.get(), peer);
  }

  std::string failure() const override { return failure_; }

 private:
  static constexpr size_t kRecord = 16384;

  IoResult Outcome(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return {.status = IoStatus::kWantRead};
      case SSL_ERROR_WANT_WRITE: return {.status = IoStatus::kWantWrite};
      case SSL_ERROR_ZERO_RETURN: return {.status = IoStatus::kEnd};
      default: {
        const char* reason = ERR_reason_error_string(ERR_peek_error());
        failure_ = reason == nullptr ? "the connection broke off" : reason;
        ERR_clear_error();
        return {.status = IoStatus::kFailed};
      }
    }
  }

  const int socket_;
  const std::shared_ptr<SSL_CTX> context_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<ByteStream> ByteStream::Plain(int socket) { return std::make_unique<PlainStream>(socket); }

std::unique_ptr<ByteStream> ByteStream::Tls(int socket, std::shared_ptr<SSL_CTX> context) {
  return std::make_unique<TlsStream>(socket, std::move(context));
}

}  // namespace keelson::internal
