#include "keelson/apiserver/writes.h"

#include <fmt/format.h>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/apply/resource_fields.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/options.h"
#include "keelson/apiserver/patches.h"
#include "keelson/apiserver/reads.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

Result<AnyValue> ReadBody(Exchange& exchange, const Type& type, FieldValidation validation) {
  KEELSON_TRY(format, BodyFormat(exchange.request.headers));
  const std::string& body = exchange.request.body;
  KEELSON_TRY(object, DecodeBody(type, body, format, validation, exchange.warnings));
  // An empty list of managers says something, which the object itself cannot.
  if (body.find("managedFields") != std::string::npos && format != Format::kProtobuf) {
    Result<Json> document = format == Format::kYaml ? ParseYaml(body) : ParseJson(body);
    if (document) MarkReset(*document, object);
  }
  return object;
}

Result<std::pair<PatchKind, std::string>> ReadPatch(const Exchange& exchange) {
  const std::string_view* content_type = exchange.request.headers.Find("Content-Type");
  const std::optional<PatchKind> kind =
      content_type == nullptr ? std::optional<PatchKind>() : PatchKindOf(*content_type);
  if (!kind) return ErrorWithoutDetails(415, "UnsupportedMediaType", "415: Unsupported Media Type");
  if (*kind == PatchKind::kStrategic && exchange.resource->custom != nullptr) {
    return apierrors::UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, "
        "application/merge-patch+json, application/apply-patch+yaml");
  }
  return std::pair(*kind, exchange.request.body);
}

Result<void> CheckIdentity(const Exchange& exchange, const metav1::ObjectMeta& meta) {
  if (meta.name.empty()) {
    return apierrors::BadRequest(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided", exchange.info.name));
  }
  if (meta.name != exchange.info.name) {
    return apierrors::BadRequest(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                             meta.name.view(), exchange.info.name));
  }
  if (exchange.resource->namespaced && !meta.namespace_.empty() && meta.namespace_ != exchange.info.namespace_) {
    return apierrors::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return {};
}

Result<Reply> CreateObject(Exchange& exchange, Objects& objects) {
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kCreate));
  KEELSON_TRY(object, ReadBody(exchange, *exchange.resource->type, options.field_validation));
  return objects.Create(exchange, std::move(object), options);
}

Result<Reply> UpdateObject(Exchange& exchange, Objects& objects) {
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kUpdate));
  KEELSON_TRY(object, ReadBody(exchange, *exchange.resource->type, options.field_validation));
  KEELSON_RETURN_IF_ERROR(CheckIdentity(exchange, MetaOf(object)));
  return objects.Update(exchange, exchange.info.name, [&](const AnyValue*) -> Result<AnyValue> { return object; },
                        {.write = options,
                         .may_create = exchange.info.subresource.empty(),
                         .unconditional = exchange.resource->stored_rules->unconditional_update,
                         .uid_is_precondition = true});
}

namespace {

Result<Reply> ApplyObject(Exchange& exchange, Objects& objects, WriteOptions options) {
  const Resource& resource = *exchange.resource;
  KEELSON_TRY(document, AppliedDocument::Read(exchange.request.body));
  const ResourceVersions versions(objects.resources(), resource);
  const FieldManager manager(versions, FilterOf(resource, exchange.info.subresource),
                             {.manager = options.field_manager,
                              .kind = resource.gvk(),
                              .subresource = exchange.info.subresource,
                              .now = metav1::Time(Clock::WallNow())});
  options.fields_are_tracked = true;
  return objects.Update(
      exchange, exchange.info.name,
      [&](const AnyValue* old) -> Result<AnyValue> {
        KEELSON_TRY(applied, manager.Apply(old != nullptr ? *old : AnyValue(*resource.type), document.document,
                                           options.force.value_or(false)));
        KEELSON_RETURN_IF_ERROR(document.TellOddities(options.field_validation, exchange.warnings));
        metav1::ObjectMeta& meta = MetaOf(applied);
        if (old == nullptr && !meta.uid.empty()) {
          return apierrors::Conflict(
              resource.group_resource(), exchange.info.name,
              fmt::format("uid mismatch: the provided object specified uid {}, and no existing object was found",
                          meta.uid.view()));
        }
        KEELSON_RETURN_IF_ERROR(CheckIdentity(exchange, meta));
        if (old != nullptr && meta.resourceVersion == MetaOf(*old).resourceVersion) meta.resourceVersion = {};
        return applied;
      },
      {.write = options, .always_creates = exchange.info.subresource.empty()});
}

}  // namespace

Result<Reply> PatchObject(Exchange& exchange, Objects& objects) {
  KEELSON_TRY(read, ReadPatch(exchange));
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kPatch, read.first));
  if (read.first == PatchKind::kApply) return ApplyObject(exchange, objects, options);
  KEELSON_TRY(patch, ObjectPatch::Parse(read.first, read.second));
  return objects.Update(exchange, exchange.info.name,
                        [&](const AnyValue* old) -> Result<AnyValue> {
                          KEELSON_TRY(patched, patch.Apply(*old, options.field_validation, exchange.warnings));
                          KEELSON_RETURN_IF_ERROR(CheckIdentity(exchange, MetaOf(patched)));
                          // The version it was computed from is not one that the client asked for.
                          metav1::ObjectMeta& meta = MetaOf(patched);
                          if (meta.resourceVersion == MetaOf(*old).resourceVersion) meta.resourceVersion = {};
                          return patched;
                        },
                        {.write = options});
}

Result<Reply> DeleteObject(Exchange& exchange, Objects& objects) {
  KEELSON_TRY(options, ReadDeleteOptions(exchange));
  return objects.Delete(exchange, exchange.info.name, options);
}

void DeleteCollection(Exchange& exchange, Objects& objects) {
  Result<Representation> representation = Negotiate(
      exchange.request.headers, Answer::kList, exchange.query.IsTrue("pretty"), exchange.resource->custom != nullptr);
  if (!representation) return SendError(exchange, representation.error());
  Result<DeleteOptions> options = ReadDeleteOptions(exchange);
  if (!options) return SendError(exchange, options.error());
  Result<ListPage> page = SelectObjects(exchange, objects);
  if (!page) return SendError(exchange, page.error());
  for (const ObjectPtr& object : page->items) {
    Result<Reply> deleted =
        objects.DeleteOne(exchange, *exchange.resource, object->namespace_(), object->name(), *options);
    if (!deleted && !IsNotFound(deleted.error())) return SendError(exchange, deleted.error());
  }
  metav1::ListMeta meta;
  meta.resourceVersion = String(std::to_string(page->revision));
  SendList(exchange, std::move(page->items), meta, *representation);
}

}  // namespace keelson::apiserver
