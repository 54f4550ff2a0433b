#include "keelson/transport/internal/name_lookup.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"

namespace keelson::internal {

namespace {

// What the thread that asks the resolver and the caller share.
struct Question {
  Mutex mutex;
  CondVar changed;
  bool answered = false;                 // guarded by mutex
  std::vector<SocketAddress> addresses;  // guarded by mutex
};

struct Inquiry {
  std::shared_ptr<Question> question;
  Thread thread;
};

// Inquiries that nobody waits for any more. Those that still run at the process's end are not waited for then, since a
// resolver may take half a minute to give up.
class Abandoned {
 public:
  static Abandoned& Instance() {
    static Abandoned instance;
    return instance;
  }
  ~Abandoned() {
    (void)TakeEnded();
    if (!inquiries_.empty()) new std::vector<Inquiry>(std::move(inquiries_));
  }

  void Add(Inquiry inquiry) {
    (void)TakeEnded();
    MutexLock lock(mutex_);
    inquiries_.push_back(std::move(inquiry));
  }

 private:
  // Whoever drops them joins their threads.
  std::vector<Inquiry> TakeEnded() {
    std::vector<Inquiry> ended, running;
    MutexLock lock(mutex_);
    for (Inquiry& inquiry : inquiries_) {
      const std::shared_ptr<Question> question = inquiry.question;
      MutexLock question_lock(question->mutex);
      (question->answered ? ended : running).push_back(std::move(inquiry));
    }
    inquiries_ = std::move(running);
    return ended;
  }

  Mutex mutex_;
  std::vector<Inquiry> inquiries_;  // guarded by mutex_
};

SocketAddress AddressOf(const void* bytes, socklen_t size) {
  SocketAddress address{.size = size};
  std::memcpy(&address.storage, bytes, size);
  return address;
}
SocketAddress AddressOf(const in_addr& host, uint16_t port) {
  const sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = host, .sin_zero = {}};
  return AddressOf(&four, sizeof four);
}
SocketAddress AddressOf(const in6_addr& host, uint16_t port) {
  const sockaddr_in6 six = {
      .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_flowinfo = 0, .sin6_addr = host, .sin6_scope_id = 0};
  return AddressOf(&six, sizeof six);
}

std::vector<SocketAddress> AskResolver(const std::string& host, uint16_t port) {
  std::vector<SocketAddress> addresses;
  const addrinfo hints = {.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV,
                          .ai_family = AF_UNSPEC,
                          .ai_socktype = SOCK_STREAM,
                          .ai_protocol = 0,
                          .ai_addrlen = 0,
                          .ai_addr = nullptr,
                          .ai_canonname = nullptr,
                          .ai_next = nullptr};
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_addrlen > sizeof(sockaddr_storage)) continue;
    addresses.push_back(AddressOf(entry->ai_addr, entry->ai_addrlen));
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace

bool SocketAddress::IsLoopback() const {
  if (family() == AF_UNIX) return true;
  if (family() == AF_INET) {
    return ntohl(reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr.s_addr) >> 24 == 127;
  }
  return family() == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr);
}

NameLookup LookUp(const std::string& host, uint16_t port, TimePoint deadline, const StopToken& stop) {
  in_addr four = {};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return {.addresses = {AddressOf(four, port)}};
  in6_addr six = {};
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) return {.addresses = {AddressOf(six, port)}};

  Inquiry inquiry{.question = std::make_shared<Question>(), .thread = {}};
  const std::shared_ptr<Question> question = inquiry.question;
  inquiry.thread = Thread("name lookup", [question, host, port] {
    std::vector<SocketAddress> addresses = AskResolver(host, port);
    // A container may have no /etc/hosts, and then nobody knows this name, which always means one's own machine.
    if (addresses.empty() && EqualsIgnoringCase(host, "localhost")) {
      addresses = {AddressOf(in_addr{htonl(INADDR_LOOPBACK)}, port), AddressOf(in6addr_loopback, port)};
    }
    MutexLock lock(question->mutex);
    question->addresses = std::move(addresses);
    question->answered = true;
    question->changed.NotifyAll();
  });
  MutexLock lock(question->mutex);
  const Wake wake = question->changed.WaitUntil(lock, deadline, stop, [&] { return question->answered; });
  if (wake == Wake::kReady) {
    std::vector<SocketAddress> addresses = std::move(question->addresses);
    lock.Unlock();
    inquiry.thread.Join();
    if (addresses.empty()) return {.outcome = NameLookup::Outcome::kUnknownHost};
    return {.addresses = std::move(addresses)};
  }
  lock.Unlock();
  Abandoned::Instance().Add(std::move(inquiry));
  return {.outcome = wake == Wake::kStopped ? NameLookup::Outcome::kStopped : NameLookup::Outcome::kTimeout};
}

}  // namespace keelson::internal
