// libcurl, which is loaded when the first proxy asks for it.
//
// It brings some twenty libraries of its own (LDAP, Kerberos, another TLS), which took a third of the start of a
// program and 4 MB of its memory, and most programs never meet a proxy.
//
//   KEELSON_TRY(curl, CurlLibrary::Load());
//   CURL* easy = curl->easy_init();
#pragma once

#include <curl/curl.h>

#include "keelson/core/result.h"

namespace keelson::internal {

// The functions that are used, by their names without curl_.
struct CurlLibrary {
  // Errors: it is not installed, or cannot be used. Thread-safe; loads once.
  static Result<const CurlLibrary*> Load();

  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_pause) easy_pause;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_setopt) multi_setopt;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_assign) multi_assign;
  decltype(&curl_multi_socket_action) multi_socket_action;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_multi_strerror) multi_strerror;
  decltype(&curl_share_init) share_init;
  decltype(&curl_share_cleanup) share_cleanup;
  decltype(&curl_share_setopt) share_setopt;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
};

// For code that runs only behind a Load that has succeeded.
const CurlLibrary& Curl();

}  // namespace keelson::internal
