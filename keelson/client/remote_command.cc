#include "keelson/client/remote_command.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/codec/json_reader.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {

namespace {

constexpr std::string_view kV5 = "v5.channel.k8s.io";
constexpr std::string_view kV5OrV4 = "v5.channel.k8s.io, v4.channel.k8s.io";
constexpr char kEndOfInput = 4;  // what a terminal's user types for it

// The first byte of each message.
enum Channel : uint8_t { kStdin = 0, kStdout = 1, kStderr = 2, kStatus = 3, kResize = 4, kCloseChannel = 255 };

constexpr size_t kMostOfInput = size_t{32} << 10;  // in one message
constexpr size_t kMostOfStatus = size_t{1} << 20;
constexpr auto kGoodbye = std::chrono::seconds(10);  // between the command's status and the connection's end

std::string Message(Channel channel, std::string_view bytes) {
  std::string message(1, static_cast<char>(channel));
  return message.append(bytes);
}

Error Unexpected(std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message))
      .WithDetail(std::make_shared<TransportErrorDetail>(TransportFailure::kProtocol, true));
}

Result<int> ExitCode(const metav1::Status& status) {
  if (status.status == "Success") return 0;
  if (status.reason != "NonZeroExitCode") return ErrorFromStatus(status);
  if (status.details) {
    for (const metav1::StatusCause& cause : status.details->causes) {
      if (cause.reason != "ExitCode") continue;
      const std::string_view text = cause.message;
      int code = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
      if (error == std::errc() && end == text.data() + text.size()) return code;
    }
  }
  return Unexpected("the server says that the command failed but not with which exit code: " +
                    std::string(status.message));
}

// One conversation: the caller's thread receives, two others send.
class Conversation {
 public:
  Conversation(WebSocket& socket, const AttachOptions& options, const CallScope& scope)
      : socket_(socket), options_(options), scope_(scope) {}

  Result<int> Run() {
    const StopCallback follow(scope_.stop, [this] { over_.RequestStop(); });
    Thread input, sizes;
    if (options_.read_stdin) input = Thread("exec-stdin", [this] { SendInput(); });
    if (options_.tty && options_.next_terminal_size) sizes = Thread("exec-resize", [this] { SendSizes(); });
    Result<int> outcome = ReceiveAll();
    over_.RequestStop();
    if (outcome) {
      socket_.Close(1000, "", scope_);
    } else {
      socket_.Abort();
    }
    input.Join();
    sizes.Join();
    MutexLock lock(mutex_);
    if (input_error_) return *input_error_;
    return outcome;
  }

 private:
  CallScope sending() const { return {.stop = over_.token(), .deadline = scope_.deadline}; }

  void SendInput() {
    const StopToken stop = over_.token();
    while (!stop.StopRequested()) {
      Result<std::string> bytes = options_.read_stdin(stop);
      if (stop.StopRequested()) return;
      if (!bytes) {
        {
          MutexLock lock(mutex_);
          input_error_ = std::move(bytes).error();
        }
        return socket_.Abort();
      }
      if (bytes->empty()) break;
      for (std::string_view left = *bytes; !left.empty();) {
        const std::string_view piece = left.substr(0, kMostOfInput);
        if (!socket_.Send(Message(kStdin, piece), sending())) return;  // the receiving side learns why
        left.remove_prefix(piece.size());
      }
    }
    if (socket_.subprotocol() == kV5) {
      (void)socket_.Send(Message(kCloseChannel, std::string_view("\0", 1)), sending());
    } else {
      (void)socket_.Send(Message(kStdin, std::string_view(&kEndOfInput, 1)), sending());
    }
  }

  void SendSizes() {
    while (!over_.StopRequested()) {
      const std::optional<TerminalSize> size = options_.next_terminal_size(over_.token());
      if (!size || over_.StopRequested()) return;
      const std::string text =
          "{\"Width\":" + std::to_string(size->width) + ",\"Height\":" + std::to_string(size->height) + "}";
      if (!socket_.Send(Message(kResize, text), sending())) return;
    }
  }

  Result<int> ReceiveAll() {
    while (true) {
      CallScope scope = scope_;
      if (status_) scope.deadline = std::min(scope.deadline, goodbye_);
      Result<WebSocketMessage> message = socket_.Receive(scope);
      if (!message || message->close) {
        if (status_ && (message || message.error().code() != ErrorCode::kCancelled)) return ExitCode(*status_);
        if (!message) return std::move(message).error();
        return Unexpected("the server closed the connection (" + std::to_string(message->close->code) +
                          (message->close->reason.empty() ? "" : " " + message->close->reason) +
                          ") without saying how the command ended; it may still be running");
      }
      if (message->text) return Unexpected("the server sent text where the protocol has binary messages only");
      if (message->bytes.empty()) continue;
      KEELSON_RETURN_IF_ERROR(
          Take(static_cast<uint8_t>(message->bytes[0]), std::string_view(message->bytes).substr(1)));
    }
  }

  Result<void> Take(uint8_t channel, std::string_view bytes) {
    // Channels are announced by messages without content; unknown ones are left to later versions.
    if (bytes.empty()) return {};
    switch (channel) {
      case kStdout: return options_.on_stdout ? options_.on_stdout(bytes) : Result<void>();
      case kStderr: return options_.on_stderr ? options_.on_stderr(bytes) : Result<void>();
      case kStatus: return TakeStatus(bytes);
      default: return {};
    }
  }

  Result<void> TakeStatus(std::string_view bytes) {
    if (status_text_.size() + bytes.size() > kMostOfStatus) {
      return Unexpected("the server's status of the command is longer than " + std::to_string(kMostOfStatus) +
                        " bytes");
    }
    status_text_ += bytes;
    // It may come in pieces, of which none but the last makes it whole.
    if (!status_text_.ends_with('}') && !status_text_.ends_with('\n')) return {};
    Result<metav1::Status> status = FromJson<metav1::Status>(status_text_);
    if (!status) return {};
    status_ = *std::move(status);
    goodbye_ = SaturatingAdd(Clock::Now(), kGoodbye);
    return {};
  }

  WebSocket& socket_;
  const AttachOptions& options_;
  const CallScope& scope_;
  const StopSource over_;

  // Used by the receiving thread only.
  std::string status_text_;
  std::optional<metav1::Status> status_;
  TimePoint goodbye_ = TimePoint::max();

  Mutex mutex_;
  std::optional<Error> input_error_;  // guarded by mutex_
};

Result<int> Converse(WebSocketDialer& dialer, const ObjectKey& pod, std::string_view subresource, Query query,
                     const AttachOptions& options, const CallScope& given) {
  const JoinedScope joined(given);
  const CallScope& scope = joined.get();
  const bool to_stderr = static_cast<bool>(options.on_stderr) && !options.tty;
  // The server wants at least one of the three.
  const bool to_stdout = options.on_stdout || (!options.read_stdin && !to_stderr);
  query.AddText("container", options.container);
  if (options.read_stdin) query.Add("stdin", true);
  if (to_stdout) query.Add("stdout", true);
  if (to_stderr) query.Add("stderr", true);
  if (options.tty) query.Add("tty", true);
  const std::string_view protocols = options.read_stdin && !options.tty ? kV5 : kV5OrV4;
  KEELSON_TRY(socket, dialer.DialPod(pod, subresource, query, protocols, scope));
  if (socket->subprotocol().empty()) {
    return Error::Unsupported("the server speaks none of the subprotocols " + std::string(protocols));
  }
  return Conversation(*socket, options, scope).Run();
}

}  // namespace

Result<int> Exec(WebSocketDialer& dialer, const ObjectKey& pod, const ExecOptions& options, const CallScope& scope) {
  if (options.command.empty()) return Error::InvalidArgument("a command is needed to run in pod " + pod.ToString());
  Query query;
  for (const std::string& word : options.command) query.Add("command", word);
  const AttachOptions streams{.container = options.container,
                              .read_stdin = options.read_stdin,
                              .on_stdout = options.on_stdout,
                              .on_stderr = options.on_stderr,
                              .tty = options.tty,
                              .next_terminal_size = options.next_terminal_size};
  Result<int> outcome = Converse(dialer, pod, "exec", std::move(query), streams, scope);
  if (!outcome) return std::move(outcome).error().WithContext("exec in pod " + pod.ToString());
  return outcome;
}

Result<int> Attach(WebSocketDialer& dialer, const ObjectKey& pod, const AttachOptions& options,
                   const CallScope& scope) {
  Result<int> outcome = Converse(dialer, pod, "attach", {}, options, scope);
  if (!outcome) return std::move(outcome).error().WithContext("attach to pod " + pod.ToString());
  return outcome;
}

std::function<Result<void>(std::string_view)> AppendTo(std::string& text) {
  return [&text](std::string_view bytes) -> Result<void> {
    text.append(bytes);
    return {};
  };
}

std::function<Result<std::string>(const StopToken&)> ReadFrom(std::string text) {
  return [left = std::make_shared<std::string>(std::move(text))](const StopToken&) -> Result<std::string> {
    return std::exchange(*left, {});
  };
}

}  // namespace keelson
