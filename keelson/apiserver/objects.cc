#include "keelson/apiserver/objects.h"

#include <fmt/format.h>

#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/apply/resource_fields.h"
#include "keelson/apiserver/custom/custom_checks.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/apiserver/metadata_rules.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

Error AlreadyThere(const Resource& resource, const StoredObject& there) {
  metav1::Status status = ToStatus(apierrors::AlreadyExists(resource.group_resource(), there.name()));
  const AnyValue object = DecodeStored(resource, there);
  if (MetaOf(object).deletionTimestamp) status.message = "object is being deleted: " + status.message.str();
  return ErrorFromStatus(std::move(status));
}

constexpr int kMostNames = 8;       // tries to find a free generated name
constexpr int kMostConflicts = 64;  // tries of a write that did not ask for a certain version

const corev1::Service* AsService(const AnyValue& object) {
  if (&object.type() != &TypeOf<corev1::Service>()) return nullptr;
  return static_cast<const corev1::Service*>(object.data());
}
corev1::Service* AsService(AnyValue& object) { return const_cast<corev1::Service*>(AsService(std::as_const(object))); }

// Sets the field of that name to what `from` has, or empties it when that is null.
void TakeField(AnyValue& object, std::string_view name, const AnyValue* from) {
  if (CustomObject* custom = AsCustom(object)) {
    if (!custom->content.is_object()) custom->content = Json::Object();
    const Json* kept = from == nullptr ? nullptr : AsCustom(*from)->content.find(name);
    if (kept == nullptr) {
      custom->content.object().erase(name);
    } else {
      custom->content.object().Set(String(name), *kept);
    }
    return;
  }
  const Field* field = object.type().FindField(name);
  if (field == nullptr) return;
  void* target = WriteField(*field, object.data());
  if (from == nullptr) {
    ResetValue(*field->type, target);
  } else {
    AssignValue(*field->type, target, ReadField(*field, from->data()));
  }
}

// Whether anything outside metadata and status differs.
bool SpecChanged(const AnyValue& a, const AnyValue& b) {
  // Their status is a part like any other unless it has a subresource, and then it was carried over.
  if (const CustomObject* custom = AsCustom(a)) return custom->content != AsCustom(b)->content;
  for (const Field& field : a.type().fields) {
    if (field.name == "metadata" || field.name == "status") continue;
    if (!Equal(*field.type, ReadField(field, a.data()), ReadField(field, b.data()))) return true;
  }
  return false;
}

// Named by the kind that is stored, whichever version was asked for.
Error InvalidObject(const Resource& resource, std::string_view name, const FieldErrors& errors) {
  return apierrors::Invalid(GvkOf(*resource.stored_type).group_kind(), name, errors.causes());
}

// A version with checks of its own is checked as what it is.
void Validate(const Resource& resource, const AnyValue& object, FieldErrors& errors) {
  if (resource.converts() && resource.rules->validate) {
    const AnyValue served = ToServed(resource, object);
    return resource.rules->validate(served.data(), errors);
  }
  if (resource.stored_rules->validate) resource.stored_rules->validate(object.data(), errors);
}

void ValidateUpdate(const Resource& resource, const AnyValue& object, const AnyValue& old, FieldErrors& errors) {
  if (resource.converts() && resource.rules->validate_update) {
    const AnyValue served = ToServed(resource, object);
    const AnyValue old_served = ToServed(resource, old);
    return resource.rules->validate_update(served.data(), old_served.data(), errors);
  }
  if (!resource.stored_rules->validate_update) return Validate(resource, object, errors);
  resource.stored_rules->validate_update(object.data(), old.data(), errors);
}

// What upstream calls the resource where it stores it; shown in errors only.
std::string RegistryName(const Resource& resource) {
  if (!resource.group.empty()) return resource.plural;
  if (resource.plural == "services") return "services/specs";
  if (resource.plural == "endpoints") return "services/endpoints";
  if (resource.plural == "replicationcontrollers") return "controllers";
  if (resource.plural == "nodes") return "minions";
  return resource.plural;
}

void WarnOfFinalizers(const Resource& resource, const metav1::ObjectMeta& meta, const metav1::ObjectMeta* old,
                      std::vector<std::string>& warnings) {
  if (resource.group == "apiextensions.k8s.io") return;
  const bool custom = resource.custom != nullptr;
  for (const String& finalizer : meta.finalizers) {
    if (finalizer.view().find('/') != std::string_view::npos || finalizer == kOrphanFinalizer ||
        finalizer == kForegroundFinalizer || (custom && finalizer == "kubernetes")) {
      continue;
    }
    const bool has_domain = !custom || finalizer.view().find('.') != std::string_view::npos;
    if (old != nullptr && std::find(old->finalizers.begin(), old->finalizers.end(), finalizer) != old->finalizers.end())
      continue;
    warnings.push_back(
        fmt::format("metadata.finalizers: \"{}\": prefer a domain-qualified finalizer name {}to avoid accidental "
                    "conflicts with other finalizer writers",
                    finalizer.view(), has_domain ? "including a path (/) " : ""));
  }
}

// Takes over from the old metadata what a write there cannot change.
void KeepMetadata(const FieldSet& fixed, metav1::ObjectMeta& meta, const metav1::ObjectMeta& old) {
  static const PathElement kMetadata = PathElement::Field("metadata");
  const FieldNode* node = fixed.Find(kMetadata);
  if (node == nullptr) return;
  const auto is_fixed = [&](std::string_view name) {
    const FieldNode* field = node->children.Find(PathElement::Field(name));
    return node->member || (field != nullptr && field->member);
  };
  if (is_fixed("labels")) meta.labels = old.labels;
  if (is_fixed("annotations")) meta.annotations = old.annotations;
  if (is_fixed("finalizers")) meta.finalizers = old.finalizers;
  if (is_fixed("ownerReferences")) meta.ownerReferences = old.ownerReferences;
  if (is_fixed("deletionTimestamp")) meta.deletionTimestamp = old.deletionTimestamp;
}

// A client that takes protobuf gets it made of the object at hand, and not of the stored text read once more.
void KeepProtobuf(const Exchange& exchange, AnyValue& object, const StoredObject& stored) {
  const Resource& resource = *exchange.resource;
  if (resource.custom != nullptr || resource.converts()) return;
  const std::string_view* accepted = exchange.request.headers.Find("Accept");
  if (accepted == nullptr || accepted->find("protobuf") == std::string::npos) return;
  MetaOf(object).resourceVersion = std::to_string(stored.revision());
  stored.Protobuf([&](std::string_view) {
    std::string envelope;
    AppendProtobufEnvelope(object.type(), object.data(), envelope);
    return envelope;
  });
}

// A write that changes nothing but the times of managers is none.
void KeepTimesIfUnchanged(AnyValue& object, const AnyValue& old) {
  metav1::ObjectMeta& meta = MetaOf(object);
  const ManagedFields& before = MetaOf(old).managedFields;
  if (meta.managedFields.empty() || Equal(meta.managedFields, before) || !SameButForTimes(meta.managedFields, before)) {
    return;
  }
  const ManagedFields changed = std::exchange(meta.managedFields, before);
  // The version of the old one is that of the store.
  String version = std::exchange(meta.resourceVersion, MetaOf(old).resourceVersion);
  const bool same = Equal(object.type(), object.data(), old.data());
  meta.resourceVersion = std::move(version);
  if (!same) meta.managedFields = changed;
}

}  // namespace

std::string_view ShownName(const metav1::ObjectMeta& meta) {
  if (!meta.name.empty()) return meta.name;
  return meta.generateName.empty() ? std::string_view("Unknown") : meta.generateName.view();
}

Result<ObjectPtr> Objects::Get(const Resource& resource, std::string_view namespace_, std::string_view name) const {
  Result<ObjectPtr> found = store_.Get(resource.collection, namespace_, name);
  if (!found) return apierrors::NotFound(resource.group_resource(), name);
  return found;
}

std::optional<AnyValue> Objects::FindAny(const Type& type, const ObjectKey& key) const {
  const ResourcePtr resource = resources_.FindServing(type);
  if (resource == nullptr) return std::nullopt;
  Result<ObjectPtr> found = store_.Get(resource->collection, key.namespace_, key.name);
  if (!found) return std::nullopt;
  return DecodeServed(*resource, **found);
}

std::vector<AnyValue> Objects::FindAnyAll(const Type& type, std::string_view namespace_) const {
  std::vector<AnyValue> all;
  const ResourcePtr resource = resources_.FindServing(type);
  if (resource == nullptr) return all;
  Result<ListPage> page = store_.List(resource->collection, {.namespace_ = std::string(namespace_)});
  if (!page) return all;
  for (const ObjectPtr& object : page->items) all.push_back(DecodeServed(*resource, *object));
  return all;
}

void Objects::TrackFields(const Exchange& exchange, const AnyValue* old, AnyValue& object,
                          const WriteOptions& options) const {
  if (options.fields_are_tracked) return;
  const Resource& resource = *exchange.resource;
  const ResourceVersions versions(resources_, resource);
  FieldManager(versions, FilterOf(resource, exchange.info.subresource),
               {.manager = ManagerOf(exchange, options),
                .kind = resource.gvk(),
                .subresource = exchange.info.subresource,
                .now = metav1::Time(Clock::WallNow())})
      .Track(old, object);
}

WriteContext Objects::ContextOf(Exchange& exchange, bool dry_run) const {
  return {.lookup = *this,
          .now = metav1::Time(Clock::WallNow()),
          .user_name = exchange.user.name,
          .user_uid = exchange.user.uid,
          .user_groups = exchange.user.groups,
          .subresource = exchange.info.subresource,
          .dry_run = dry_run,
          .warnings = exchange.warnings};
}

Result<void> Objects::AdmitToNamespace(const Resource& resource, const metav1::ObjectMeta& meta) const {
  if (!resource.namespaced) return {};
  static const GroupResource kNamespaces = {"", "namespaces"};
  const ResourcePtr namespaces = resources_.Find("", "v1", "namespaces");
  Result<ObjectPtr> found = store_.Get(namespaces->collection, "", meta.namespace_);
  if (!found) return apierrors::NotFound(kNamespaces, meta.namespace_);
  const auto& known = namespaces->stored_rules->selectable_fields;
  for (size_t i = 0; i < known.size() && i < (*found)->fields().size(); ++i) {
    if (known[i] != "status.phase" || (*found)->fields()[i] != "Terminating") continue;
    metav1::Status status = ToStatus(
        apierrors::Forbidden(resource.group_resource(), ShownName(meta),
                             fmt::format("unable to create new content in namespace {} because it is being terminated",
                                         meta.namespace_.view())));
    metav1::StatusCause cause;
    cause.reason = "NamespaceTerminating";
    cause.message = fmt::format("namespace {} is being terminated", meta.namespace_.view());
    cause.field = "metadata.namespace";
    status.details->causes.push_back(std::move(cause));
    return ErrorFromStatus(std::move(status));
  }
  return {};
}

Result<void> Objects::Admit(const Resource& resource, AnyValue& object) const {
  const metav1::ObjectMeta& meta = MetaOf(std::as_const(object));
  if (resource.terminating) {
    return apierrors::Forbidden(resource.group_resource(), ShownName(meta),
                                "create not allowed while custom resource definition is terminating");
  }
  KEELSON_RETURN_IF_ERROR(AdmitToNamespace(resource, meta));
  for (const Admission* admission : admissions_) {
    KEELSON_RETURN_IF_ERROR(admission->Admit(resource, object, *this));
  }
  return {};
}

// From the defaulted object in the stored type to one that may be stored, but for its addresses.
Result<void> Objects::Prepare(Exchange& exchange, AnyValue& object, const WriteOptions& options) {
  const Resource& resource = *exchange.resource;
  const ErasedRules& rules = *resource.stored_rules;
  metav1::ObjectMeta& meta = MetaOf(object);
  WriteContext context = ContextOf(exchange, options.dry_run);

  meta.uid = NewUid();
  meta.creationTimestamp = context.now;
  meta.deletionTimestamp = {};
  meta.deletionGracePeriodSeconds = {};
  meta.selfLink = {};
  meta.resourceVersion = {};
  if (rules.generation) meta.generation = 1;
  if (resource.FindSubresource("status") != nullptr && !rules.status_on_create) TakeField(object, "status", nullptr);
  if (rules.prepare_create) KEELSON_RETURN_IF_ERROR(rules.prepare_create(object.data(), context));

  FieldErrors errors;
  ValidateMetadata(resource, meta, errors);
  if (resource.custom != nullptr) {
    ValidateCustom(resource, {.object = object}, errors, exchange.warnings);
  } else {
    Validate(resource, object, errors);
  }
  if (!errors.empty()) return InvalidObject(resource, meta.name, errors);
  WarnOfFinalizers(resource, meta, nullptr, exchange.warnings);
  if (rules.warn) rules.warn(object.data(), exchange.warnings);
  return {};
}

Result<Reply> Objects::Create(Exchange& exchange, AnyValue served, const WriteOptions& options) {
  const Resource& resource = *exchange.resource;
  {
    metav1::ObjectMeta& meta = MetaOf(served);
    if (resource.namespaced) {
      if (meta.namespace_.empty()) meta.namespace_ = exchange.info.namespace_;
      if (meta.namespace_ != exchange.info.namespace_) {
        return apierrors::BadRequest(
            "the namespace of the provided object does not match the namespace sent on the request");
      }
    }
    if (!resource.namespaced) meta.namespace_ = {};
    if (!meta.resourceVersion.empty()) {
      return BareError(500, "resourceVersion should not be set on objects to be created");
    }
    meta.deletionTimestamp = {};
    meta.deletionGracePeriodSeconds = {};
  }
  if (resource.rules->set_defaults) resource.rules->set_defaults(served.data());
  TrackFields(exchange, nullptr, served, options);
  AnyValue object = ToStored(resource, std::move(served));
  metav1::ObjectMeta& meta = MetaOf(object);
  const bool generated = meta.name.empty() && !meta.generateName.empty();
  KEELSON_RETURN_IF_ERROR(Admit(resource, object));

  for (int attempt = 0;; ++attempt) {
    if (generated) meta.name = GenerateName(meta.generateName);
    // Preparing once more is harmless, and a name may be part of what is prepared.
    AnyValue candidate = generated ? object : std::move(object);
    KEELSON_RETURN_IF_ERROR(Prepare(exchange, candidate, options));

    std::optional<ServiceAddresses::Reservation> reservation;
    if (corev1::Service* service = AsService(candidate)) {
      KEELSON_TRY(reserved, addresses_.Assign(*service, nullptr));
      reservation.emplace(std::move(reserved));
    }
    if (options.dry_run) {
      if (Result<ObjectPtr> there =
              store_.Get(resource.collection, MetaOf(candidate).namespace_, MetaOf(candidate).name)) {
        return AlreadyThere(resource, **there);
      }
      return Reply::Of(ToServed(resource, std::move(candidate)), 201);
    }
    const std::string namespace_ = MetaOf(candidate).namespace_.str();
    const std::string name = MetaOf(candidate).name.str();
    Result<ObjectPtr> stored = StoreNew(resource, EncodeDraft(resource, candidate));
    if (stored) {
      KeepProtobuf(exchange, candidate, **stored);
      if (reservation) reservation->Keep();
      return Reply::Of(std::move(*stored), 201);
    }
    if (stored.error().code() != ErrorCode::kAlreadyExists) return std::move(stored).error();
    if (!generated) {
      // It may have gone meanwhile.
      Result<ObjectPtr> there = store_.Get(resource.collection, namespace_, name);
      return there ? AlreadyThere(resource, **there) : apierrors::AlreadyExists(resource.group_resource(), name);
    }
    if (attempt + 1 == kMostNames) return apierrors::GenerateNameConflict(resource.group_resource(), name, 1);
  }
}

// The changed object in the stored type, ready to be stored.
Result<AnyValue> Objects::PrepareUpdate(Exchange& exchange, AnyValue served, const AnyValue& old,
                                        const AnyValue& old_served, const WriteOptions& options) {
  const Resource& resource = *exchange.resource;
  const ErasedRules& rules = *resource.stored_rules;
  const std::string& subresource = exchange.info.subresource;
  if (resource.rules->set_defaults) resource.rules->set_defaults(served.data());
  TrackFields(exchange, &old_served, served, options);
  AnyValue object = ToStored(resource, std::move(served));
  metav1::ObjectMeta& meta = MetaOf(object);
  const metav1::ObjectMeta& old_meta = MetaOf(old);
  if (resource.namespaced && meta.namespace_.empty()) meta.namespace_ = old_meta.namespace_;
  if (!resource.namespaced) meta.namespace_ = {};
  if (meta.name.empty()) meta.name = old_meta.name;
  CarryOverMetadata(meta, old_meta);
  meta.resourceVersion = {};

  WriteContext context = ContextOf(exchange, options.dry_run);
  const bool main = subresource.empty() || subresource == "scale";
  FieldErrors errors;
  if (main) {
    if (resource.FindSubresource("status") != nullptr) TakeField(object, "status", &old);
    if (rules.prepare_update) KEELSON_RETURN_IF_ERROR(rules.prepare_update(object.data(), old.data(), context));
    if (rules.generation && SpecChanged(object, old)) ++meta.generation;
  } else {
    // Only the status is taken over; what else a subresource may change, the kind's own rule says.
    if (subresource == "finalize") TakeField(object, "status", &old);
    if (CustomObject* custom = AsCustom(object)) {
      // Not even labels: the status and nothing else.
      const Json* status = custom->content.find("status");
      const std::optional<Json> kept = status == nullptr ? std::optional<Json>() : *status;
      List<metav1::ManagedFieldsEntry> managers = std::move(meta.managedFields);
      *custom = *AsCustom(old);
      meta.managedFields = std::move(managers);
      meta.resourceVersion = {};
      if (!custom->content.is_object()) custom->content = Json::Object();
      custom->content.object().erase("status");
      if (kept) custom->content.object().Set("status", *kept);
    } else if (subresource == "status" || subresource == "approval") {
      for (const Field& field : object.type().fields) {
        if (field.name != "metadata" && field.name != "status") TakeField(object, field.name, &old);
      }
      // Upstream means to do so for definitions of custom resources, and does not: their last finalizer goes this way.
      if (resource.plural != "customresourcedefinitions") {
        KeepMetadata(FilterOf(resource, subresource).excluded, meta, old_meta);
      }
    }
    if (rules.prepare_status) KEELSON_RETURN_IF_ERROR(rules.prepare_status(object.data(), old.data(), context));
    if (rules.generation && subresource != "status" && SpecChanged(object, old)) ++meta.generation;
  }
  ValidateMetadata(resource, meta, errors);
  ValidateMetadataUpdate(meta, old_meta, errors);
  if (resource.custom != nullptr) {
    ValidateCustom(resource, {.object = object, .old = &old, .status_only = !main}, errors, exchange.warnings);
  } else if (main) {
    ValidateUpdate(resource, object, old, errors);
  } else if (rules.validate_status) {
    rules.validate_status(object.data(), old.data(), errors);
  }
  if (!errors.empty()) return InvalidObject(resource, meta.name, errors);
  WarnOfFinalizers(resource, meta, &old_meta, exchange.warnings);
  if (main && rules.warn && rules.warn_on_update) rules.warn(object.data(), exchange.warnings);
  return object;
}

void Objects::Tell(const Resource& resource, const ObjectPtr& object, bool deleted) {
  for (WriteObserver* observer : observers_) observer->OnWritten(resource, object, deleted);
}

Result<ObjectPtr> Objects::StoreNew(const Resource& resource, Draft draft) {
  Result<ObjectPtr> stored = store_.Create(resource.collection, std::move(draft));
  if (stored) Tell(resource, *stored, false);
  return stored;
}

Result<ObjectPtr> Objects::StoreChanged(const Resource& resource, Draft draft, Revision expected) {
  Result<ObjectPtr> stored = store_.Update(resource.collection, std::move(draft), expected);
  if (stored) Tell(resource, *stored, false);
  return stored;
}

Result<ObjectPtr> Objects::StoreGone(const Resource& resource, std::string_view namespace_, std::string_view name,
                                     Revision expected) {
  Result<ObjectPtr> gone = store_.Delete(resource.collection, namespace_, name, expected);
  if (gone) Tell(resource, *gone, true);
  return gone;
}

Result<void> Objects::Rewrite(const Resource& resource, std::string_view namespace_, std::string_view name,
                              const std::function<Result<void>(AnyValue& object)>& change, bool dry_run,
                              std::optional<std::string> managed_as) {
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    KEELSON_TRY(current, Get(resource, namespace_, name));
    AnyValue object = DecodeStored(resource, *current);
    const AnyValue old = object;
    KEELSON_RETURN_IF_ERROR(change(object));
    if (dry_run) return {};
    if (managed_as) {
      const ResourceVersions versions(resources_, resource);
      FieldManager(versions, FilterOf(resource, *managed_as),
                   {.manager = "kube-apiserver",
                    .kind = resource.gvk(),
                    .subresource = *managed_as,
                    .now = metav1::Time(Clock::WallNow())})
          .Track(&old, object);
    }
    Result<ObjectPtr> stored = store_.Update(resource.collection, EncodeDraft(resource, object), current->revision());
    if (stored) return {};
    if (stored.error().code() != ErrorCode::kConflict && stored.error().code() != ErrorCode::kNotFound) {
      return std::move(stored).error();
    }
  }
  return apierrors::Conflict(resource.group_resource(), name);
}

Result<Reply> Objects::Update(Exchange& exchange, std::string_view name, const Change& change,
                              const UpdateOptions& options) {
  const Resource& resource = *exchange.resource;
  const std::string_view namespace_ = resource.namespaced ? std::string_view(exchange.info.namespace_) : "";
  const std::vector<std::string> warnings_before = exchange.warnings;

  for (int attempt = 0;; ++attempt) {
    exchange.warnings = warnings_before;
    Result<ObjectPtr> current = store_.Get(resource.collection, namespace_, name);
    if (!current) {
      if (!options.always_creates && (!options.may_create || !resource.stored_rules->create_on_update)) {
        return apierrors::NotFound(resource.group_resource(), name);
      }
      KEELSON_TRY(made, change(nullptr));
      MetaOf(made).resourceVersion = {};
      return Create(exchange, std::move(made), options.write);
    }
    const AnyValue old = DecodeStored(resource, **current);
    const AnyValue old_served = ToServed(resource, old);
    KEELSON_TRY(served, change(&old_served));

    const metav1::ObjectMeta& asked = MetaOf(served);
    Revision expected = 0;
    if (!asked.resourceVersion.empty() && asked.resourceVersion != "0") {
      Result<Revision> parsed = ParseRevision(asked.resourceVersion);
      if (!parsed) {
        return BareError(
            500, fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", asked.resourceVersion.view()));
      }
      expected = *parsed;
    }
    if (expected == 0 && !options.unconditional) {
      FieldErrors errors;
      const Path root("metadata");
      const Path path = root / "resourceVersion";
      errors.Invalid(path, Json(0), "must be specified for an update");
      return apierrors::Invalid({resource.group, resource.plural}, name, errors.causes());
    }
    if (options.uid_is_precondition && !asked.uid.empty() && asked.uid != (*current)->uid()) {
      return apierrors::Conflict(
          resource.group_resource(), name,
          fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}/{}{}, ResourceVersion: 0, "
                      "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object meta: {}",
                      RegistryName(resource), namespace_.empty() ? "" : std::string(namespace_) + "/", name,
                      asked.uid.view(), (*current)->uid().view()));
    }
    if (expected != 0 && expected != (*current)->revision()) {
      return apierrors::Conflict(resource.group_resource(), name);
    }

    KEELSON_TRY(object, PrepareUpdate(exchange, std::move(served), old, old_served, options.write));
    std::optional<ServiceAddresses::Reservation> reservation;
    if (corev1::Service* service = AsService(object)) {
      KEELSON_TRY(reserved, addresses_.Assign(*service, AsService(old)));
      reservation.emplace(std::move(reserved));
    }
    if (options.write.dry_run) {
      KeepTimesIfUnchanged(object, old);
      return Reply::Of(Unstored(resource, object, (*current)->revision()));
    }
    const metav1::ObjectMeta& meta = MetaOf(object);
    // The last finalizer went: so does the object, and with it the need to write it once more.
    const bool gone = meta.deletionTimestamp && meta.finalizers.empty() &&
                      (!meta.deletionGracePeriodSeconds || *meta.deletionGracePeriodSeconds == 0) && !HoldsBack(object);
    if (gone) {
      Result<ObjectPtr> deleted = StoreGone(resource, namespace_, name, (*current)->revision());
      if (deleted) {
        if (const corev1::Service* service = AsService(old)) addresses_.Release(*service, nullptr);
        return Reply::Of(Unstored(resource, object, (*current)->revision()));
      }
      if (deleted.error().code() != ErrorCode::kConflict) return apierrors::NotFound(resource.group_resource(), name);
    } else {
      KeepTimesIfUnchanged(object, old);
      Draft draft = EncodeDraft(resource, object);
      if (SameContent(**current, draft)) return Reply::Of(std::move(*current));
      Result<ObjectPtr> stored = StoreChanged(resource, std::move(draft), (*current)->revision());
      if (stored) {
        KeepProtobuf(exchange, object, **stored);
        if (reservation) reservation->Keep();
        if (const corev1::Service* service = AsService(old)) addresses_.Release(*service, AsService(object));
        return Reply::Of(std::move(*stored));
      }
      if (stored.error().code() == ErrorCode::kNotFound) continue;
      if (stored.error().code() != ErrorCode::kConflict) return std::move(stored).error();
    }
    if (expected != 0 || attempt + 1 >= kMostConflicts) return apierrors::Conflict(resource.group_resource(), name);
  }
}

}  // namespace keelson::apiserver
