#include "keelson/core/thread.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "keelson/core/internal/scheduler.h"

namespace keelson {

namespace {

thread_local std::string thread_name = "main";

// The kernel keeps 15 bytes of a name; debuggers and `top -H` show them.
void NameThisThread(const std::string& name) {
  thread_name = name;
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace

struct Thread::Handle {
  std::thread native;                        // in production
  internal::Scheduler* scheduler = nullptr;  // in simulation
  internal::SimulatedThreadId simulated_id = 0;
};

void Thread::Start(std::string name, std::function<void()> body) {
  handle_ = std::make_shared<Handle>();
  if (auto* scheduler = internal::CurrentScheduler()) {
    handle_->scheduler = scheduler;
    handle_->simulated_id = scheduler->StartThread(std::move(name), std::move(body));
    return;
  }
  handle_->native = std::thread([name = std::move(name), body = std::move(body)] {
    NameThisThread(name);
    body();
  });
}

Thread::~Thread() {
  if (!Joinable()) return;
  RequestStop();
  Join();
}

Thread::Thread(Thread&& other) noexcept : stop_(other.stop_), handle_(std::move(other.handle_)) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this == &other) return *this;
  if (Joinable()) {
    RequestStop();
    Join();
  }
  stop_ = other.stop_;
  handle_ = std::move(other.handle_);
  return *this;
}

void Thread::Join() {
  if (!Joinable()) return;
  if (handle_->scheduler != nullptr) {
    // Outside of its simulation, that is after it, there is nothing left to wait for.
    if (handle_->scheduler == internal::CurrentScheduler()) handle_->scheduler->JoinThread(handle_->simulated_id);
  } else {
    handle_->native.join();
  }
  handle_.reset();
}

unsigned Thread::HardwareConcurrency() {
  if (internal::CurrentScheduler()) return 2;
  return std::max(1u, std::thread::hardware_concurrency());
}

namespace this_thread {

uint64_t Id() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->ThreadId();
  thread_local const uint64_t id = static_cast<uint64_t>(gettid());
  return id;
}

std::string_view Name() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->ThreadName();
  return thread_name;
}

void Yield() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->Yield();
  std::this_thread::yield();
}

}  // namespace this_thread

}  // namespace keelson
