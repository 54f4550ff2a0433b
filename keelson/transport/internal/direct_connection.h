// One connection of a DirectTransport: a socket, with or without TLS, and what was read from it and not used.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/time.h"
#include "keelson/transport/internal/buffered_bio.h"
#include "keelson/transport/internal/byte_stream.h"
#include "keelson/transport/internal/gzip_inflater.h"
#include "keelson/transport/internal/tls_client_context.h"
#include "keelson/transport/transport.h"

namespace keelson::internal {

enum class WaitOutcome { kReady, kStopped, kTimeout };

// Used by one thread at a time; Interrupt may come from any.
class DirectConnection {
 public:
  // Owns the socket, and makes it one that can wait. `tls` is null for a plain connection.
  DirectConnection(int socket, std::shared_ptr<TlsClientContext> tls, const std::string& server_name);
  ~DirectConnection();
  DirectConnection(const DirectConnection&) = delete;
  DirectConnection& operator=(const DirectConnection&) = delete;

  int socket() const { return socket_; }

  // Repeated until kDone, before anything else. `peer` outlives the handshake.
  IoStatus Handshake();
  PeerCertificate& peer() { return *peer_; }

  // All that can be written without waiting is taken off the front.
  IoStatus Write(std::string_view& bytes);
  // Bytes that went into the socket so far.
  uint64_t written() const;

  // Reads once, without waiting, behind what is unread.
  IoStatus Fill() { return Fill(false); }
  // Wait and Fill in one call of the system, where CanWaitInFill. It may come back with nothing (kWantRead), and does
  // so well before the deadline. After Interrupt it does not wait.
  IoStatus WaitAndFill(TimePoint deadline);
  bool CanWaitInFill(TimePoint deadline) const;
  // The last Fill took all there was: the next would find nothing.
  bool IsDrained() const { return drained_; }
  std::string_view unread() const { return {input_.data() + begin_, end_ - begin_}; }
  void Consume(size_t bytes) { begin_ += bytes; }
  // Gives back the memory that a long answer took, when all of it was consumed.
  void ShrinkInput();
  // Bytes that one Fill can bring at most.
  size_t input_capacity() const { return input_.size(); }

  // Until the socket can do it (POLLIN, POLLOUT) or has failed. kStopped also after Interrupt.
  WaitOutcome Wait(short events, const CallScope& scope);
  // In the midst of a long answer: until much can be read, or a moment has passed. Servers write such answers in many
  // small pieces, and being woken for each would cost more than the pieces.
  WaitOutcome WaitForMuch(const CallScope& scope);

  // Whoever waits stops waiting, and nothing more goes over it.
  void Interrupt();
  bool interrupted() const { return interrupted_.load(std::memory_order_acquire); }

  // Whether it can carry another request: nothing is unread and the peer has not ended it. False also when it says
  // something now that nobody asked for.
  bool IsQuiet() const;
  // Says goodbye where that costs nothing.
  void SayGoodbye();

  // Why Write, Fill or Handshake failed, in words, and whether the words are those of TLS.
  const std::string& failure() const { return failure_; }
  bool failed_in_tls() const { return failed_in_tls_; }

  GzipInflater& inflater();

  // For its owner.
  bool used = false;       // it has carried a request
  bool streaming = false;  // it is for one answer
  bool loopback = false;   // the server is on this machine
  uint64_t generation = 0;
  TimePoint idle_since = {};
  size_t slot = 0;
  std::string output;  // memory to put a request together in

 private:
  WaitOutcome Poll(short events, const CallScope& scope, bool for_a_moment);
  void SetLowWater(int bytes);
  // Nothing is unread: makes the buffer as large as the reads of late want it.
  void FitInput();
  std::chrono::seconds patience() const;
  IoStatus Fill(bool wait);
  IoStatus Outcome(int result);
  IoStatus SocketOutcome();

  const int socket_;
  const std::shared_ptr<TlsClientContext> tls_;
  SocketBuffer buffer_;
  SSL* ssl_ = nullptr;
  std::unique_ptr<PeerCertificate> peer_;
  std::atomic<bool> interrupted_ = false;
  uint64_t plain_written_ = 0;
  bool is_patience_set_ = false;
  int low_water_ = 1;  // bytes that the socket waits for before it counts as readable

  std::vector<char> input_;
  bool drained_ = false;
  size_t last_read_ = 0;
  int short_reads_ = 0;  // since one that needed more than a small buffer
  size_t begin_ = 0;
  size_t end_ = 0;
  std::unique_ptr<GzipInflater> inflater_;  // made when the first packed answer comes

  std::string failure_;
  bool failed_in_tls_ = false;
};

}  // namespace keelson::internal
