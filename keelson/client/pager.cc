#include "keelson/client/pager.h"

#include "keelson/api/status_error.h"

namespace keelson {

Result<metav1::ListMeta> ListAllPages(
    ListOptions options, ItemSink& sink,
    const std::function<Result<metav1::ListMeta>(const ListOptions& page, ItemSink& sink)>& list_page) {
  bool later_page = false;
  while (true) {
    Result<metav1::ListMeta> metadata = list_page(options, sink);
    if (!metadata) {
      if (!later_page || !IsExpired(metadata.error()) || !sink.Restart()) return metadata;
      options.continue_token.clear();
      options.page_size = 0;
      return list_page(options, sink);
    }
    if (metadata->continue_.empty()) {
      metadata->remainingItemCount = {};
      return metadata;
    }
    options.continue_token = metadata->continue_.str();
    later_page = true;
  }
}

}  // namespace keelson
