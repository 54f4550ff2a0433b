#include "keelson/apiserver/apply/managers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "keelson/api/compare.h"
#include "keelson/apiserver/go_text.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMostUpdaters = 10;
constexpr std::string_view kOldUpdates = "ancient-changes";

int64_t SecondsOf(const std::optional<metav1::Time>& time) { return time ? time->unix_seconds() : 0; }

}  // namespace

bool FieldsManager::IsSameAs(const FieldsManager& other) const {
  return applies == other.applies && name == other.name && subresource == other.subresource &&
         (applies || api_version == other.api_version);
}

std::string FieldsManager::Identity() const {
  metav1::ManagedFieldsEntry entry;
  entry.manager = name;
  entry.operation = applies ? "Apply" : "Update";
  if (!applies) entry.apiVersion = api_version;
  entry.subresource = subresource;
  return ToJson(entry);
}

std::string FieldsManager::ToString() const {
  std::string shown = Quoted(name);
  if (!subresource.empty()) shown += fmt::format(" with subresource {}", Quoted(subresource));
  if (!applies) shown += fmt::format(" using {}", api_version);
  return shown;
}

Result<Managers> Managers::Decode(const ManagedFields& entries) {
  Managers managers;
  managers.all_.reserve(entries.size() + 1);
  for (size_t i = 0; i < entries.size(); ++i) {
    const metav1::ManagedFieldsEntry& entry = entries[i];
    if (entry.operation != "Apply" && entry.operation != "Update") {
      return Error::InvalidArgument("operation must be `Apply` or `Update`");
    }
    if (entry.apiVersion.empty()) return Error::InvalidArgument("apiVersion must not be empty");
    if (entry.fieldsType.empty()) {
      return Error::InvalidArgument(fmt::format("missing fieldsType in managed fields entry {}", i));
    }
    if (entry.fieldsType != "FieldsV1") {
      return Error::InvalidArgument(
          fmt::format("invalid fieldsType {} in managed fields entry {}", Quoted(entry.fieldsType), i));
    }
    FieldsManager manager{.name = entry.manager.str(),
                          .applies = entry.operation == "Apply",
                          .api_version = entry.apiVersion.str(),
                          .subresource = entry.subresource.str()};
    if (entry.time) manager.time = *entry.time;
    if (entry.fieldsV1) {
      KEELSON_TRY(set, FieldSet::Parse(entry.fieldsV1->ToString()));
      manager.set = std::move(set);
    }
    if (FieldsManager* same = managers.Find(manager)) {
      *same = std::move(manager);
    } else {
      managers.all_.push_back(std::move(manager));
    }
  }
  return managers;
}

ManagedFields Managers::Encode() const {
  std::vector<const FieldsManager*> sorted;
  for (const FieldsManager& manager : all_) sorted.push_back(&manager);
  std::sort(sorted.begin(), sorted.end(), [](const FieldsManager* a, const FieldsManager* b) {
    if (a->applies != b->applies) return a->applies;
    if (SecondsOf(a->time) != SecondsOf(b->time)) return SecondsOf(a->time) < SecondsOf(b->time);
    return std::tie(a->name, a->api_version, a->subresource) < std::tie(b->name, b->api_version, b->subresource);
  });
  ManagedFields entries;
  for (const FieldsManager* manager : sorted) entries.push_back(Entry(*manager, manager->set.ToText()));
  return entries;
}

metav1::ManagedFieldsEntry Managers::Entry(const FieldsManager& manager, std::string_view fields) {
  metav1::ManagedFieldsEntry entry;
  entry.manager = manager.name;
  entry.operation = manager.applies ? "Apply" : "Update";
  entry.apiVersion = manager.api_version;
  if (manager.time) entry.time = *manager.time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = FieldsV1(fields);
  entry.subresource = manager.subresource;
  return entry;
}

FieldsManager* Managers::Find(const FieldsManager& like) & {
  for (FieldsManager& manager : all_) {
    if (manager.IsSameAs(like)) return &manager;
  }
  return nullptr;
}

void Managers::Remove(const FieldsManager& like) {
  std::erase_if(all_, [&](const FieldsManager& manager) { return manager.IsSameAs(like); });
}

void Managers::RemoveEmpty() {
  std::erase_if(all_, [](const FieldsManager& manager) { return manager.set.empty(); });
}

void Managers::CapUpdaters() {
  if (all_.size() <= kMostUpdaters) return;
  std::vector<FieldsManager> updaters;
  for (const FieldsManager& manager : all_) {
    if (!manager.applies) updaters.push_back(manager);
  }
  if (updaters.size() <= kMostUpdaters) return;
  std::sort(updaters.begin(), updaters.end(), [](const FieldsManager& a, const FieldsManager& b) {
    if (SecondsOf(a.time) != SecondsOf(b.time)) return SecondsOf(a.time) < SecondsOf(b.time);
    return a.Identity() < b.Identity();
  });
  size_t left = updaters.size();
  std::map<std::string, FieldsManager> first_of_version;
  for (const FieldsManager& updater : updaters) {
    if (left <= kMostUpdaters) break;
    const auto [first, is_first] = first_of_version.try_emplace(updater.api_version, updater);
    if (is_first) continue;
    FieldsManager bucket{.name = std::string(kOldUpdates), .api_version = updater.api_version};
    FieldsManager* place = Find(bucket);
    if (place == nullptr) {
      bucket.set = first->second.set;
      Remove(first->second);
      place = &all_.emplace_back(std::move(bucket));
    }
    place->set = updater.set.Union(place->set);
    place->time = updater.time;
    Remove(updater);
    --left;
  }
}

bool IsReset(const ManagedFields& entries) {
  return entries.size() == 1 && Equal(entries[0], metav1::ManagedFieldsEntry());
}

bool SameButForTimes(const ManagedFields& a, const ManagedFields& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    metav1::ManagedFieldsEntry left = a[i];
    metav1::ManagedFieldsEntry right = b[i];
    left.time = right.time = {};
    if (!Equal(left, right)) return false;
  }
  return true;
}

}  // namespace keelson::apiserver
