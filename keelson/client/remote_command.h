// Runs commands in containers, and takes part in the ones that run: what `kubectl exec` and `kubectl attach` do.
//
//   KEELSON_TRY(dialer, WebSocketDialer::Create(config));
//   std::string output;
//   KEELSON_TRY(exit_code, Exec(*dialer, {"default", "web"},
//                               {.command = {"ls", "/"}, .on_stdout = AppendTo(output)},
//                               {.deadline = Clock::Now() + 1min}));
//
// Over WebSockets, by the subprotocol v5.channel.k8s.io (Kubernetes 1.30 and later) or v4. In v4 there is no end of
// input, for which most commands that read it would wait for ever: with input and without a terminal v5 is required.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/object_key.h"
#include "keelson/client/web_socket_dialer.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"

namespace keelson {

struct TerminalSize {
  uint16_t width = 0;
  uint16_t height = 0;
};

// The functions are called from no more than one thread each: `read_stdin` and `next_terminal_size` on threads of their
// own, and the other two by the thread that called. None is called any more once the call has returned.
struct AttachOptions {
  std::string container = {};  // empty: the pod's default one
  // The next bytes; empty at the end. Waits for them, but not beyond a stop: the call returns only when this does. An
  // error ends the call with it.
  std::function<Result<std::string>(const StopToken& stop)> read_stdin = {};
  // Take the time they need: no more is read from the server than they take, but for a buffer. An error ends the call
  // with it. Without them the output is dropped.
  std::function<Result<void>(std::string_view bytes)> on_stdout = {};
  std::function<Result<void>(std::string_view bytes)> on_stderr = {};  // nothing comes with a terminal
  bool tty = false;
  // With a terminal: its size at first and then whenever it changes; nothing at the end. Waits like read_stdin.
  std::function<std::optional<TerminalSize>(const StopToken& stop)> next_terminal_size = {};
};

struct ExecOptions {
  std::vector<std::string> command = {};
  // As above.
  std::string container = {};
  std::function<Result<std::string>(const StopToken& stop)> read_stdin = {};
  std::function<Result<void>(std::string_view bytes)> on_stdout = {};
  std::function<Result<void>(std::string_view bytes)> on_stderr = {};
  bool tty = false;
  std::function<std::optional<TerminalSize>(const StopToken& stop)> next_terminal_size = {};
};

// The command's exit code, when all its output has been handed on. Errors: the server's, with its Status (no such pod
// or container, not allowed, a command that cannot be started); kUnavailable when the connection ended before the
// command: it may still be running; kCancelled and kTimeout by the scope.
Result<int> Exec(WebSocketDialer& dialer, const ObjectKey& pod, const ExecOptions& options,
                 const CallScope& scope = {});

// The same for the process that the container was started with; 0 when it or the attachment has ended.
Result<int> Attach(WebSocketDialer& dialer, const ObjectKey& pod, const AttachOptions& options,
                   const CallScope& scope = {});

// For on_stdout and on_stderr. The string outlives the call.
std::function<Result<void>(std::string_view bytes)> AppendTo(std::string& text);
// For read_stdin: the text and then the end.
std::function<Result<std::string>(const StopToken& stop)> ReadFrom(std::string text);

}  // namespace keelson
