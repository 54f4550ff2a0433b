#include "keelson/transport/internal/curl_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/transport/internal/curl_library.h"

namespace keelson::internal {

namespace {

// Idle handles that are kept for the next calls, of each kind.
constexpr size_t kIdleTransfers = 64;
// Streams at a time on one connection, if the server allows as many.
constexpr long kMaxStreams = 1000;

}  // namespace

struct CurlLoop::Connections {
  // One kind of calls: the multi handle, and the handles that wait for the next call.
  struct Lane {
    Driver driver = {};
    std::vector<std::unique_ptr<CurlTransfer>> idle;
    std::vector<std::unique_ptr<CurlTransfer>> busy;

    void Run(std::shared_ptr<CurlCall> call, CurlSettings& settings) {
      std::unique_ptr<CurlTransfer> transfer;
      if (idle.empty()) {
        const bool streaming = call->request.streaming;
        CurlTransferEvents& events = *driver.loop;
        transfer = std::make_unique<CurlTransfer>(settings, events, driver.multi, streaming);
      } else {
        transfer = std::move(idle.back());
        idle.pop_back();
      }
      CurlTransfer& started = *transfer;
      started.slot = busy.size();
      busy.push_back(std::move(transfer));
      started.Start(std::move(call));
      if (!started.call()) Release(started);
    }

    // Its call has ended.
    void Release(CurlTransfer& ended) {
      std::unique_ptr<CurlTransfer> transfer = std::move(busy[ended.slot]);
      if (transfer->slot + 1 != busy.size()) {
        busy[transfer->slot] = std::move(busy.back());
        busy[transfer->slot]->slot = transfer->slot;
      }
      busy.pop_back();
      if (idle.size() < kIdleTransfers) idle.push_back(std::move(transfer));
    }
  };

  Connections(CurlLoop& loop, TlsTexts tls)
      : settings{.options = loop.options_, .endpoint = loop.endpoint_, .tls = std::move(tls)} {
    settings.share = Curl().share_init();
    Curl().share_setopt(settings.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    for (Lane* lane : {&unary, &streams}) {
      CURLM* multi = Curl().multi_init();
      if (multi == nullptr || settings.share == nullptr) throw std::bad_alloc();
      lane->driver = {.loop = &loop, .multi = multi, .id = ++loop.last_driver_id_};
      Curl().multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &CurlLoop::OnSocket);
      Curl().multi_setopt(multi, CURLMOPT_SOCKETDATA, &lane->driver);
      Curl().multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &CurlLoop::OnTimer);
      Curl().multi_setopt(multi, CURLMOPT_TIMERDATA, &lane->driver);
      Curl().multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
    }
    const long most = static_cast<long>(std::clamp<size_t>(loop.options_.max_connections, 1, 1 << 20));
    Curl().multi_setopt(unary.driver.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
    Curl().multi_setopt(unary.driver.multi, CURLMOPT_MAXCONNECTS, most);
    Curl().multi_setopt(unary.driver.multi, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreams);
  }

  ~Connections() {
    for (Lane* lane : {&unary, &streams}) {
      lane->busy.clear();
      lane->idle.clear();
      Curl().multi_cleanup(lane->driver.multi);
    }
    Curl().share_cleanup(settings.share);
  }

  Lane& lane(bool streaming) { return streaming ? streams : unary; }
  bool unused() const { return unary.busy.empty() && streams.busy.empty(); }

  CurlSettings settings;
  Lane unary;
  Lane streams;
};

CurlLoop::CurlLoop(CurlTransportOptions options, CurlEndpoint endpoint, TlsFiles tls)
    : options_(std::move(options)),
      endpoint_(std::move(endpoint)),
      inbox_(std::make_shared<CurlInbox>(endpoint_.server.Url())),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      tls_(std::move(tls)) {
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLET;  // so that nobody need read it
  event.data.u64 = 0;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, inbox_->wake_fd(), &event);
  thread_ = Thread("curl", [this] { Run(); });
}

CurlLoop::~CurlLoop() {
  inbox_->Close();
  thread_.Join();
  close(epoll_);
}

Result<void> CurlLoop::SetClientCertificate(PemSource certificate, PemSource key) {
  {
    MutexLock lock(tls_mutex_);
    KEELSON_RETURN_IF_ERROR(tls_.SetClientCertificate(std::move(certificate), std::move(key)));
  }
  inbox_->Post({.kind = CurlCommand::Kind::kRenewConnections});
  return {};
}

void CurlLoop::Run() {
  std::array<epoll_event, 64> events;
  std::vector<CurlCommand> commands;
  bool open = true;
  while (open) {
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), WaitMilliseconds());
    for (int i = 0; i < count; ++i) {
      const uint64_t data = events[static_cast<size_t>(i)].data.u64;
      OnReady(static_cast<uint32_t>(data >> 32), static_cast<curl_socket_t>(data & 0xffff'ffff),
              events[static_cast<size_t>(i)].events);
    }
    open = inbox_->Take(commands);
    for (CurlCommand& command : commands) Obey(std::move(command));
    commands.clear();
    RunDueTimers();
    CollectEnded();
    DropUnused();
    WakeWaiters();
  }
  connections_.clear();  // ends every call
  WakeWaiters();
}

int CurlLoop::WaitMilliseconds() const {
  TimePoint due = TimePoint::max();
  for (const auto& connections : connections_) {
    due = std::min({due, connections->unary.driver.due, connections->streams.driver.due});
  }
  if (due == TimePoint::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::Now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

void CurlLoop::OnReady(uint32_t driver_id, curl_socket_t socket, uint32_t events) {
  for (const auto& connections : connections_) {
    for (const Driver* driver : {&connections->unary.driver, &connections->streams.driver}) {
      if (driver->id != driver_id) continue;
      const int what = ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                       ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                       ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
      int running = 0;
      Curl().multi_socket_action(driver->multi, socket, what, &running);
      return;
    }
  }
}

void CurlLoop::Obey(CurlCommand command) {
  CurlTransfer* const transfer = command.call ? command.call->transfer : nullptr;
  switch (command.kind) {
    case CurlCommand::Kind::kStart: return StartCall(std::move(command.call));
    case CurlCommand::Kind::kResume:
      if (transfer != nullptr) transfer->Resume();
      return;
    case CurlCommand::Kind::kCancel:
      if (transfer != nullptr) CancelCall(*transfer);
      return;
    case CurlCommand::Kind::kRenewConnections: renew_ = true; return;
  }
}

void CurlLoop::CancelCall(CurlTransfer& transfer) {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const auto& set) { return &set->settings == &transfer.settings(); });
  Connections::Lane& lane = (*found)->lane(transfer.streaming());
  const bool shared = !transfer.streaming() && transfer.call()->sent.load();
  transfer.Cancel(Error::Cancelled("the request was cancelled"));
  lane.Release(transfer);
  // libcurl keeps the end of an HTTP/2 stream to itself until something else happens on its connection. Where nothing
  // else is under way, closing it tells the server at once.
  if (shared && lane.busy.empty() && *found == connections_.back()) renew_ = true;
}

void CurlLoop::StartCall(std::shared_ptr<CurlCall> call) {
  if (endpoint_.server.tls) {
    MutexLock lock(tls_mutex_);
    if (tls_.Refresh(Clock::Now())) renew_ = true;
  }
  Connections& connections = Current();
  connections.lane(call->request.streaming).Run(std::move(call), connections.settings);
}

CurlLoop::Connections& CurlLoop::Current() {
  if (connections_.empty() || std::exchange(renew_, false)) {
    TlsTexts texts;
    {
      MutexLock lock(tls_mutex_);
      texts = tls_.texts();
    }
    connections_.push_back(std::make_unique<Connections>(*this, std::move(texts)));
  }
  return *connections_.back();
}

void CurlLoop::RunDueTimers() {
  // A step often asks for the next one at once: a few of those are cheaper here than by way of epoll.
  for (int round = 0; round < 4; ++round) {
    const TimePoint now = Clock::Now();
    bool ran = false;
    for (size_t i = 0; i < connections_.size(); ++i) {
      for (Driver* driver : {&connections_[i]->unary.driver, &connections_[i]->streams.driver}) {
        if (driver->due > now) continue;
        driver->due = TimePoint::max();
        int running = 0;
        Curl().multi_socket_action(driver->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        ran = true;
      }
    }
    if (!ran) return;
  }
}

void CurlLoop::CollectEnded() {
  for (const auto& connections : connections_) {
    for (Connections::Lane* lane : {&connections->unary, &connections->streams}) {
      int left = 0;
      while (const CURLMsg* message = Curl().multi_info_read(lane->driver.multi, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        CurlTransfer& transfer = *CurlTransfer::Of(message->easy_handle);
        transfer.Finish(message->data.result);
        lane->Release(transfer);
      }
    }
  }
}

void CurlLoop::DropUnused() {
  const Connections* const current = connections_.empty() || renew_ ? nullptr : connections_.back().get();
  std::erase_if(connections_,
                [&](const auto& connections) { return connections.get() != current && connections->unused(); });
}

void CurlLoop::WakeWaiters() {
  for (const std::shared_ptr<CurlCall>& call : touched_) {
    call->touched = false;
    call->changed.NotifyAll();
  }
  touched_.clear();
}

void CurlLoop::OnProgress(CurlTransfer& transfer) {
  if (!std::exchange(transfer.call()->touched, true)) touched_.push_back(transfer.call());
}

void CurlLoop::OnPaused(CurlTransfer& transfer) {
  // What shares its connection waits too; new calls need not.
  if (!transfer.streaming() && &transfer.settings() == &connections_.back()->settings) renew_ = true;
}

int CurlLoop::OnSocket(CURL*, curl_socket_t socket, int what, void* data, void* known) {
  const Driver& driver = *static_cast<const Driver*>(data);
  const int epoll = driver.loop->epoll_;
  epoll_event event = {};
  event.data.u64 = uint64_t{driver.id} << 32 | static_cast<uint32_t>(socket);
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event);
    return 0;
  }
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  if (known != nullptr && epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST) {
    epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event);
  }
  Curl().multi_assign(driver.multi, socket, data);  // known from now on
  return 0;
}

int CurlLoop::OnTimer(CURLM*, long milliseconds, void* data) {
  Driver& driver = *static_cast<Driver*>(data);
  if (milliseconds < 0) {
    driver.due = TimePoint::max();
  } else {
    // One more than asked for: libcurl counts in whole milliseconds and does not ask again when it is woken too early.
    driver.due = SaturatingAdd(Clock::Now(), std::chrono::milliseconds(milliseconds == 0 ? 0 : milliseconds + 1));
  }
  return 0;
}

}  // namespace keelson::internal
