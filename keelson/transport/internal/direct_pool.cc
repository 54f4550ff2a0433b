#include "keelson/transport/internal/direct_pool.h"

#include <algorithm>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/direct_dial.h"

namespace keelson::internal {

namespace {
// Handshakes at a time, unless they take longer than that. Many callers that begin at once mostly find that a
// connection is given back before their turn comes, and later handshakes resume the session of the first.
constexpr size_t kMostDials = 1;
constexpr Duration kTurn = std::chrono::milliseconds(20);
// A connection that was used so short a time ago is not looked at before it is used again.
constexpr Duration kSurelyOpen = std::chrono::milliseconds(10);
}  // namespace

DirectPool::DirectPool(DirectTransportOptions options, CurlEndpoint endpoint, TlsFiles tls)
    : options_(std::move(options)),
      endpoint_(std::move(endpoint)),
      url_(endpoint_.server.Url()),
      tls_(std::move(tls)) {}

void DirectPool::Renew(Connections& dropped) {
  ++generation_;
  context_ = nullptr;
  for (auto& connection : idle_) dropped.push_back(std::move(connection));
  idle_.clear();
}

void DirectPool::DropOld(TimePoint now, Connections& dropped) {
  size_t old = 0;
  while (old < idle_.size() && SaturatingAdd(idle_[old]->idle_since, options_.idle_timeout) <= now) ++old;
  for (size_t i = 0; i < old; ++i) dropped.push_back(std::move(idle_[i]));
  idle_.erase(idle_.begin(), idle_.begin() + static_cast<ptrdiff_t>(old));
}

void DirectPool::Enlist(DirectConnection& connection) {
  connection.slot = busy_.size();
  busy_.push_back(&connection);
}

bool DirectPool::MayDial(Want want, bool impatient) const {
  if (dialing_ >= kMostDials && !impatient) return false;
  return want == Want::kStream || dialing_ + busy_.size() - streams_ < std::max<size_t>(options_.max_connections, 1);
}

Result<std::shared_ptr<TlsClientContext>> DirectPool::Context() {
  if (!endpoint_.server.tls) return std::shared_ptr<TlsClientContext>();
  if (context_ == nullptr) {
    KEELSON_TRY(made, TlsClientContext::Create(tls_.texts(), options_.tls.insecure_skip_verify));
    context_ = std::move(made);
  }
  return context_;
}

Result<std::unique_ptr<DirectConnection>> DirectPool::Take(const CallScope& scope, Want want) {
  Connections dropped;  // destroyed behind the lock
  MutexLock lock(mutex_);
  const TimePoint now = Clock::Now();
  if (endpoint_.server.tls && tls_.Refresh(now)) Renew(dropped);
  DropOld(now, dropped);
  bool impatient = false;  // has waited its turn
  while (true) {
    if (closed()) return Error::Cancelled("the transport was closed");
    while (want == Want::kAny && !idle_.empty()) {
      std::unique_ptr<DirectConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (SaturatingAdd(connection->idle_since, kSurelyOpen) < now && !connection->IsQuiet()) {
        dropped.push_back(std::move(connection));
        continue;
      }
      Enlist(*connection);
      return connection;
    }
    if (MayDial(want, impatient)) break;
    ++waiting_;
    if (want != Want::kAny) ++waiting_for_new_;
    const TimePoint turn = impatient ? TimePoint::max() : SaturatingAdd(now, kTurn);
    const Wake wake = changed_.WaitUntil(lock, std::min(scope.deadline, turn), scope.stop, [&] {
      return closed() || (want == Want::kAny && !idle_.empty()) || MayDial(want, impatient);
    });
    --waiting_;
    if (want != Want::kAny) --waiting_for_new_;
    if (wake == Wake::kReady) continue;
    if (wake == Wake::kStopped || scope.deadline <= turn) return ScopeEnded(scope, url_, false);
    impatient = true;
  }
  KEELSON_TRY(context, Context());
  if (want != Want::kStream && !idle_.empty() &&
      dialing_ + busy_.size() - streams_ + idle_.size() >= options_.max_connections) {
    dropped.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
  }
  ++dialing_;
  const uint64_t generation = generation_;
  lock.Unlock();
  dropped.clear();
  const StopToken closing = closing_.token();
  Result<std::unique_ptr<DirectConnection>> made = Dial(
      {.endpoint = endpoint_, .keep_alive = options_.keep_alive, .closing = closing, .tls = std::move(context)}, scope);
  lock.Lock();
  --dialing_;
  if (waiting_ != 0) changed_.NotifyAll();
  if (!made) return made;
  (*made)->generation = generation;
  (*made)->streaming = want == Want::kStream;
  if (want == Want::kStream) ++streams_;
  Enlist(**made);
  if (closed()) (*made)->Interrupt();
  return made;
}

void DirectPool::Give(std::unique_ptr<DirectConnection> connection, bool reusable) {
  reusable = reusable && connection->unread().empty() && !connection->streaming;
  if (!reusable) connection->SayGoodbye();
  std::unique_ptr<DirectConnection> dropped;
  MutexLock lock(mutex_);
  busy_.back()->slot = connection->slot;
  busy_[connection->slot] = busy_.back();
  busy_.pop_back();
  if (connection->streaming) --streams_;
  if (reusable && connection->generation == generation_ && !closed()) {
    connection->used = true;
    connection->idle_since = Clock::Now();
    idle_.push_back(std::move(connection));
  } else {
    dropped = std::move(connection);
  }
  // One waiter can go on, but of those that want a new connection not any.
  if (waiting_for_new_ != 0) {
    changed_.NotifyAll();
  } else if (waiting_ != 0) {
    changed_.NotifyOne();
  }
  lock.Unlock();
}

Result<void> DirectPool::SetClientCertificate(PemSource certificate, PemSource key) {
  Connections dropped;
  MutexLock lock(mutex_);
  KEELSON_RETURN_IF_ERROR(tls_.SetClientCertificate(std::move(certificate), std::move(key)));
  Renew(dropped);
  lock.Unlock();
  return {};
}

void DirectPool::CloseIdle() {
  Connections dropped;
  MutexLock lock(mutex_);
  Renew(dropped);
  lock.Unlock();
}

void DirectPool::Close() {
  closing_.RequestStop();
  Connections dropped;
  MutexLock lock(mutex_);
  Renew(dropped);
  for (DirectConnection* connection : busy_) connection->Interrupt();
  changed_.NotifyAll();
  lock.Unlock();
}

}  // namespace keelson::internal
