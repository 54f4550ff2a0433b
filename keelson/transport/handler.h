// What serves requests, whether they come by sockets or from the same process.
//
//   class Hello : public HttpHandler {
//     void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
//       response->Start(200, {{"Content-Type", "text/plain"}});
//       response->Write("hello\n");
//       response->Finish();
//     }
//   };
//
// Handle returns soon: it is called on the thread that reads the sockets. An answer that takes long or goes on (a
// watch) keeps the writer and goes on from whatever thread has news.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "keelson/api/string.h"
#include "keelson/transport/http_message.h"

namespace keelson {

// Who is at the other end.
struct Peer {
  std::string address = {};  // "127.0.0.1:41234"; "in-process"
  bool tls = false;
  // Of a client certificate that the server's client CA vouches for; else all empty.
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::string certificate_pem = {};
};

// Of a request that came from nowhere.
std::shared_ptr<const Peer> NoPeer();

struct ServerRequest {
  std::string method = {};
  std::string path = {};   // as it came, percent-encoded
  std::string query = {};  // behind `?`, as it came
  Headers headers = {};
  std::string body = {};
  // Never null. Shared by all requests of a connection.
  std::shared_ptr<const Peer> peer = NoPeer();
};

// A body that is made as the client takes it: of a long one no more than the part under way is in memory.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The bytes that are left.
  virtual size_t size() const = 0;
  // Appends the next ones to `out`: `max`, or all that are left. Called by one thread at a time, not always the same.
  virtual void Read(size_t max, std::string& out) = 0;
};

// Thread-safe. Bytes are never dropped while the client is there; whoever writes without end looks at pending().
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;  // an answer that was not finished ends the stream with an error

  // Once, before the first Write.
  virtual void Start(int status, Headers headers) = 0;
  // The bytes are shared, not copied. False when the client has gone: no more need be written.
  virtual bool Write(String bytes) = 0;
  // The rest of the body, pending() from now on; Finish alone may follow.
  virtual bool WriteFrom(std::unique_ptr<BodySource> body) = 0;
  // The end. Trailers are not sent.
  virtual void Finish() = 0;

  // Bytes written and not yet taken by the client.
  virtual size_t pending() const = 0;
  // `drained` runs each time pending() falls to zero, `closed` once when the client goes or the server drains: never
  // from inside a call of this class but this one, which runs `closed` if that has happened already. Set at most once.
  // One may still be running when the writer is destroyed, so they hold weak references only.
  virtual void OnEvents(std::function<void()> drained, std::function<void()> closed) = 0;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) = 0;
};

// A whole answer at once.
void Respond(ResponseWriter& response, int status, std::string_view content_type, std::string body);

}  // namespace keelson
