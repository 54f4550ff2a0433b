#include "keelson/transport/internal/curl_transfer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/transport/internal/curl_library.h"
#include "keelson/transport/internal/request_check.h"

namespace keelson::internal {

namespace {

// Bytes of a unary answer that are held for its reader. Beyond that its connection waits, and with it whatever else
// runs there: libcurl cannot hold back one HTTP/2 stream alone.
constexpr size_t kUnaryBuffer = size_t{32} << 20;
// Set aside at once when a body says that it is that long or longer.
constexpr curl_off_t kMaxReserved = 1 << 20;

curl_blob Blob(const std::string& text) {
  // Not copied: the settings outlive the handle.
  return {.data = const_cast<char*>(text.data()), .len = text.size(), .flags = CURL_BLOB_NOCOPY};
}

template <class Unit>
long Count(Duration span) {
  return static_cast<long>(std::max<int64_t>(1, std::chrono::duration_cast<Unit>(span).count()));
}

bool SameHeaders(const Headers& a, const Headers& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

CurlTransfer::CurlTransfer(CurlSettings& settings, CurlTransferEvents& events, CURLM* multi, bool streaming)
    : settings_(settings), events_(events), multi_(multi), easy_(Curl().easy_init()), streaming_(streaming) {
  if (easy_ == nullptr) throw std::bad_alloc();
  SetConstantOptions();
  if (settings_.endpoint.server.tls) SetTlsOptions();
}

CurlTransfer::~CurlTransfer() {
  if (call_) Cancel(Error::Cancelled("the transport was closed"));
  Curl().easy_cleanup(easy_);
  Curl().slist_free_all(headers_);
  Curl().slist_free_all(connect_to_);
}

CurlTransfer* CurlTransfer::Of(CURL* easy) {
  char* self = nullptr;
  Curl().easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return reinterpret_cast<CurlTransfer*>(self);
}

void CurlTransfer::SetConstantOptions() {
  const CurlTransportOptions& options = settings_.options;
  const CurlEndpoint& endpoint = settings_.endpoint;
  const auto set = [this](CURLoption option, auto value) { Curl().easy_setopt(easy_, option, value); };
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // cancelling does not wait for the resolver's thread
  set(CURLOPT_ERRORBUFFER, error_text_);
  set(CURLOPT_SHARE, settings_.share);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // the proxy does not see our token
  Curl().easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &OnHeader);
  set(CURLOPT_HEADERDATA, this);
  Curl().easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, this);
  Curl().easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &OnRequest);
  set(CURLOPT_PREREQDATA, this);
  Curl().easy_setopt(easy_, CURLOPT_SOCKOPTFUNCTION, &OnSocket);
  set(CURLOPT_SOCKOPTDATA, this);
  set(CURLOPT_CONNECTTIMEOUT_MS, Count<std::chrono::milliseconds>(options.connect_timeout));
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, Count<std::chrono::seconds>(options.keep_alive));
  set(CURLOPT_TCP_KEEPINTVL, Count<std::chrono::seconds>(options.keep_alive / 4));
  if (!options.disable_compression) set(CURLOPT_ACCEPT_ENCODING, "gzip");

  // A stream has a connection of its own and HTTP/1.1 on it, where holding it back for a slow reader holds back nothing
  // else and is done by not reading the socket.
  set(CURLOPT_HTTP_VERSION,
      static_cast<long>(options.http2 && !streaming_ ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  if (streaming_) {
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
  } else {
    set(CURLOPT_PIPEWAIT, 1L);
  }

  // Empty instead of unset: libcurl would read the environment by its own rules.
  set(CURLOPT_PROXY, endpoint.proxy.url.c_str());
  set(CURLOPT_NOPROXY, "");
  if (!endpoint.unix_socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, endpoint.unix_socket.c_str());
  if (!endpoint.server_name.empty() && endpoint.unix_socket.empty()) {
    const std::string target = "::" + BracketedHost(endpoint.server.host) + ":" + std::to_string(endpoint.server.port);
    connect_to_ = Curl().slist_append(nullptr, target.c_str());
    set(CURLOPT_CONNECT_TO, connect_to_);
  }
}

void CurlTransfer::SetTlsOptions() {
  const TlsTexts& tls = settings_.tls;
  const auto set = [this](CURLoption option, auto value) { Curl().easy_setopt(easy_, option, value); };
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (settings_.options.tls.insecure_skip_verify) {
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!tls.ca.empty()) {
    curl_blob ca = Blob(tls.ca);
    set(CURLOPT_CAINFO_BLOB, &ca);
    // Only that authority is trusted for the server; for a proxy the system's are too.
    set(CURLOPT_CAINFO, static_cast<char*>(nullptr));
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
    set(CURLOPT_PROXY_CAINFO_BLOB, &ca);
  }
  if (!tls.certificate.empty()) {
    curl_blob certificate = Blob(tls.certificate);
    curl_blob key = Blob(tls.key);
    set(CURLOPT_SSLCERT_BLOB, &certificate);
    set(CURLOPT_SSLKEY_BLOB, &key);
  }
  Curl().easy_setopt(easy_, CURLOPT_SSL_CTX_FUNCTION, &OnTlsContext);
  set(CURLOPT_SSL_CTX_DATA, &settings_.peer);
}

CURLcode CurlTransfer::OnTlsContext(CURL*, void* ssl_ctx, void* peer) {
  RecordPeerCertificate(ssl_ctx, static_cast<PeerCertificate*>(peer));
  return CURLE_OK;
}

// A peer that is gone without a word is noticed when what we sent (a probe, if we had nothing to say) stays unanswered.
int CurlTransfer::OnSocket(void* self, curl_socket_t socket, curlsocktype) {
  const Duration keep_alive = static_cast<CurlTransfer*>(self)->settings_.options.keep_alive;
  const auto patience = static_cast<unsigned>(Count<std::chrono::milliseconds>(keep_alive + keep_alive / 2));
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);  // not for unix sockets
  return CURL_SOCKOPT_OK;
}

// Right before the request is sent. libcurl sends it once more by itself when a connection used before turns out to be
// dead; by then the server may have acted on it.
int CurlTransfer::OnRequest(void* self, char*, char*, int, int) {
  CurlCall& call = *static_cast<CurlTransfer*>(self)->call_;
  if (call.sent.exchange(true) && !CanBeRepeated(call.request.method)) return CURL_PREREQFUNC_ABORT;
  return CURL_PREREQFUNC_OK;
}

void CurlTransfer::SetMethod(const HttpRequest& request) {
  const bool head = request.method == "HEAD";
  const bool with_body =
      !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (request.method != method_ || with_body != with_body_) {
    method_ = request.method;
    with_body_ = with_body;
    Curl().easy_setopt(easy_, CURLOPT_NOBODY, 0L);
    Curl().easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
    if (with_body) Curl().easy_setopt(easy_, CURLOPT_POST, 1L);
    if (head) Curl().easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    const bool known = head || method_ == (with_body ? "POST" : "GET");
    Curl().easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, known ? nullptr : method_.c_str());
  }
  if (with_body) {
    Curl().easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    Curl().easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.data());  // not copied: the call owns it
  }
}

void CurlTransfer::SetHeaders(const HttpRequest& request) {
  if (headers_ != nullptr && SameHeaders(headers_of_, request.headers)) return;
  curl_slist* list = nullptr;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = Curl().slist_append(list, line.c_str());
    if (longer != nullptr) list = longer;
  };
  add("Expect:");
  // An empty one would be sent as "Content-Type: application/x-www-form-urlencoded".
  if (request.headers.Find("Content-Type") == nullptr) add("Content-Type:");
  if (!settings_.endpoint.server_name.empty() && request.headers.Find("Host") == nullptr) {
    add("Host: " + settings_.endpoint.server.Authority());
  }
  for (const auto& [name, value] : request.headers) {
    add(value.empty() ? std::string(name) + ";" : std::string(name).append(": ").append(value));
  }
  Curl().easy_setopt(easy_, CURLOPT_HTTPHEADER, list);
  Curl().slist_free_all(std::exchange(headers_, list));
  headers_of_ = request.headers;
}

void CurlTransfer::Start(std::shared_ptr<CurlCall> call) {
  call_ = std::move(call);
  call_->transfer = this;
  status_ = 0;
  answer_headers_ = {};
  answered_ = false;
  error_text_[0] = '\0';
  const ServerAddress& server = settings_.endpoint.server;
  const std::string& server_name = settings_.endpoint.server_name;
  url_ = server.tls ? "https://" : "http://";
  url_ += BracketedHost(server_name.empty() ? server.host : server_name);
  url_ += ':';
  url_ += std::to_string(server.port);
  url_ += server.prefix;
  url_ += call_->request.target;
  Curl().easy_setopt(easy_, CURLOPT_URL, url_.c_str());
  SetMethod(call_->request);
  SetHeaders(call_->request);
  if (const CURLMcode code = Curl().multi_add_handle(multi_, easy_); code != CURLM_OK) {
    End(Error::Internal(std::string("libcurl does not take the request: ") + Curl().multi_strerror(code)));
  }
}

void CurlTransfer::Resume() { Curl().easy_pause(easy_, CURLPAUSE_CONT); }

void CurlTransfer::Cancel(Error error) {
  Curl().multi_remove_handle(multi_, easy_);
  End(std::move(error));
}

void CurlTransfer::Finish(CURLcode code) {
  std::optional<Error> error;
  if (code != CURLE_OK || !answered_) {
    CurlFailure failure{.code = code == CURLE_OK ? CURLE_GOT_NOTHING : code,
                        .text = *error_text_ != '\0' ? error_text_ : Curl().easy_strerror(code),
                        .sent = call_->sent.load(),
                        .answered = answered_,
                        .peer = settings_.peer};
    long number = 0;
    if (Curl().easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number) == CURLE_OK) failure.os_error = static_cast<int>(number);
    Curl().easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &failure.proxy_status);
    error = ToError(failure, settings_.endpoint);
  }
  Curl().multi_remove_handle(multi_, easy_);
  End(std::move(error));
}

void CurlTransfer::End(std::optional<Error> error) {
  {
    MutexLock lock(call_->mutex);
    call_->ended = true;
    call_->error = std::move(error);
  }
  events_.OnProgress(*this);
  call_->transfer = nullptr;
  call_.reset();
}

size_t CurlTransfer::OnHeader(char* bytes, size_t size, size_t count, void* self) {
  static_cast<CurlTransfer*>(self)->HeaderLine({bytes, size * count});
  return size * count;
}

void CurlTransfer::HeaderLine(std::string_view line) {
  if (answered_) return;  // a trailer
  if (line.starts_with("HTTP/")) {
    answer_headers_ = {};
    const size_t space = std::min(line.find(' '), line.size());
    line = Trimmed(line.substr(space));
    status_ = 0;
    std::from_chars(line.data(), line.data() + line.size(), status_);
    return;
  }
  const std::string_view whole = Trimmed(line);
  if (!whole.empty()) {
    const size_t colon = whole.find(':');
    if (colon == whole.npos || colon == 0) return;
    answer_headers_.Add(std::string(whole.substr(0, colon)), std::string(Trimmed(whole.substr(colon + 1))));
    return;
  }
  if (status_ < 200 && status_ != 101) return;  // more to come
  answered_ = true;
  size_t expected = 0;
  if (const std::string_view* encoding = answer_headers_.Find("Content-Encoding");
      encoding != nullptr && EqualsIgnoringCase(*encoding, "gzip") && !settings_.options.disable_compression) {
    // As the body is delivered, which is unpacked.
    answer_headers_.Remove("Content-Encoding");
    answer_headers_.Remove("Content-Length");
  } else {
    curl_off_t length = 0;
    if (Curl().easy_getinfo(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == CURLE_OK && length > 0) {
      expected = static_cast<size_t>(std::min(length, kMaxReserved));
    }
  }
  {
    MutexLock lock(call_->mutex);
    call_->status = status_;
    call_->headers = std::move(answer_headers_);
    call_->answered = true;
    if (method_ != "HEAD") call_->incoming.reserve(expected);
  }
  events_.OnProgress(*this);
}

size_t CurlTransfer::OnBody(char* bytes, size_t size, size_t count, void* data) {
  CurlTransfer& self = *static_cast<CurlTransfer*>(data);
  const size_t length = size * count;
  const size_t limit = self.streaming_ ? self.settings_.options.stream_buffer : kUnaryBuffer;
  bool paused = false;
  {
    MutexLock lock(self.call_->mutex);
    std::string& incoming = self.call_->incoming;
    paused = !incoming.empty() && incoming.size() + length > limit;
    if (paused) {
      self.call_->paused = true;
    } else {
      incoming.append(bytes, length);
    }
  }
  if (paused) {
    self.events_.OnPaused(self);
    return CURL_WRITEFUNC_PAUSE;
  }
  self.events_.OnProgress(self);
  return length;
}

}  // namespace keelson::internal
