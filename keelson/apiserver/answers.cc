#include "keelson/apiserver/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/list_body.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/tables/printers.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/codec/yaml_writer.h"
#include "keelson/core/clock.h"
#include "keelson/transport/gzip.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kWorthCompressing = 128 << 10;
constexpr size_t kChunk = 1 << 20;

// Quotes and backslashes escaped, control characters gone: what a Warning header may carry.
std::string WarningHeader(std::string_view text) {
  std::string header = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') header += '\\';
    header += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return header + "\"";
}

// Compressing saves the network, and between processes of one machine there is none.
bool WantsGzip(const Exchange& exchange, size_t bytes) {
  if (bytes < kWorthCompressing) return false;
  const std::string& peer = exchange.request.peer->address;
  if (peer.starts_with("127.") || peer.starts_with("[::1]") || peer == "in-process" || peer.empty()) return false;
  const std::string_view* accepted = exchange.request.headers.Find("Accept-Encoding");
  return accepted != nullptr && accepted->find("gzip") != std::string::npos;
}

void SendBytes(Exchange& exchange, int status, Headers headers, String body) {
  headers.Add("Content-Length", std::to_string(body.size()));
  exchange.sent_status = status;
  exchange.response->Start(status, std::move(headers));
  if (exchange.request.method != "HEAD") exchange.response->Write(std::move(body));
  exchange.response->Finish();
}

void SendBody(Exchange& exchange, int status, std::string_view content_type, std::string body) {
  SendBody(exchange, status, HeadersOf(exchange, content_type), std::move(body));
}

std::string All(BodySource& body) {
  std::string all;
  all.reserve(body.size());
  body.Read(body.size(), all);
  return all;
}

// Made as the client takes it, unless it has to be compressed.
void SendBody(Exchange& exchange, int status, Headers headers, std::unique_ptr<BodySource> body) {
  if (WantsGzip(exchange, body->size())) return SendBody(exchange, status, std::move(headers), All(*body));
  headers.Add("Content-Length", std::to_string(body->size()));
  exchange.sent_status = status;
  exchange.response->Start(status, std::move(headers));
  if (exchange.request.method != "HEAD") exchange.response->WriteFrom(std::move(body));
  exchange.response->Finish();
}

metav1::TableColumnDefinition Column(std::string_view name, std::string_view type, std::string_view format,
                                     int priority) {
  metav1::TableColumnDefinition column;
  column.name = name;
  column.type = type;
  column.format = format;
  column.priority = priority;
  return column;
}

Result<void> CheckTableOptions(const Exchange& exchange, const Representation& representation) {
  if (representation.view != View::kTable) return {};
  const std::string included = exchange.query.Text("includeObject");
  for (const std::string_view known : {"", "Metadata", "Object", "None"}) {
    if (included == known) return {};
  }
  return apierrors::BadRequest(
      fmt::format("Unable to convert to Table as requested: includeObject: Invalid value: \"{}\": must be 'Metadata', "
                  "'Object', 'None', or empty",
                  included));
}

// The document of another version of meta.k8s.io differs in its apiVersion alone.
std::string EncodeMeta(const Type& type, const void* value, const Representation& representation) {
  std::string body = Encode(type, value, representation.format, representation.pretty);
  if (representation.meta_version != "v1beta1" || representation.format == Format::kProtobuf) return body;
  constexpr std::string_view kVersion = "meta.k8s.io/v1";
  if (const size_t at = body.find(kVersion); at != std::string::npos) body.insert(at + kVersion.size(), "beta1");
  return body;
}

}  // namespace

void SendBody(Exchange& exchange, int status, Headers headers, std::string body) {
  if (WantsGzip(exchange, body.size())) {
    if (std::string packed = Gzip(body); !packed.empty()) {
      headers.Add("Content-Encoding", "gzip");
      headers.Add("Vary", "Accept-Encoding");
      body = std::move(packed);
    }
  }
  if (body.size() <= kChunk) return SendBytes(exchange, status, std::move(headers), String(body));
  headers.Add("Content-Length", std::to_string(body.size()));
  exchange.sent_status = status;
  exchange.response->Start(status, std::move(headers));
  if (exchange.request.method != "HEAD") {
    for (size_t at = 0; at < body.size(); at += kChunk) {
      exchange.response->Write(String(std::string_view(body).substr(at, kChunk)));
    }
  }
  exchange.response->Finish();
}

Headers HeadersOf(const Exchange& exchange, std::string_view content_type) {
  Headers headers{{"Content-Type", std::string(content_type)}, {"Cache-Control", "no-cache, private"}};
  constexpr size_t kMostWarningBytes = 64 << 10;
  size_t bytes = 0;
  std::set<std::string_view> sent;
  for (const std::string& warning : exchange.warnings) {
    if (!sent.insert(warning).second || (bytes += warning.size()) > kMostWarningBytes) continue;
    headers.Add("Warning", WarningHeader(warning));
  }
  return headers;
}

std::string Encode(const Type& type, const void* value, Format format, bool pretty) {
  std::string out;
  switch (format) {
    case Format::kJson:
      // Objects as they would be stored; lists and tables that are empty are [].
      AppendJson(type, value, out, {.indent = pretty ? 2 : 0, .null_when_empty = type.FindField("spec") != nullptr});
      break;
    case Format::kYaml: AppendYaml(type, value, out); break;
    case Format::kProtobuf:
      if (&type == &TypeOf<metav1::PartialObjectMetadata>()) {
        // The one kind that says itself what it is, and not by its type.
        const auto& partial = *static_cast<const metav1::PartialObjectMetadata*>(value);
        const std::string raw = ToProtobuf(partial);
        AppendProtobufEnvelope(ProtobufEnvelope{.api_version = partial.apiVersion, .kind = partial.kind, .raw = raw},
                               out);
      } else {
        AppendProtobufEnvelope(type, value, out);
      }
      break;
  }
  return out;
}

std::string Encode(const AnyValue& object, Format format, bool pretty) {
  if (!IsCustom(object.type())) return Encode(object.type(), object.data(), format, pretty);
  if (format == Format::kYaml || pretty) {
    const Json document = DocumentOf(object);
    return Encode(TypeOf<Json>(), &document, format, pretty);
  }
  std::string out;
  AppendCustomJson(object.type(), *AsCustom(object), out);
  return out;
}

void SendText(Exchange& exchange, int status, std::string_view content_type, std::string body, bool sniffable) {
  Headers headers = HeadersOf(exchange, content_type);
  if (!sniffable) headers.Add("X-Content-Type-Options", "nosniff");
  SendBody(exchange, status, std::move(headers), std::move(body));
}

Error ErrorWithoutDetails(int32_t code, std::string_view reason, std::string_view message) {
  metav1::Status status;
  status.status = "Failure";
  status.code = code;
  status.reason = reason;
  status.message = message;
  status.details = metav1::StatusDetails();
  return ErrorFromStatus(std::move(status));
}

Error BareError(int32_t code, std::string_view message) {
  metav1::Status status;
  status.status = "Failure";
  status.code = code;
  status.message = message;
  return ErrorFromStatus(std::move(status));
}

void SendError(Exchange& exchange, const Error& error, bool sniffable) {
  const metav1::Status status = ToStatus(error);
  // A client that cannot be told in its own language is told in JSON.
  Result<Representation> wanted = Negotiate(exchange.request.headers, Answer::kPlain, exchange.query.IsTrue("pretty"));
  const Representation representation = wanted ? *wanted : Representation();
  Headers headers = HeadersOf(exchange, ContentType(representation.format, Answer::kPlain));
  if (status.details && status.details->retryAfterSeconds > 0) {
    headers.Add("Retry-After", std::to_string(status.details->retryAfterSeconds));
  }
  if (!sniffable) headers.Add("X-Content-Type-Options", "nosniff");
  SendBytes(exchange, status.code == 0 ? 500 : status.code, std::move(headers),
            String(Encode(TypeOf<metav1::Status>(), &status, representation.format, representation.pretty)));
}

metav1::PartialObjectMetadata PartialOf(const Resource& resource, const StoredObject& object,
                                        std::string_view meta_version) {
  AnyValue whole = DecodeServed(resource, object);
  metav1::PartialObjectMetadata partial;
  partial.kind = "PartialObjectMetadata";
  partial.apiVersion = fmt::format("meta.k8s.io/{}", meta_version);
  partial.metadata = std::move(MetaOf(whole));
  return partial;
}

metav1::Table TableOf(const Exchange& exchange, const std::vector<ObjectPtr>& items, metav1::ListMeta meta,
                      std::string_view meta_version, bool with_columns) {
  const Resource& resource = *exchange.resource;
  const std::string included = exchange.query.Text("includeObject");
  metav1::Table table;
  table.metadata = std::move(meta);
  if (with_columns && resource.custom != nullptr) {
    table.columnDefinitions = CustomColumns(*resource.custom);
  } else if (with_columns) {
    for (const BuiltinColumn& column : resource.columns) {
      table.columnDefinitions.push_back(Column(column.name, column.type, column.format, column.priority));
    }
    if (resource.columns.empty()) {
      table.columnDefinitions.push_back(Column("Name", "string", "name", 0));
      table.columnDefinitions.push_back(Column("Created At", "date", "", 0));
    }
  }
  // Rows are printed from the stored version, whichever of them is asked for.
  const Printer* printer = resource.custom == nullptr ? FindPrinter(*resource.stored_type) : nullptr;
  const PrintContext context{.now = Clock::WallNow()};
  std::vector<std::pair<ObjectPtr, AnyValue>> objects;
  for (const ObjectPtr& item : items) {
    objects.emplace_back(item,
                         resource.custom != nullptr ? DecodeServed(resource, *item) : DecodeStored(resource, *item));
  }
  if (printer != nullptr && printer->before != nullptr) {
    std::sort(objects.begin(), objects.end(),
              [&](const auto& a, const auto& b) { return printer->before(a.second.data(), b.second.data()); });
  }
  for (auto& [item, object] : objects) {
    metav1::TableRow row;
    if (printer != nullptr) {
      row.cells = printer->cells(object.data(), context);
      if (printer->conditions != nullptr) row.conditions = printer->conditions(object.data());
    } else if (resource.custom != nullptr) {
      row.cells = CustomCells(*resource.custom, *AsCustom(object), context.now);
    } else {
      row.cells = DefaultCells(MetaOf(object));
    }
    if (included == "Object") {
      row.object = RawExtension(ServedJson(resource, *item));
    } else if (included != "None") {
      metav1::PartialObjectMetadata partial;
      partial.kind = "PartialObjectMetadata";
      partial.apiVersion = fmt::format("meta.k8s.io/{}", meta_version);
      partial.metadata = std::move(MetaOf(object));
      row.object = RawExtension(String(ToJson(partial)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void SendReply(Exchange& exchange, const Reply& reply, const Representation& representation) {
  if (Result<void> good = CheckTableOptions(exchange, representation); !good) return SendError(exchange, good.error());
  const std::string_view content_type = ContentType(representation.format, Answer::kObject);
  if (reply.value) {
    return SendBody(exchange, reply.status, content_type,
                    Encode(*reply.value, representation.format, representation.pretty));
  }
  const Resource& resource = *exchange.resource;
  if (representation.view == View::kTable) {
    metav1::ListMeta meta;
    meta.resourceVersion = String(std::to_string(reply.stored->revision()));
    const metav1::Table table = TableOf(exchange, {reply.stored}, std::move(meta), representation.meta_version, true);
    return SendBody(exchange, reply.status, content_type, EncodeMeta(TypeOf<metav1::Table>(), &table, representation));
  }
  if (representation.view == View::kMetadata) {
    const metav1::PartialObjectMetadata partial = PartialOf(resource, *reply.stored, representation.meta_version);
    return SendBody(
        exchange, reply.status, content_type,
        Encode(TypeOf<metav1::PartialObjectMetadata>(), &partial, representation.format, representation.pretty));
  }
  if (representation.format == Format::kProtobuf) {
    return SendBytes(exchange, reply.status, HeadersOf(exchange, content_type),
                     ServedProtobuf(resource, *reply.stored));
  }
  if (representation.format == Format::kJson && !representation.pretty) {
    return SendBytes(exchange, reply.status, HeadersOf(exchange, content_type), ServedJson(resource, *reply.stored));
  }
  const AnyValue object = DecodeServed(resource, *reply.stored);
  SendBody(exchange, reply.status, content_type, Encode(object, representation.format, representation.pretty));
}

void SendList(Exchange& exchange, std::vector<ObjectPtr> items, const metav1::ListMeta& meta,
              const Representation& representation) {
  if (Result<void> good = CheckTableOptions(exchange, representation); !good) return SendError(exchange, good.error());
  const Resource& resource = *exchange.resource;
  const std::string_view content_type = ContentType(representation.format, Answer::kList);
  if (representation.view == View::kTable) {
    const metav1::Table table = TableOf(exchange, items, meta, representation.meta_version, true);
    return SendBody(exchange, 200, content_type, EncodeMeta(TypeOf<metav1::Table>(), &table, representation));
  }
  if (representation.view == View::kMetadata) {
    metav1::PartialObjectMetadataList list;
    list.metadata = meta;
    for (const ObjectPtr& item : items) {
      list.items.push_back(PartialOf(resource, *item, representation.meta_version));
    }
    return SendBody(exchange, 200, content_type,
                    EncodeMeta(TypeOf<metav1::PartialObjectMetadataList>(), &list, representation));
  }
  const bool for_people =
      representation.format == Format::kYaml || (representation.format == Format::kJson && representation.pretty);
  std::unique_ptr<BodySource> body =
      MakeListBody(exchange.resource, std::move(items), meta, for_people ? Format::kJson : representation.format);
  if (!for_people) return SendBody(exchange, 200, HeadersOf(exchange, content_type), std::move(body));
  // Read what was put together and write it once more.
  const Type& list_type = resource.list_type == nullptr ? TypeOf<Json>() : *resource.list_type;
  AnyValue list(list_type);
  if (Result<void> read = DecodeJson(list_type, list.data(), All(*body)); !read) {
    return SendError(exchange, apierrors::Internal(read.error().message()));
  }
  SendBody(exchange, 200, content_type, Encode(list.type(), list.data(), representation.format, representation.pretty));
}

}  // namespace keelson::apiserver
