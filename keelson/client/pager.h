// Lists in pages: all of them one after another, or each by itself.
//
//   for (Result<ObjectList<corev1::Pod>>& page : client.Pages<corev1::Pod>({.page_size = 100})) {
//     if (!page) return page.error();
//     for (const corev1::Pod& pod : *page) …
//   }
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "keelson/client/item_sink.h"
#include "keelson/client/options.h"
#include "keelson/core/result.h"

namespace keelson {

// Asks for pages until all are there. A page that has expired (somebody's list took longer than the server keeps
// versions) makes it begin anew with all in one answer, if the sink can.
Result<metav1::ListMeta> ListAllPages(
    ListOptions options, ItemSink& sink,
    const std::function<Result<metav1::ListMeta>(const ListOptions& page, ItemSink& sink)>& list_page);

// An input range: each step is a request. Ends behind the last page or the first error.
template <class T>
class PageRange {
 public:
  using ListPage = std::function<Result<metav1::ListMeta>(const ListOptions& page, ItemSink& sink)>;

  PageRange(ListOptions options, ListPage list_page) : options_(std::move(options)), list_page_(std::move(list_page)) {}

  class iterator {
   public:
    using value_type = Result<ObjectList<T>>;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    explicit iterator(PageRange* range) : range_(range) {}
    value_type& operator*() const { return *range_->current_; }
    value_type* operator->() const { return &*range_->current_; }
    iterator& operator++() {
      range_->Advance();
      return *this;
    }
    void operator++(int) { range_->Advance(); }
    bool operator==(std::default_sentinel_t) const { return !range_->current_.has_value(); }

   private:
    PageRange* range_ = nullptr;
  };

  iterator begin() {
    if (!current_ && !last_) Advance();
    return iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  void Advance() {
    current_.reset();
    if (last_) return;
    ObjectList<T> page;
    internal::VectorSink<T> sink(page.items);
    Result<metav1::ListMeta> metadata = list_page_(options_, sink);
    if (!metadata) {
      last_ = true;
      current_.emplace(std::move(metadata).error());
      return;
    }
    page.metadata = *std::move(metadata);
    options_.continue_token = page.metadata.continue_.str();
    last_ = options_.continue_token.empty();
    current_.emplace(std::move(page));
  }

  ListOptions options_;
  ListPage list_page_;
  std::optional<Result<ObjectList<T>>> current_;
  bool last_ = false;
};

}  // namespace keelson
