// The server with TLS: who is let in, what is agreed upon, and certificates that change under way.
#include <curl/curl.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/log.h"
#include "keelson/core/thread.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/http_server_test_support.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

struct Fetched {
  CURLcode code = CURLE_OK;
  long status = 0;
  long version = 0;  // CURL_HTTP_VERSION_…
  std::string body;
};

// One libcurl handle, which keeps its connection. Used by one thread.
class CurlClient {
 public:
  struct Options {
    std::string ca;
    TestCertificate own = {};
    long version = CURL_HTTP_VERSION_2TLS;
    long tls = CURL_SSLVERSION_DEFAULT;
    bool alpn = true;
  };

  explicit CurlClient(const Options& options) : handle_(curl_easy_init()) {
    const auto blob = [](const std::string& text) {
      return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
    };
    curl_blob ca = blob(options.ca);
    curl_easy_setopt(handle_, CURLOPT_CAINFO_BLOB, &ca);
    if (!options.own.certificate.empty()) {
      curl_blob certificate = blob(options.own.certificate), key = blob(options.own.key);
      curl_easy_setopt(handle_, CURLOPT_SSLCERT_BLOB, &certificate);
      curl_easy_setopt(handle_, CURLOPT_SSLKEY_BLOB, &key);
    }
    curl_easy_setopt(handle_, CURLOPT_HTTP_VERSION, options.version);
    curl_easy_setopt(handle_, CURLOPT_SSLVERSION, options.tls);
    curl_easy_setopt(handle_, CURLOPT_SSL_ENABLE_ALPN, options.alpn ? 1L : 0L);
    curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle_, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(std::chrono::milliseconds(kPatience).count()));
  }
  ~CurlClient() { curl_easy_cleanup(handle_); }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  Fetched Get(const std::string& url, std::function<void(std::string_view)> on_bytes = nullptr) {
    Fetched fetched;
    struct Sink {
      std::string& body;
      const std::function<void(std::string_view)>& on_bytes;
    } sink{fetched.body, on_bytes};
    curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &sink);
    curl_easy_setopt(
        handle_, CURLOPT_WRITEFUNCTION, +[](char* data, size_t, size_t size, void* to) {
          Sink& target = *static_cast<Sink*>(to);
          target.body.append(data, size);
          if (target.on_bytes) target.on_bytes({data, size});
          return size;
        });
    fetched.code = curl_easy_perform(handle_);
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &fetched.status);
    curl_easy_getinfo(handle_, CURLINFO_HTTP_VERSION, &fetched.version);
    return fetched;
  }

 private:
  CURL* const handle_;
};

// Who it is that asks.
void WhoAmI(ServerRequest request, std::shared_ptr<ResponseWriter> response) {
  std::string text = request.peer->tls ? "tls " : "plain ";
  text += request.peer->common_name;
  for (const std::string& organization : request.peer->organizations) text += ',' + organization;
  text += request.peer->certificate_pem.starts_with("-----BEGIN CERTIFICATE-----") ? " pem" : "";
  Respond(*response, 200, "text/plain", std::move(text));
}

TlsServerOptions Serving(const TestCertificate& certificate) {
  return {.certificate = {.text = certificate.certificate}, .key = {.text = certificate.key}};
}

TEST(TlsServer, AgreesOnTheProtocol) {
  const TestAuthority authority;
  FunctionHandler handler(WhoAmI);
  const auto server = StartOrDie(handler, {.tls = Serving(authority.IssueServer())});
  EXPECT_EQ(server->url(), "https://127.0.0.1:" + std::to_string(server->port()));
  const auto get = [&](long version, long tls, bool alpn) {
    return CurlClient({.ca = authority.certificate(), .version = version, .tls = tls, .alpn = alpn}).Get(server->url());
  };
  const Fetched http2 = get(CURL_HTTP_VERSION_2TLS, CURL_SSLVERSION_DEFAULT, true);
  EXPECT_EQ(http2.code, CURLE_OK);
  EXPECT_EQ(http2.version, CURL_HTTP_VERSION_2_0);
  EXPECT_EQ(http2.body, "tls ");
  EXPECT_EQ(get(CURL_HTTP_VERSION_1_1, CURL_SSLVERSION_DEFAULT, true).version, CURL_HTTP_VERSION_1_1);
  EXPECT_EQ(get(CURL_HTTP_VERSION_1_1, CURL_SSLVERSION_DEFAULT, false).body, "tls ");
  EXPECT_EQ(get(CURL_HTTP_VERSION_2TLS, long{CURL_SSLVERSION_TLSv1_2} | CURL_SSLVERSION_MAX_TLSv1_2, true).version,
            CURL_HTTP_VERSION_2_0);
  EXPECT_EQ(get(CURL_HTTP_VERSION_2TLS, long{CURL_SSLVERSION_TLSv1_0} | CURL_SSLVERSION_MAX_TLSv1_1, true).code,
            CURLE_SSL_CONNECT_ERROR);
}

TEST(TlsServer, SurvivesWhatIsNotTls) {
  const TestAuthority authority;
  FunctionHandler handler(WhoAmI);
  const auto secure = StartOrDie(handler, {.tls = Serving(authority.IssueServer()), .header_timeout = 100ms});
  RawClient client(secure->port());
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadToEnd().find("HTTP/1.1 200"), std::string::npos);
  RawClient silent(secure->port());  // the handshake is within the time of the header
  silent.ReadToEnd();
  EXPECT_EQ(CurlClient({.ca = authority.certificate()}).Get(secure->url()).body, "tls ");
}

TEST(TlsServer, KnowsClientsByTheirCertificates) {
  const TestAuthority authority, clients("clients"), strangers("strangers");
  FunctionHandler handler(WhoAmI);
  TlsServerOptions tls = Serving(authority.IssueServer());
  tls.client_ca.text = clients.certificate();
  const auto server = StartOrDie(handler, {.tls = tls});
  const auto get = [&](const TestCertificate& own) {
    return CurlClient({.ca = authority.certificate(), .own = own}).Get(server->url());
  };
  EXPECT_EQ(get(clients.IssueClient("alice", {"system:masters", "dev"})).body, "tls alice,system:masters,dev pem");
  EXPECT_EQ(get(clients.IssueClient("bob")).body, "tls bob pem");
  EXPECT_EQ(get({}).body, "tls ");
  EXPECT_NE(get(strangers.IssueClient("mallory")).code, CURLE_OK);
  EXPECT_NE(get(clients.Issue({.common_name = "late", .not_before = -2h, .not_after = -1h})).code, CURLE_OK);
  EXPECT_NE(get(clients.Issue({.common_name = "server", .client = false})).code, CURLE_OK);

  tls.require_client_certificate = true;
  const auto strict = StartOrDie(handler, {.tls = tls});
  const auto get_strict = [&](const TestCertificate& own) {
    return CurlClient({.ca = authority.certificate(), .own = own}).Get(strict->url());
  };
  EXPECT_EQ(get_strict(clients.IssueClient("carol")).body, "tls carol pem");
  EXPECT_NE(get_strict({}).code, CURLE_OK);
}

TEST(TlsServer, WithoutAClientCaCertificatesAreNotAskedFor) {
  const TestAuthority authority;
  FunctionHandler handler(WhoAmI);
  const auto server = StartOrDie(handler, {.tls = Serving(authority.IssueServer())});
  EXPECT_EQ(CurlClient({.ca = authority.certificate(), .own = authority.IssueClient("alice")}).Get(server->url()).body,
            "tls ");
}

TEST(TlsServer, ServesAChain) {
  const TestAuthority root("root");
  const TestAuthority between("between", &root);
  TestCertificate own = between.IssueServer();
  own.certificate += between.certificate();
  FunctionHandler handler(WhoAmI);
  const auto server = StartOrDie(handler, {.tls = Serving(own)});
  EXPECT_EQ(CurlClient({.ca = root.certificate()}).Get(server->url()).body, "tls ");
}

TEST(TlsServer, ReadsChangedFilesWithoutDroppingConnections) {
  const TestAuthority before("before"), after("after");
  TemporaryDirectory directory;
  const auto write = [&](const TestCertificate& certificate) {
    directory.Write("tls.key", certificate.key);
    directory.Write("tls.crt", certificate.certificate);
  };
  write(before.IssueServer());
  directory.Write("ca.crt", before.certificate());
  Awaited<std::shared_ptr<ResponseWriter>> stream;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path != "/stream") return WhoAmI(std::move(request), std::move(response));
    response->Start(200, {});
    response->Write("before ");
    stream.Set(std::move(response));
  });
  const auto server = StartOrDie(handler, {.tls = TlsServerOptions{.certificate = {.file = directory.Path("tls.crt")},
                                                                   .key = {.file = directory.Path("tls.key")},
                                                                   .client_ca = {.file = directory.Path("ca.crt")}}});
  Awaited<Fetched> streamed;
  Counted bytes;
  Thread watching("watching", [&] {
    streamed.Set(CurlClient({.ca = before.certificate()}).Get(server->url() + "/stream", [&](std::string_view text) {
      bytes.Add(static_cast<int64_t>(text.size()));
    }));
  });
  ASSERT_TRUE(bytes.WaitFor(7));
  CurlClient kept({.ca = before.certificate()});
  EXPECT_EQ(kept.Get(server->url()).body, "tls ");

  write(after.IssueServer());
  EXPECT_EQ(CurlClient({.ca = after.certificate()}).Get(server->url()).body, "tls ");
  EXPECT_EQ(CurlClient({.ca = before.certificate()}).Get(server->url()).code, CURLE_PEER_FAILED_VERIFICATION);
  EXPECT_EQ(kept.Get(server->url()).body, "tls ");

  // The client CA as well.
  const TestCertificate alice = after.IssueClient("alice");
  EXPECT_NE(CurlClient({.ca = after.certificate(), .own = alice}).Get(server->url()).code, CURLE_OK);
  directory.Write("ca.crt", after.certificate());
  EXPECT_EQ(CurlClient({.ca = after.certificate(), .own = alice}).Get(server->url()).body, "tls alice pem");

  const std::shared_ptr<ResponseWriter> response = *stream.Wait();
  EXPECT_TRUE(response->Write("after"));
  response->Finish();
  EXPECT_EQ(streamed.Wait()->body, "before after");
}

TEST(TlsServer, KeepsTheLastGoodCertificate) {
  const TestAuthority authority;
  TemporaryDirectory directory;
  const TestCertificate good = authority.IssueServer();
  FunctionHandler handler(WhoAmI);
  const TlsServerOptions tls{.certificate = {.file = directory.Write("tls.crt", good.certificate)},
                             .key = {.file = directory.Write("tls.key", good.key)}};
  const auto server = StartOrDie(handler, {.tls = tls});
  const auto works = [&] { return CurlClient({.ca = authority.certificate()}).Get(server->url()).body == "tls "; };
  ScopedLogCapture log;
  const auto complaints = [&] {
    int count = 0;
    for (const std::string& line : log.lines()) count += line.find("cannot be used") != std::string::npos;
    return count;
  };
  EXPECT_TRUE(works());
  EXPECT_EQ(complaints(), 0);
  directory.Write("tls.crt", authority.IssueServer().certificate);  // not the key's
  EXPECT_TRUE(works());
  EXPECT_TRUE(works());
  EXPECT_EQ(complaints(), 1);
  directory.Write("tls.crt", "rubbish");
  EXPECT_TRUE(works());
  EXPECT_TRUE(works());
  EXPECT_EQ(complaints(), 2);
  std::filesystem::remove(directory.Path("tls.key"));
  EXPECT_TRUE(works());
  EXPECT_EQ(complaints(), 3);
  const TestCertificate better = authority.IssueServer();
  directory.Write("tls.key", better.key);
  directory.Write("tls.crt", better.certificate);
  EXPECT_TRUE(works());
  EXPECT_EQ(complaints(), 3);
  for (const std::string& line : log.lines()) EXPECT_EQ(line.find("rubbish"), std::string::npos);
}

TEST(TlsServer, SaysWhatIsWrongWithCertificates) {
  const TestAuthority authority;
  const TestCertificate good = authority.IssueServer();
  FunctionHandler handler(WhoAmI);
  const auto message = [&](const TlsServerOptions& tls) {
    const auto server = HttpServer::Start(handler, {.tls = tls});
    return server ? std::string() : server.error().message();
  };
  EXPECT_NE(message({}).find("needs a certificate and its key"), std::string::npos);
  EXPECT_NE(message({.certificate = {.file = "/nowhere/tls.crt"}, .key = {.text = good.key}}).find("/nowhere/tls.crt"),
            std::string::npos);
  EXPECT_NE(message({.certificate = {.text = "x"}, .key = {.text = good.key}}).find("PEM block CERTIFICATE"),
            std::string::npos);
  EXPECT_NE(message({.certificate = {.text = good.certificate}, .key = {.text = "x"}}).find("private key"),
            std::string::npos);
  EXPECT_NE(message({.certificate = {.text = good.certificate}, .key = {.text = authority.IssueServer().key}})
                .find("does not belong to its certificate"),
            std::string::npos);
  TlsServerOptions tls = Serving(good);
  tls.client_ca.text = "x";
  EXPECT_NE(message(tls).find("client CA"), std::string::npos);
  tls.client_ca.text.clear();
  tls.require_client_certificate = true;
  EXPECT_NE(message(tls).find("tls.client_ca"), std::string::npos);
}

TEST(TlsServer, CarriesLargeAnswers) {
  const TestAuthority authority;
  std::string large;
  for (int i = 0; large.size() < (20u << 20); ++i) large += std::to_string(i) + ' ';
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    for (size_t at = 0, size = 1; at < large.size(); at += size, size = size * 3 / 2 + 1) {
      size = std::min(size, large.size() - at);
      response->Write(std::string_view(large).substr(at, size));
    }
    response->Finish();
  });
  const auto server = StartOrDie(handler, {.tls = Serving(authority.IssueServer())});
  for (const long version : {CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_2TLS}) {
    const Fetched fetched = CurlClient({.ca = authority.certificate(), .version = version}).Get(server->url());
    EXPECT_EQ(fetched.code, CURLE_OK);
    EXPECT_TRUE(fetched.body == large);
  }
}

TEST(TlsServer, ServesManyAtOnce) {
  const TestAuthority authority;
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.tls = Serving(authority.IssueServer())});
  std::atomic<int> right = 0;
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 32; ++t) {
      threads.emplace_back("client-" + std::to_string(t), [&, t] {
        CurlClient client({.ca = authority.certificate()});
        for (int i = 0; i < 32; ++i) {
          const std::string path = "/" + std::to_string(t) + "/" + std::to_string(i);
          if (client.Get(server->url() + path).body == "GET " + path + " ?\n") ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 1024);
}

}  // namespace
}  // namespace keelson
