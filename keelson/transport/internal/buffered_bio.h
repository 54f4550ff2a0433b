// What OpenSSL reads from and writes to instead of a socket: one call of the system brings in many records.
//
// OpenSSL's own reading ahead moves everything behind a record to the front of its buffer, for each record; and its
// socket BIO raises SIGPIPE when the peer has gone.
#pragma once

#include <openssl/bio.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace keelson::internal {

class SocketBuffer {
 public:
  // Does not own the socket.
  explicit SocketBuffer(int socket) : socket_(socket) {}

  // For SSL_set_bio, which takes it over; the buffer outlives it.
  BIO* NewBio();

  // Bytes have come that OpenSSL has not taken.
  bool HasUnread() const { return begin_ != end_; }
  // Nor has the socket more, as far as the last reading told.
  bool IsDrained() const { return begin_ == end_ && drained_; }
  // Whether reading waits for the first byte; not at first. Writing never waits.
  void set_waits(bool waits) { waits_ = waits; }
  // Bytes that went into the socket.
  uint64_t written() const { return written_; }

 private:
  static int Read(BIO* bio, char* to, int size);
  static int Write(BIO* bio, const char* from, int size);
  static long Control(BIO* bio, int command, long number, void* pointer);
  static const BIO_METHOD* Method();

  const int socket_;
  std::unique_ptr<char[]> input_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool drained_ = false;
  bool waits_ = false;
  uint64_t written_ = 0;
};

}  // namespace keelson::internal
