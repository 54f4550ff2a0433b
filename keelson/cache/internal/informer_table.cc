#include "keelson/cache/internal/informer_table.h"

#include <algorithm>
#include <utility>

namespace keelson::internal {

namespace {

bool IsMetadata(const Type& type) { return &type == &TypeOf<metav1::PartialObjectMetadata>(); }

bool Covers(std::string_view candidate, std::string_view namespace_) {
  // Where no namespace is asked for, the kind is a cluster-scoped one, which every informer has all of.
  return candidate.empty() || namespace_.empty() || candidate == namespace_;
}

}  // namespace

KindNames::KindNames(const Target& target) : resource(target.resource), metadata(IsMetadata(*target.type)) {
  if (!target.kind.empty()) {
    group = target.kind.group;
    version = target.kind.version;
    kind = target.kind.kind;
  } else if (resource != nullptr && !resource->kind.empty()) {
    group = resource->group;
    version = resource->version;
    kind = resource->kind;
  } else {
    group = target.type->group;
    version = target.type->version;
    kind = target.type->object_kind;
  }
}

bool InformerTable::Kind::Is(const KindNames& names) const {
  if (!names.kind.empty() && kind.kind == names.kind && kind.group == names.group && kind.version == names.version) {
    return true;
  }
  return names.resource != nullptr && resource && resource->resource == names.resource->plural &&
         resource->group == names.resource->group && resource->version == names.resource->version;
}

// The best is one of all namespaces, and metadata alone where that is asked for.
KindCache InformerTable::Kind::Find(uint32_t number, std::string_view namespace_, bool metadata) const {
  KindCache found{.kind = number};
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!Covers(candidate.namespace_, namespace_) || candidate.informer.expired()) continue;
    if (candidate.metadata && !metadata) {
      found.only = false;
      continue;
    }
    if (best != nullptr) {
      found.only = false;
      const bool narrower = candidate.metadata && !best->metadata;
      const bool wider = candidate.namespace_.empty() && !best->namespace_.empty();
      if (candidate.metadata != best->metadata ? !narrower : !wider) continue;
    }
    best = &candidate;
  }
  if (best != nullptr) found.informer = best->informer.lock();
  return found;
}

void InformerTable::Replace(std::vector<Entry> entries) {
  std::vector<Kind> kinds;
  {
    LeafLock lock(mutex_);
    kinds = kinds_;
  }
  for (Kind& kind : kinds) kind.candidates.clear();
  for (Entry& entry : entries) {
    auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return kind.kind == entry.kind || (entry.resource && kind.resource == entry.resource);
    });
    if (found == kinds.end()) found = kinds.insert(kinds.end(), Kind{.kind = std::move(entry.kind)});
    if (!found->resource) found->resource = std::move(entry.resource);
    found->namespaces = std::move(entry.namespaces);
    found->candidates.push_back({std::move(entry.namespace_), entry.metadata, std::move(entry.informer)});
  }
  LeafLock lock(mutex_);
  kinds_.swap(kinds);
}

KindCache InformerTable::Find(const KindNames& names, std::string_view namespace_) const {
  LeafLock lock(mutex_);
  for (uint32_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].Is(names)) return kinds_[i].Find(i, namespace_, names.metadata);
  }
  return {};
}

KindCache InformerTable::FindAgain(uint32_t number, std::string_view namespace_) const {
  LeafLock lock(mutex_);
  if (number >= kinds_.size()) return {};
  return kinds_[number].Find(number, namespace_, true);
}

std::vector<KindCache> InformerTable::FindAll(const KindNames& names) const {
  // Declared before the lock: letting go of an informer may end it, which is not to be done under a leaf lock.
  std::vector<KindCache> all;
  KindCache one;
  LeafLock lock(mutex_);
  const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) { return kind.Is(names); });
  if (found == kinds_.end()) return all;
  const auto number = static_cast<uint32_t>(found - kinds_.begin());
  one = found->Find(number, {}, names.metadata);
  if (one && one.informer->source().namespace_.empty()) {
    all.push_back(std::move(one));
    return all;
  }
  for (const std::string& namespace_ : found->namespaces) {
    all.push_back(found->Find(number, namespace_, names.metadata));
    if (all.back()) continue;
    return {};
  }
  return all;
}

}  // namespace keelson::internal
