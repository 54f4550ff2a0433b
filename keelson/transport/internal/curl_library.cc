// curl/curl.h wraps some functions in macros that check types; those have no address.
#define CURL_DISABLE_TYPECHECK
#include "keelson/transport/internal/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace keelson::internal {

namespace {

constexpr const char* kFile = "libcurl.so.4";  // of every version since 2006

std::string WhyNot() {
  const char* why = dlerror();
  return why == nullptr ? "" : why;
}

Result<CurlLibrary> LoadLibrary() {
  const auto unusable = [](const std::string& why) {
    return Error::Unsupported("a proxy needs libcurl with OpenSSL, and " + std::string(kFile) + " cannot be used: " +
                              why + "; install it (Debian: libcurl4), or name no proxy for this server by NO_PROXY");
  };
  void* library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);  // stays for the life of the process
  if (library == nullptr) return unusable(WhyNot());
  CurlLibrary curl = {};
  std::string missing;
  const auto find = [&]<class Function>(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = WhyNot();
  };
  find("curl_global_init", curl.global_init);
  find("curl_easy_init", curl.easy_init);
  find("curl_easy_cleanup", curl.easy_cleanup);
  find("curl_easy_setopt", curl.easy_setopt);
  find("curl_easy_getinfo", curl.easy_getinfo);
  find("curl_easy_pause", curl.easy_pause);
  find("curl_easy_strerror", curl.easy_strerror);
  find("curl_multi_init", curl.multi_init);
  find("curl_multi_cleanup", curl.multi_cleanup);
  find("curl_multi_setopt", curl.multi_setopt);
  find("curl_multi_add_handle", curl.multi_add_handle);
  find("curl_multi_remove_handle", curl.multi_remove_handle);
  find("curl_multi_assign", curl.multi_assign);
  find("curl_multi_socket_action", curl.multi_socket_action);
  find("curl_multi_info_read", curl.multi_info_read);
  find("curl_multi_strerror", curl.multi_strerror);
  find("curl_share_init", curl.share_init);
  find("curl_share_cleanup", curl.share_cleanup);
  find("curl_share_setopt", curl.share_setopt);
  find("curl_slist_append", curl.slist_append);
  find("curl_slist_free_all", curl.slist_free_all);
  if (!missing.empty()) return unusable(missing);
  if (const CURLcode code = curl.global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK) {
    return unusable(curl.easy_strerror(code));
  }
  return curl;
}

const Result<CurlLibrary>& Loaded() {
  static const Result<CurlLibrary> library = LoadLibrary();
  return library;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::Load() {
  const Result<CurlLibrary>& library = Loaded();
  if (!library) return library.error();
  return &*library;
}

const CurlLibrary& Curl() { return *Loaded(); }

}  // namespace keelson::internal
