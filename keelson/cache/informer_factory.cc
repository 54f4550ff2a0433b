#include "keelson/cache/informer_factory.h"

#include <utility>

namespace keelson {

namespace {

bool IsMetadata(const ObjectModel& model) { return model.type == &TypeOf<metav1::PartialObjectMetadata>(); }

}  // namespace

InformerFactory::InformerFactory(Client client, InformerFactoryOptions options)
    : client_(std::move(client)), options_(std::move(options)) {}

InformerFactory::~InformerFactory() { stop_.RequestStop(); }

void InformerFactory::ConfigureKind(KindId kind, KindOptions options) {
  MutexLock lock(mutex_);
  kinds_.insert_or_assign(std::move(kind), std::move(options));
  MakeTable();
}

std::vector<std::string> InformerFactory::NamespacesOf(const KindId& kind) const {
  const auto configured = kinds_.find(kind);
  if (configured == kinds_.end() || configured->second.selection.namespace_.empty()) return options_.namespaces;
  return {configured->second.selection.namespace_};
}

std::vector<std::shared_ptr<SharedInformer>> InformerFactory::ShareAll(const ReflectorSource& source,
                                                                       const ObjectModel& model,
                                                                       const std::optional<Selection>& selection) {
  MutexLock lock(mutex_);
  if (selection) return {Share(source, model, *selection)};
  const KindId kind{source.kind, IsMetadata(model)};
  Selection own;
  if (const auto configured = kinds_.find(kind); configured != kinds_.end()) own = configured->second.selection;
  std::vector<std::string> namespaces = NamespacesOf(kind);
  const bool cluster = source.resource && source.resource->scope == ResourceScope::kCluster;
  if (namespaces.empty() || cluster) namespaces = {""};
  std::vector<std::shared_ptr<SharedInformer>> all;
  for (std::string& namespace_ : namespaces) {
    own.namespace_ = std::move(namespace_);
    all.push_back(Share(source, model, own));
  }
  return all;
}

std::shared_ptr<SharedInformer> InformerFactory::ShareOne(const ReflectorSource& source, const ObjectModel& model,
                                                          const std::optional<Selection>& selection) {
  std::vector<std::shared_ptr<SharedInformer>> all = ShareAll(source, model, selection);
  if (all.size() > 1) {
    Logger("cache").Warning("Gave the informer of one of several namespaces: AllOf gives them all", "kind",
                            source.kind.ToString(), "namespace", all.front()->source().namespace_);
  }
  return std::move(all.front());
}

std::vector<std::shared_ptr<SharedInformer>> InformerFactory::AllOf(const Target& target) {
  const ObjectModel* model = FindModel(*target.type);
  if (model == nullptr) return {};
  ReflectorSource source{.kind = target.kind};
  if (target.resource != nullptr) source.resource = *target.resource;
  if (source.kind.empty()) source.kind = target.resource != nullptr ? KindOf(*target.resource) : GvkOf(*target.type);
  return ShareAll(source, *model, {});
}

std::shared_ptr<SharedInformer> InformerFactory::Share(ReflectorSource source, const ObjectModel& model,
                                                       Selection selection) {
  const KindId kind{source.kind, IsMetadata(model)};
  InformerOptions options{
      .resync = options_.resync, .reflector = options_.reflector, .transform = {}, .on_error = options_.on_error};
  if (const auto configured = kinds_.find(kind); configured != kinds_.end()) {
    if (configured->second.type == model.type) options.transform = configured->second.transform;
  }
  const Id id{kind, selection.namespace_, selection.labels.ToString(), selection.fields.ToString()};
  if (const auto found = informers_.find(id); found != informers_.end()) {
    if (std::shared_ptr<SharedInformer> informer = found->second.informer.lock()) return informer;
  }
  source.namespace_ = std::move(selection.namespace_);
  source.labels = std::move(selection.labels);
  source.fields = std::move(selection.fields);
  auto informer = std::make_shared<SharedInformer>(client_, std::move(source), model, std::move(options));
  std::erase_if(informers_, [](const auto& entry) { return entry.second.informer.expired(); });
  std::optional<GroupVersionResource> resource;
  if (informer->source().resource) resource = informer->source().resource->gvr();
  informers_[id] = {informer, std::move(resource)};
  MakeTable();
  if (started_) informer->Start(stop_.token());
  return informer;
}

void InformerFactory::MakeTable() {
  std::vector<internal::InformerTable::Entry> entries;
  for (const auto& [id, shared] : informers_) {
    if (!id.labels.empty() || !id.fields.empty()) {
      const auto configured = kinds_.find(id.kind);
      if (configured == kinds_.end() || configured->second.selection.labels.ToString() != id.labels ||
          configured->second.selection.fields.ToString() != id.fields) {
        continue;
      }
    }
    entries.push_back({.kind = id.kind.kind,
                       .resource = shared.resource,
                       .namespace_ = id.namespace_,
                       .metadata = id.kind.metadata,
                       .namespaces = NamespacesOf(id.kind),
                       .informer = shared.informer});
  }
  table_.Replace(std::move(entries));
}

void InformerFactory::Start(const StopToken& stop) {
  const auto informers = All();  // held here, so that the last user may leave while they start
  MutexLock lock(mutex_);
  if (!started_) {
    started_ = true;
    chain_ = std::make_unique<StopCallback<std::function<void()>>>(stop, [source = stop_] { source.RequestStop(); });
  }
  for (const auto& [id, shared] : informers_) {
    if (const std::shared_ptr<SharedInformer> informer = shared.informer.lock()) informer->Start(stop_.token());
  }
}

std::vector<std::shared_ptr<SharedInformer>> InformerFactory::All() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<SharedInformer>> all;
  for (const auto& [id, shared] : informers_) {
    if (std::shared_ptr<SharedInformer> informer = shared.informer.lock()) all.push_back(std::move(informer));
  }
  return all;
}

Wake InformerFactory::WaitForSync(const StopToken& stop, TimePoint deadline) const {
  for (const std::shared_ptr<SharedInformer>& informer : All()) {
    if (const Wake wake = informer->WaitForSync(stop, deadline); wake != Wake::kReady) return wake;
  }
  return Wake::kReady;
}

std::string InformerFactory::description() const {
  std::string unsynced;
  for (const std::shared_ptr<SharedInformer>& informer : All()) {
    if (informer->HasSynced()) continue;
    if (!unsynced.empty()) unsynced += ", ";
    unsynced += informer->source().ToString();
  }
  return unsynced.empty() ? "all informers" : unsynced;
}

std::optional<Error> InformerFactory::last_error() const {
  for (const std::shared_ptr<SharedInformer>& informer : All()) {
    if (informer->HasSynced()) continue;
    if (std::optional<Error> error = informer->last_error()) return error;
  }
  return std::nullopt;
}

KindCache InformerFactory::Find(const Target& target, std::string_view namespace_) const {
  return table_.Find(internal::KindNames(target), namespace_);
}

std::vector<KindCache> InformerFactory::FindAll(const Target& target) const {
  return table_.FindAll(internal::KindNames(target));
}

KindCache InformerFactory::FindAgain(uint32_t kind, std::string_view namespace_) const {
  return table_.FindAgain(kind, namespace_);
}

size_t InformerFactory::size() const { return All().size(); }

}  // namespace keelson
