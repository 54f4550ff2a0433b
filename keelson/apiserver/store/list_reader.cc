#include "keelson/apiserver/store/list_reader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace keelson::apiserver::internal {
namespace {

// Long enough that locking does not count, short enough that a writer does not wait long for it.
constexpr size_t kSlice = 4096;

struct Slice {
  std::vector<ObjectPtr> objects;
  bool last = false;  // nothing behind it
  size_t behind = 0;  // keys behind it
};

class Reader {
 public:
  Reader(const Collection& collection, const ListQuery& query, const std::atomic<Revision>& revision)
      : collection_(collection),
        query_(query),
        revision_(revision),
        at_(query.revision),
        after_namespace_(query.after_namespace),
        after_name_(query.after_name) {}

  Revision at() const { return at_; }

  // The next objects in order, at most `most`.
  Result<void> Next(size_t most, Slice& slice) {
    slice.objects.clear();
    ReaderLock lock(collection_.mutex);
    const Revision current = revision_.load(std::memory_order_acquire);
    if (at_ == 0) at_ = current;
    if (at_ > current) return Error(ErrorCode::kTimeout, "revision is still to come");
    if (at_ < collection_.log.oldest()) return Error(ErrorCode::kExpired, "revision is no longer remembered");

    const EventLog& log = collection_.log;
    const EventLog::Iterator newer = log.After(at_);
    Undo(newer);
    Merge(most, newer != log.events_end(), slice);
    if (!slice.objects.empty()) {
      after_namespace_ = slice.objects.back()->namespace_();
      after_name_ = slice.objects.back()->name();
    }
    if (!slice.last && query_.limit != 0) slice.behind = CountBehind(newer);
    return {};
  }

 private:
  bool Wanted(std::string_view namespace_, std::string_view name) const {
    if (!query_.namespace_.empty() && namespace_ != query_.namespace_) return false;
    return after_name_.empty() || CompareKeys(namespace_, name, after_namespace_, after_name_) > 0;
  }
  ObjectIndex::Iterator Begin() const {
    // A continuation from another namespace means the whole of this one, or nothing.
    if (!query_.namespace_.empty()) {
      const int order = after_name_.empty() ? -1 : CompareNamespaces(after_namespace_, query_.namespace_);
      if (order < 0) return collection_.index.Behind(query_.namespace_, "");
      if (order > 0) return End();
    }
    if (after_name_.empty()) return collection_.index.begin();
    return collection_.index.Behind(after_namespace_, after_name_);
  }
  ObjectIndex::Iterator End() const {
    return query_.namespace_.empty() ? collection_.index.end() : collection_.index.BehindNamespace(query_.namespace_);
  }

  // Collects what was there at the revision and was replaced or deleted since. The event that did so is the one whose
  // previous object is not newer than the revision.
  void Undo(EventLog::Iterator newer) {
    undone_.clear();
    for (; newer != collection_.log.events_end(); ++newer) {
      const ObjectPtr& previous = (*newer)->previous();
      if (previous == nullptr || previous->revision() > at_) continue;
      if (Wanted(previous->namespace_(), previous->name())) undone_.push_back(previous);
    }
    std::sort(undone_.begin(), undone_.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
      return CompareKeys(a->namespace_(), a->name(), b->namespace_(), b->name()) < 0;
    });
  }

  void Merge(size_t most, bool changed, Slice& slice) const {
    auto undone = undone_.begin();
    ObjectIndex::Iterator next = Begin();
    const ObjectIndex::Iterator end = End();
    if (!changed) slice.objects.reserve(std::min(most, collection_.index.Distance(next, end)));
    while (slice.objects.size() < most) {
      if (changed) {
        while (next != end && (*next)->revision() > at_) ++next;
      }
      if (next == end && undone == undone_.end()) {
        slice.last = true;
        return;
      }
      const bool from_past =
          undone != undone_.end() && (next == end || CompareKeys((*undone)->namespace_(), (*undone)->name(),
                                                                 (*next)->namespace_(), (*next)->name()) < 0);
      if (from_past) {
        slice.objects.push_back(*undone++);
      } else {
        slice.objects.push_back(*next);
        ++next;
      }
    }
    slice.last = next == end && undone == undone_.end();
  }

  // How many keys there were behind the slice's last one: those of now, with the creations and deletions since undone.
  size_t CountBehind(EventLog::Iterator newer) const {
    size_t count = collection_.index.Distance(Begin(), End());
    for (; newer != collection_.log.events_end(); ++newer) {
      const Event& event = **newer;
      if (event.kind() == Event::Kind::kUpdated) continue;
      if (!Wanted(event.object()->namespace_(), event.object()->name())) continue;
      event.kind() == Event::Kind::kCreated ? --count : ++count;
    }
    return count;
  }

  const Collection& collection_;
  const ListQuery& query_;
  const std::atomic<Revision>& revision_;
  Revision at_;
  String after_namespace_;
  String after_name_;
  std::vector<ObjectPtr> undone_;
};

Result<ListPage> ReadPage(const Collection& collection, const ListQuery& query, const std::atomic<Revision>& revision,
                          size_t most) {
  Reader reader(collection, query, revision);
  ListPage page;
  Slice slice;
  size_t skipped = 0;  // keys passed over behind the last item
  while (!slice.last) {
    // One more than the limit tells whether there are more.
    const size_t enough = query.limit == 0 ? most : query.limit - page.items.size() + 1;
    KEELSON_RETURN_IF_ERROR(reader.Next(query.matches ? most : std::min(most, enough), slice));
    if (page.items.empty() && !query.matches && slice.last &&
        (query.limit == 0 || slice.objects.size() <= query.limit)) {
      page.items = std::move(slice.objects);
      break;
    }
    for (size_t i = 0; i < slice.objects.size(); ++i) {
      ObjectPtr& object = slice.objects[i];
      if (query.matches && !query.matches(*object)) {
        ++skipped;
        continue;
      }
      if (query.limit != 0 && page.items.size() == query.limit) {
        page.more = true;
        page.remaining = skipped + (slice.objects.size() - i) + slice.behind;
        page.revision = reader.at();
        return page;
      }
      page.items.push_back(std::move(object));
      skipped = 0;
    }
  }
  page.revision = reader.at();
  return page;
}

}  // namespace

Result<ListPage> ReadList(const Collection& collection, const ListQuery& query, const std::atomic<Revision>& revision) {
  Result<ListPage> page = ReadPage(collection, query, revision, kSlice);
  // The newest state was asked for, and so much was written meanwhile that the log no longer reaches back to where it
  // began: once more, in one piece.
  if (query.revision == 0 && !page && page.error().code() == ErrorCode::kExpired) {
    return ReadPage(collection, query, revision, std::numeric_limits<size_t>::max());
  }
  return page;
}

}  // namespace keelson::apiserver::internal
