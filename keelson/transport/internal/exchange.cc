#include "keelson/transport/internal/exchange.h"

#include <algorithm>

#include "keelson/transport/internal/output_queue.h"

namespace keelson::internal {

void Exchange::Changed() {
  if (awake_ || cut_) return;
  awake_ = true;
  // Cut() comes before the owner's end and needs the lock held here, so this is never the owner's last reference.
  if (const std::shared_ptr<ExchangeOwner> owner = owner_.lock()) owner->Wake(shared_from_this());
}

void Exchange::StartLocked(int status, Headers headers) {
  started_ = true;
  status_ = status;
  headers_ = std::move(headers);
  if (status < 200 || status == 204 || status == 304) no_body_ = true;
}

void Exchange::Start(int status, Headers headers) {
  MutexLock lock(mutex_);
  if (started_ || cut_) return;
  StartLocked(status, std::move(headers));
  Changed();
}

bool Exchange::Write(String bytes) {
  MutexLock lock(mutex_);
  if (cut_) return false;
  if (!started_) StartLocked(200, {});
  if (!bytes.empty() && !finished_ && !no_body_) {
    available_ += bytes.size();
    pending_ += bytes.size();
    chunks_.push_back(std::move(bytes));
  }
  Changed();
  return true;
}

bool Exchange::WriteFrom(std::unique_ptr<BodySource> body) {
  MutexLock lock(mutex_);
  if (cut_) return false;
  if (!started_) StartLocked(200, {});
  if (body->size() > 0 && !finished_ && !no_body_ && source_ == nullptr) {
    available_ += body->size();
    pending_ += body->size();
    source_ = std::move(body);
  }
  Changed();
  return true;
}

void Exchange::Finish() {
  MutexLock lock(mutex_);
  if (finished_ || cut_) return;
  if (!started_) StartLocked(200, {});
  finished_ = true;
  Changed();
}

void Exchange::Release() {
  std::shared_ptr<const Events> events;  // destroyed behind the lock: they may own much
  MutexLock lock(mutex_);
  events = std::move(events_);
  if (finished_) return;
  broken_ = true;
  Changed();
}

size_t Exchange::pending() const {
  MutexLock lock(mutex_);
  return pending_;
}

void Exchange::OnEvents(std::function<void()> drained, std::function<void()> closed) {
  {
    MutexLock lock(mutex_);
    if (!told_closed_) {
      events_ = std::make_shared<const Events>(Events{std::move(drained), std::move(closed)});
      return;
    }
    events_ = std::make_shared<const Events>(Events{std::move(drained), nullptr});
  }
  if (closed) closed();
}

void Exchange::BeginInline() {
  MutexLock lock(mutex_);
  awake_ = true;
}

void Exchange::EndInline() {
  MutexLock lock(mutex_);
  awake_ = false;
}

Exchange::State Exchange::state() const {
  MutexLock lock(mutex_);
  return {.started = started_,
          .finished = finished_,
          .broken = broken_ || cut_,
          .no_body = no_body_,
          .available = available_};
}

std::pair<int, Headers> Exchange::TakeHead() {
  MutexLock lock(mutex_);
  return {status_, std::move(headers_)};
}

void Exchange::Take(size_t max, OutputQueue& output) {
  const std::shared_ptr<Exchange> self = shared_from_this();
  MutexLock lock(mutex_);
  size_t left = std::min(max, available_);
  available_ -= left;
  while (left > 0 && !chunks_.empty()) {
    String& first = chunks_.front();
    const size_t size = std::min(left, first.size() - taken_of_first_);
    left -= size;
    if (taken_of_first_ + size == first.size()) {
      output.AppendBody(std::move(first), taken_of_first_, size, self);
      chunks_.pop_front();
      taken_of_first_ = 0;
    } else {
      output.AppendBody(first, taken_of_first_, size, self);
      taken_of_first_ += size;
    }
  }
  if (left == 0) return;
  // Not under the lock, for it is the handler's code. Whoever else could take the source is on this strand too.
  std::unique_ptr<BodySource> source = std::move(source_);
  lock.Unlock();
  std::string part;
  part.reserve(left);
  source->Read(left, part);
  output.AppendBody(std::move(part), self);
  if (source->size() == 0) return;
  lock.Lock();
  source_ = std::move(source);
}

bool Exchange::Written(size_t bytes) {
  MutexLock lock(mutex_);
  if (cut_) return false;
  pending_ -= bytes;
  return pending_ == 0 && !finished_ && events_ != nullptr && events_->drained != nullptr;
}

void Exchange::RunDrained() {
  std::shared_ptr<const Events> events;
  {
    MutexLock lock(mutex_);
    if (cut_ || finished_ || pending_ != 0) return;
    events = events_;
  }
  if (events != nullptr && events->drained) events->drained();
}

void Exchange::TellClosed() {
  std::shared_ptr<const Events> events;
  {
    MutexLock lock(mutex_);
    if (told_closed_ || finished_) return;
    told_closed_ = true;
    events = events_;
  }
  if (events != nullptr && events->closed) events->closed();
}

void Exchange::Cut() {
  std::deque<String> chunks;  // freed behind the lock
  std::unique_ptr<BodySource> source;
  {
    MutexLock lock(mutex_);
    cut_ = true;
    chunks.swap(chunks_);
    source = std::move(source_);
    taken_of_first_ = available_ = pending_ = 0;
  }
  TellClosed();
}

}  // namespace keelson::internal
