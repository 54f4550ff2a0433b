#include "keelson/apiserver/resource.h"

#include <algorithm>

#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/autoscaling/v2.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/events/v1.h"
#include "keelson/apiserver/kinds/convert_event.h"
#include "keelson/apiserver/kinds/convert_hpa.h"

namespace keelson::apiserver {

namespace {

std::vector<std::string> Texts(std::span<const std::string_view> texts) { return {texts.begin(), texts.end()}; }

const Type* FindListType(const BuiltinResource& builtin) {
  const std::string kind = std::string(builtin.kind) + "List";
  for (const Type* type : BuiltinTypes()) {
    if (type->object_kind == kind && type->group == builtin.group && type->version == builtin.version) return type;
  }
  return nullptr;
}

// Two APIs of one stored object: events of events.k8s.io, and version 1 of the autoscalers.
template <class From, class Stored, auto to_stored, auto from_stored>
void StoreAs(Resource& resource) {
  resource.stored_type = &TypeOf<Stored>();
  resource.to_stored = [](const Resource&, const void* from, void* to) {
    *static_cast<Stored*>(to) = to_stored(*static_cast<const From*>(from));
  };
  resource.from_stored = [](const Resource&, const void* from, void* to) {
    *static_cast<From*>(to) = from_stored(*static_cast<const Stored*>(from));
  };
}

std::string CollectionName(const Resource& resource) {
  if (resource.plural == "events") return "events";
  return resource.group_resource().ToString();
}

}  // namespace

bool Resource::has_verb(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const Subresource* Resource::FindSubresource(std::string_view name) const {
  for (const Subresource& subresource : subresources) {
    if (subresource.name == name) return &subresource;
  }
  return nullptr;
}

ResourceTable::ResourceTable(const RulesTable& rules, Store& store) {
  for (const BuiltinResource& builtin : BuiltinResources()) {
    auto resource = std::make_shared<Resource>();
    resource->group = builtin.group;
    resource->version = builtin.version;
    resource->plural = builtin.plural;
    resource->singular = builtin.singular;
    resource->kind = builtin.kind;
    resource->list_kind = resource->kind + "List";
    resource->namespaced = builtin.namespaced;
    resource->verbs = Texts(builtin.verbs);
    resource->short_names = Texts(builtin.short_names);
    resource->categories = Texts(builtin.categories);
    for (const BuiltinSubresource& one : builtin.subresources) {
      resource->subresources.push_back({.name = std::string(one.name),
                                        .group = std::string(one.group),
                                        .version = std::string(one.version),
                                        .kind = std::string(one.kind),
                                        .verbs = Texts(one.verbs)});
    }
    resource->columns = builtin.columns;
    resource->type = builtin.type;
    resource->list_type = FindListType(builtin);
    resource->stored_type = builtin.type;
    if (builtin.type == &TypeOf<eventsv1::Event>()) {
      StoreAs<eventsv1::Event, corev1::Event, ToCoreEvent, ToEventsEvent>(*resource);
    } else if (builtin.type == &TypeOf<autoscalingv1::HorizontalPodAutoscaler>()) {
      StoreAs<autoscalingv1::HorizontalPodAutoscaler, autoscalingv2::HorizontalPodAutoscaler, ToV2Autoscaler,
              ToV1Autoscaler>(*resource);
    }
    resource->rules = &rules.Of(*resource->type);
    resource->stored_rules = &rules.Of(*resource->stored_type);
    resource->collection = store.Register(CollectionName(*resource));
    by_name_[{resource->group, resource->version, resource->plural}] = resource;
    builtin_.push_back(std::move(resource));
  }
  auto view = std::make_shared<View>();
  view->all = std::make_shared<ResourceList>(builtin_);
  view_ = std::move(view);
}

std::shared_ptr<const ResourceTable::View> ResourceTable::Current() const {
  MutexLock lock(mutex_);
  return view_;
}

void ResourceTable::SetCustom(const std::string& definition, ResourceList resources) {
  MutexLock lock(mutex_);
  auto view = std::make_shared<View>();
  view->generation = view_->generation + 1;
  view->by_definition = view_->by_definition;
  if (resources.empty()) {
    view->by_definition.erase(definition);
  } else {
    view->by_definition[definition] = std::move(resources);
  }
  for (const auto& [name, list] : view->by_definition) {
    for (const ResourcePtr& resource : list) {
      view->custom[{resource->group, resource->version, resource->plural}] = resource;
    }
  }
  auto all = std::make_shared<ResourceList>(builtin_);
  for (const auto& [name, resource] : view->custom) all->push_back(resource);
  view->all = std::move(all);
  view_ = std::move(view);
}

ResourcePtr ResourceTable::Find(std::string_view group, std::string_view version, std::string_view plural) const {
  const auto name = std::tuple(group, version, plural);
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  const std::shared_ptr<const View> view = Current();
  const auto found = view->custom.find(name);
  return found == view->custom.end() ? nullptr : found->second;
}

ResourcePtr ResourceTable::FindServing(const Type& type) const {
  for (const ResourcePtr& resource : builtin_) {
    if (resource->type == &type) return resource;
  }
  return nullptr;
}

bool ResourceTable::HasGroup(std::string_view path) const {
  if (path == "/api" || path.starts_with("/api/")) return true;
  constexpr std::string_view kGroups = "/apis/";
  if (!path.starts_with(kGroups)) return false;
  path.remove_prefix(kGroups.size());
  const std::string_view group = path.substr(0, path.find('/'));
  return std::any_of(builtin_.begin(), builtin_.end(),
                     [&](const ResourcePtr& resource) { return resource->group == group; });
}

bool ResourceTable::HasGroupVersion(std::string_view group, std::string_view version) const {
  const std::shared_ptr<const ResourceList> resources = all();
  return std::any_of(resources->begin(), resources->end(), [&](const ResourcePtr& resource) {
    return resource->group == group && resource->version == version;
  });
}

}  // namespace keelson::apiserver
