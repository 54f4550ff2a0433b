#include "keelson/cache/informer_factory.h"

#include <utility>

namespace keelson {

namespace {

bool SameResource(const ReflectorSource& source, const GroupVersionKind& kind, const Resource* resource) {
  if (!kind.kind.empty() && source.kind == kind) return true;
  return resource != nullptr && source.resource && source.resource->gvr() == resource->gvr();
}

bool IsMetadata(const ObjectModel& model) { return model.type == &TypeOf<metav1::PartialObjectMetadata>(); }

}  // namespace

InformerFactory::InformerFactory(Client client, InformerFactoryOptions options)
    : client_(std::move(client)), options_(std::move(options)) {}

InformerFactory::~InformerFactory() { stop_.RequestStop(); }

void InformerFactory::ConfigureKind(KindId kind, KindOptions options) {
  MutexLock lock(mutex_);
  kinds_.insert_or_assign(std::move(kind), std::move(options));
}

std::shared_ptr<SharedInformer> InformerFactory::Share(ReflectorSource source, const ObjectModel& model,
                                                       std::optional<Selection> selection) {
  MutexLock lock(mutex_);
  const KindId kind{source.kind, IsMetadata(model)};
  InformerOptions options{
      .resync = options_.resync, .reflector = options_.reflector, .transform = {}, .on_error = options_.on_error};
  if (const auto configured = kinds_.find(kind); configured != kinds_.end()) {
    if (!selection) selection = configured->second.selection;
    if (configured->second.type == model.type) options.transform = configured->second.transform;
  }
  if (!selection) selection = Selection{.namespace_ = options_.namespace_};
  const Id id{kind, selection->namespace_, selection->labels.ToString(), selection->fields.ToString()};
  if (const auto found = informers_.find(id); found != informers_.end()) {
    if (std::shared_ptr<SharedInformer> informer = found->second.lock()) return informer;
  }
  source.namespace_ = std::move(selection->namespace_);
  source.labels = std::move(selection->labels);
  source.fields = std::move(selection->fields);
  auto informer = std::make_shared<SharedInformer>(client_, std::move(source), model, std::move(options));
  std::erase_if(informers_, [](const auto& entry) { return entry.second.expired(); });
  informers_[id] = informer;
  if (started_) informer->Start(stop_.token());
  return informer;
}

void InformerFactory::Start(const StopToken& stop) {
  const auto informers = All();  // held here, so that the last user may leave while they start
  MutexLock lock(mutex_);
  if (!started_) {
    started_ = true;
    chain_ = std::make_unique<StopCallback<std::function<void()>>>(stop, [source = stop_] { source.RequestStop(); });
  }
  for (const auto& [id, weak] : informers_) {
    if (const std::shared_ptr<SharedInformer> informer = weak.lock()) informer->Start(stop_.token());
  }
}

std::vector<std::shared_ptr<SharedInformer>> InformerFactory::All() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<SharedInformer>> all;
  for (const auto& [id, weak] : informers_) {
    if (std::shared_ptr<SharedInformer> informer = weak.lock()) all.push_back(std::move(informer));
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

std::shared_ptr<SharedInformer> InformerFactory::Find(const GroupVersionKind& kind, const Resource* resource,
                                                      const std::string& namespace_, bool metadata) const {
  std::shared_ptr<SharedInformer> best;
  for (std::shared_ptr<SharedInformer>& informer : All()) {
    const ReflectorSource& source = informer->source();
    if (IsMetadata(informer->model()) != metadata || !SameResource(source, kind, resource)) continue;
    if (!source.namespace_.empty() && source.namespace_ != namespace_) continue;
    if (!source.labels.empty() || !source.fields.empty()) {
      MutexLock lock(mutex_);
      // A cache of some objects answers for the kind only where Configure made it the kind's.
      const auto configured = kinds_.find({source.kind, metadata});
      if (configured == kinds_.end() || configured->second.selection.labels != source.labels ||
          configured->second.selection.fields != source.fields) {
        continue;
      }
    }
    if (best == nullptr || source.namespace_.empty()) best = std::move(informer);
  }
  return best;
}

size_t InformerFactory::size() const { return All().size(); }

}  // namespace keelson
