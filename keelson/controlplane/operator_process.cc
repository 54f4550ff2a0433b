#include "keelson/controlplane/operator_process.h"

#include <utility>

namespace keelson {

OperatorProcess::OperatorProcess(const Client& client, Main main, const OperatorProcessOptions& options)
    : server_(client.rest().transport()), main_(std::move(main)), seed_(options.seed), faults_(options.faults) {
  Start();
}

OperatorProcess::~OperatorProcess() { Stop(); }

void OperatorProcess::Start() {
  if (thread_) return;
  killed_ = false;
  line_ = std::make_shared<FaultyTransport>(server_, seed_ * 31 + ++lives_, faults_);
  thread_.emplace("operator", [this](const StopToken& stop) {
    const Result<void> end = main_(Client(line_), stop);
    if (!killed_) end.value();
  });
}

void OperatorProcess::Stop() { thread_.reset(); }

void OperatorProcess::Kill() {
  killed_ = true;
  line_->Cut();
  thread_.reset();
}

void OperatorProcess::Restart() {
  Kill();
  Start();
}

void OperatorProcess::Heal() {
  faults_ = {};
  line_->Heal();
}

}  // namespace keelson
