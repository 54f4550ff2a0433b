#include "keelson/apiserver/custom/definitions.h"

#include <algorithm>
#include <set>

#include "keelson/api/compare.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/custom/definition_status.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"

namespace keelson::apiserver {

namespace {

using Definition = apiextensionsv1::CustomResourceDefinition;

metav1::Time Now() { return metav1::Time(Clock::WallNow()); }

Definition DefinitionOf(const Resource& resource, const StoredObject& stored) {
  AnyValue value = DecodeStored(resource, stored);
  return std::move(*static_cast<Definition*>(value.data()));
}

// "widgets.example.com" is the definition of widgets in the group example.com.
std::string GroupOfName(std::string_view name) {
  const size_t dot = name.find('.');
  return std::string(dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1));
}

// Whether what is served follows from the two in the same way.
bool ServedAlike(const Definition& a, const Definition& b) {
  return a.metadata.uid == b.metadata.uid && Equal(a.spec, b.spec) &&
         Equal(a.status.acceptedNames, b.status.acceptedNames);
}

}  // namespace

Definitions::Definitions(Objects& objects, ResourceTable& resources)
    : objects_(objects), resources_(resources), definitions_(resources.FindServing(TypeOf<Definition>())) {
  objects_.AddObserver(*this);
}

std::vector<Definition> Definitions::OfGroup(std::string_view group) {
  std::vector<Definition> found;
  Result<ListPage> page = objects_.store().List(definitions_->collection, {});
  if (!page) return found;
  for (const ObjectPtr& object : page->items) {
    if (GroupOfName(object->name()) != group) continue;
    Read& read = read_[object->name().str()];
    if (read.revision != object->revision()) {
      read = {.revision = object->revision(), .definition = DefinitionOf(*definitions_, *object)};
    }
    found.push_back(read.definition);
  }
  return found;
}

void Definitions::ServeAll() {
  std::set<std::string> groups;
  Result<ListPage> page = objects_.store().List(definitions_->collection, {});
  if (!page) return;
  for (const ObjectPtr& object : page->items) groups.insert(GroupOfName(object->name()));
  for (const std::string& group : groups) Follow(group);
}

void Definitions::OnWritten(const Resource& resource, const ObjectPtr& object, bool deleted) {
  if (&resource == definitions_.get()) {
    if (deleted) StopServing(object->name().str());
    Follow(GroupOfName(object->name()));
    if (!deleted) CleanUp(object->name().str());
    return;
  }
  if (resource.custom != nullptr && deleted && resource.terminating &&
      objects_.store().Count(resource.collection) == 0) {
    FinishDeletion(resource.group_resource().ToString());
  }
}

bool Definitions::Change(const std::string& name, const std::function<bool(Definition&)>& change) {
  bool changed = false;
  const Result<void> written = objects_.Rewrite(
      *definitions_, "", name,
      [&](AnyValue& object) -> Result<void> {
        changed = change(*static_cast<Definition*>(object.data()));
        return {};
      },
      false, "status");
  return written && changed;
}

void Definitions::Follow(const std::string& group) {
  MutexLock lock(mutex_);
  // A name that one definition gives up another may take: until nothing changes any more.
  for (bool again = true; again;) {
    again = false;
    const std::vector<Definition> definitions = OfGroup(group);
    NamesInUse used;
    for (const Definition& definition : definitions) used.Add(definition);
    for (Definition definition : definitions) {
      const std::string name = definition.metadata.name.str();
      if (AcceptNames(definition, used, Now())) {
        again = Change(name, [&](Definition& current) { return AcceptNames(current, used, Now()); });
      }
      if (!definition.metadata.deletionTimestamp && Establish(definition, Now())) {
        again |= Change(name, [&](Definition& current) { return Establish(current, Now()); });
      }
      if (NoteApproval(definition, Now())) {
        again |= Change(name, [&](Definition& current) { return NoteApproval(current, Now()); });
      }
      // What is in use is another matter now.
      if (again) break;
    }
  }
  for (const Definition& definition : OfGroup(group)) Serve(definition);
}

void Definitions::Serve(const Definition& definition) {
  const std::string name = definition.metadata.name.str();
  const bool serves = HasCondition(definition, kNamesAccepted) || HasCondition(definition, kEstablished);
  if (!serves) return;
  const auto known = served_.find(name);
  const bool terminating = HasCondition(definition, kTerminating);
  if (known != served_.end() && ServedAlike(known->second.definition, definition)) {
    for (const ResourcePtr& resource : known->second.resources) resource->terminating = terminating;
    return;
  }
  const CollectionId collection = known != served_.end() ? known->second.collection : objects_.store().Register(name);
  // Of objects from before nobody knows whether they met this schema.
  const Revision reread = objects_.store().Count(collection) == 0 ? Revision{0} : objects_.store().revision();
  Result<ResourceList> resources = ResourcesOf(definition, collection, reread);
  if (!resources) {
    Logger().Error(resources.error(), "A custom resource cannot be served", "definition", name);
    return;
  }
  if (known != served_.end()) {
    // Who watches starts anew, and sees the objects as they are now.
    EndWatches(known->second.resources);
  }
  for (const ResourcePtr& resource : *resources) resource->terminating = terminating;
  served_[name] = {.definition = definition, .resources = *resources, .collection = collection};
  resources_.SetCustom(name, std::move(*resources));
}

void Definitions::EndWatches(const ResourceList& resources) {
  for (const ResourcePtr& resource : resources) resource->removed = true;
  objects_.store().TickSoon();
}

void Definitions::StopServing(const std::string& name) {
  MutexLock lock(mutex_);
  const auto known = served_.find(name);
  if (known == served_.end()) {
    read_.erase(name);
    return;
  }
  EndWatches(known->second.resources);
  served_.erase(known);
  read_.erase(name);
  resources_.SetCustom(name, {});
}

void Definitions::CleanUp(const std::string& name) {
  Result<ObjectPtr> stored = objects_.store().Get(definitions_->collection, "", name);
  if (!stored) return;
  const Definition definition = DefinitionOf(*definitions_, **stored);
  const auto& finalizers = definition.metadata.finalizers;
  if (!definition.metadata.deletionTimestamp ||
      std::find(finalizers.begin(), finalizers.end(), kCleanupFinalizer) == finalizers.end()) {
    return;
  }
  Change(name, [](Definition& current) {
    SetCondition(current, kTerminating, true, "InstanceDeletionInProgress", "CustomResource deletion is in progress",
                 Now());
    return true;
  });
  ResourcePtr resource;
  {
    MutexLock lock(mutex_);
    const auto known = served_.find(name);
    if (known != served_.end() && !known->second.resources.empty()) resource = known->second.resources.front();
  }
  if (resource == nullptr) return FinishDeletion(name);
  // Without the lock: each deletion comes back to OnWritten.
  Result<ListPage> page = objects_.store().List(resource->collection, {});
  if (page) {
    for (const ObjectPtr& object : page->items) {
      Exchange exchange;
      exchange.resource = resource;
      exchange.info.is_resource = true;
      exchange.info.verb = "delete";
      exchange.user = {.name = "system:apiserver", .groups = {"system:masters"}};
      // One that is gone already, or stays for its finalizers, is as good.
      (void)objects_.DeleteOne(exchange, *resource, object->namespace_(), object->name(), {});
    }
  }
  if (objects_.store().Count(resource->collection) == 0) FinishDeletion(name);
}

void Definitions::FinishDeletion(const std::string& name) {
  Result<ObjectPtr> stored = objects_.store().Get(definitions_->collection, "", name);
  if (!stored) return;
  Exchange exchange;
  exchange.resource = definitions_;
  exchange.info.is_resource = true;
  exchange.info.verb = "update";
  exchange.info.name = name;
  exchange.info.subresource = "status";
  exchange.user = {.name = "system:apiserver", .groups = {"system:masters"}};
  // As an update of the status, with which the last finalizer goes: then so does the definition.
  (void)objects_.Update(exchange, name,
                        [](const AnyValue* old) -> Result<AnyValue> {
                          AnyValue changed = *old;
                          auto& definition = *static_cast<Definition*>(changed.data());
                          const bool established = HasCondition(definition, kEstablished);
                          SetCondition(definition, kTerminating, false,
                                       established ? "InstanceDeletionCompleted" : "NeverEstablished",
                                       established ? "removed all instances" : "resource was never established", Now());
                          List<String> kept;
                          for (const String& finalizer : definition.metadata.finalizers) {
                            if (finalizer != kCleanupFinalizer) kept.push_back(finalizer);
                          }
                          definition.metadata.finalizers = kept;
                          definition.metadata.resourceVersion = {};
                          return changed;
                        },
                        {});
}

}  // namespace keelson::apiserver
