// Which informer answers for a kind and a namespace, looked up at every read of a client.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/gvk.h"
#include "keelson/cache/shared_informer.h"
#include "keelson/client/resource.h"
#include "keelson/core/leaf_mutex.h"

namespace keelson {

// What answers for a kind, or a part of it.
struct KindCache {
  std::shared_ptr<SharedInformer> informer = nullptr;  // null: there is none
  uint32_t kind = 0;                                   // a number that stands for the kind
  bool only = true;                                    // no other informer has these objects, or their metadata

  explicit operator bool() const { return informer != nullptr; }
};

namespace internal {

// The names of a target's kind, without copies. Good as long as the target, and the type's table.
struct KindNames {
  explicit KindNames(const Target& target);

  std::string_view group;
  std::string_view version;
  std::string_view kind;  // empty where only the resource is known
  const Resource* resource;
  bool metadata;
};

// Thread-safe.
class InformerTable {
 public:
  // An informer that answers for its kind.
  struct Entry {
    GroupVersionKind kind;
    std::optional<GroupVersionResource> resource;
    std::string namespace_;               // its own; empty: all
    bool metadata;                        // of metadata alone
    std::vector<std::string> namespaces;  // the kind's: what a list of all is of; empty: all
    std::weak_ptr<SharedInformer> informer;
  };
  // One call at a time. Numbers that were given stay.
  void Replace(std::vector<Entry> entries);

  KindCache Find(const KindNames& names, std::string_view namespace_) const;
  std::vector<KindCache> FindAll(const KindNames& names) const;
  KindCache FindAgain(uint32_t number, std::string_view namespace_) const;

 private:
  struct Candidate {
    std::string namespace_;  // empty: all
    bool metadata;
    std::weak_ptr<SharedInformer> informer;
  };
  struct Kind {
    GroupVersionKind kind = {};
    std::optional<GroupVersionResource> resource = {};
    std::vector<std::string> namespaces = {};
    std::vector<Candidate> candidates = {};

    bool Is(const KindNames& names) const;
    KindCache Find(uint32_t number, std::string_view namespace_, bool metadata) const;
  };

  mutable LeafMutex mutex_;
  // Guarded by mutex_. A kind's number is its place.
  std::vector<Kind> kinds_;
};

}  // namespace internal
}  // namespace keelson
