// One request and its answer inside the server: where the handler's threads and the connection meet.
//
// The handler's side writes by an ExchangeWriter from any thread; the connection's side takes bytes on its strand. A
// change on the handler's side wakes the connection once, however many changes follow before it looks.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "keelson/core/mutex.h"
#include "keelson/core/time.h"
#include "keelson/transport/handler.h"

namespace keelson::internal {

class Exchange;
class OutputQueue;

// The connection, as an exchange sees it. Wake is called from any thread under the exchange's lock, and only notes that
// the exchange wants to be looked at.
class ExchangeOwner {
 public:
  virtual ~ExchangeOwner() = default;
  virtual void Wake(std::shared_ptr<Exchange> exchange) = 0;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  // `id` is the session's own. An answer to HEAD has no body, whatever the handler writes.
  Exchange(std::weak_ptr<ExchangeOwner> owner, int32_t id, bool is_head)
      : id_(id), owner_(std::move(owner)), no_body_(is_head) {}

  int32_t id() const { return id_; }

  // The handler's side.
  void Start(int status, Headers headers);
  bool Write(String bytes);
  bool WriteFrom(std::unique_ptr<BodySource> body);
  void Finish();
  // The writer is gone.
  void Release();
  size_t pending() const;
  void OnEvents(std::function<void()> drained, std::function<void()> closed);

  // The connection's side, on its strand.

  // Between the two nobody is woken: the connection looks by itself afterwards.
  void BeginInline();
  void EndInline();

  struct State {
    bool started = false;
    bool finished = false;
    bool broken = false;   // the handler let go before the end
    bool no_body = false;  // HEAD, 204, 304
    size_t available = 0;  // bytes that Take would give
  };
  State state() const;
  std::pair<int, Headers> TakeHead();
  // Moves up to `max` bytes of the body there.
  void Take(size_t max, OutputQueue& output);
  // The socket took that many of the bytes. True when none is left and the handler may want to know.
  bool Written(size_t bytes);
  void RunDrained();
  // Tells the handler, once, that the client goes or should be let go; bytes may still be written.
  void TellClosed();
  // The connection or stream is no more.
  void Cut();

 private:
  struct Events {
    std::function<void()> drained;
    std::function<void()> closed;
  };
  void StartLocked(int status, Headers headers);
  void Changed();

  const int32_t id_;
  const std::weak_ptr<ExchangeOwner> owner_;
  mutable Mutex mutex_;
  // Guarded by mutex_.
  bool no_body_;
  bool started_ = false;
  bool finished_ = false;
  bool broken_ = false;
  bool cut_ = false;
  bool told_closed_ = false;
  bool awake_ = false;  // the connection is going to look
  int status_ = 0;
  Headers headers_;
  std::deque<String> chunks_;
  std::unique_ptr<BodySource> source_;  // of what follows the chunks
  size_t taken_of_first_ = 0;
  size_t available_ = 0;
  size_t pending_ = 0;  // available_ and what lies in the output queue
  std::shared_ptr<const Events> events_;
};

class ExchangeWriter final : public ResponseWriter {
 public:
  // `alive` is held as long as the handler holds the writer: the connection counts them.
  ExchangeWriter(std::shared_ptr<Exchange> exchange, std::shared_ptr<const void> alive)
      : exchange_(std::move(exchange)), alive_(std::move(alive)) {}
  ~ExchangeWriter() override { exchange_->Release(); }

  void Start(int status, Headers headers) override { exchange_->Start(status, std::move(headers)); }
  bool Write(String bytes) override { return exchange_->Write(std::move(bytes)); }
  bool WriteFrom(std::unique_ptr<BodySource> body) override { return exchange_->WriteFrom(std::move(body)); }
  void Finish() override { exchange_->Finish(); }
  size_t pending() const override { return exchange_->pending(); }
  void OnEvents(std::function<void()> drained, std::function<void()> closed) override {
    exchange_->OnEvents(std::move(drained), std::move(closed));
  }

 private:
  const std::shared_ptr<Exchange> exchange_;
  const std::shared_ptr<const void> alive_;
};

}  // namespace keelson::internal
