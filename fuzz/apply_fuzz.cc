// Server-side apply. The input is a letter, then lines: with `s` the text of a set of fields and of another; otherwise
// three JSON documents: a live object, what was applied to it last and what is applied now, of a Deployment (d), a Pod
// (p) or a custom kind with lists and maps of every sort (anything else).
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/apiserver/apply/field_manager.h"
#include "keelson/apiserver/apply/new_fields.h"
#include "keelson/apiserver/apply/object_compare.h"
#include "keelson/apiserver/apply/resource_fields.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"

namespace {

using namespace keelson;
using namespace keelson::apiserver;

void Expect(bool condition) {
  if (!condition) std::abort();
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void TrySets(std::string_view first, std::string_view second) {
  const Result<FieldSet> a = FieldSet::Parse(first);
  const Result<FieldSet> b = FieldSet::Parse(second);
  if (!a || !b) return;
  const Result<FieldSet> again = FieldSet::Parse(a->ToText());
  Expect(again && *again == *a);
  Expect(a->Difference(*a).empty() && a->Union(*a) == *a && a->Intersection(*a) == *a);
  // What both have and what only one has are all there is.
  Expect(a->Difference(*b).Union(a->Intersection(*b)) == *a);
  Expect(a->Union(*b) == b->Union(*a));
  a->ForEach([&](const FieldPath& path) { Expect(a->Has(path) && a->Union(*b).Has(path)); });
}

Schema Typed(SchemaType type) {
  Schema schema;
  schema.type = type;
  return schema;
}

Schema ListOf(Schema item, ListType type) {
  Schema list = Typed(SchemaType::kArray);
  list.list_type = type;
  list.items = std::make_unique<Schema>(std::move(item));
  return list;
}

const Schema& CustomSchema() {
  static const Schema schema = [] {
    const auto add = [](Schema& to, std::string name, Schema property) {
      to.properties.push_back({std::move(name), std::move(property)});
    };
    Schema element = Typed(SchemaType::kObject);
    Schema protocol = Typed(SchemaType::kString);
    protocol.default_ = Json("TCP");
    add(element, "name", Typed(SchemaType::kString));
    add(element, "protocol", std::move(protocol));
    Schema keyed = ListOf(std::move(element), ListType::kMap);
    keyed.list_keys = {"name", "protocol"};
    Schema map = Typed(SchemaType::kObject);
    map.additional = std::make_unique<Schema>(Typed(SchemaType::kString));
    Schema atomic = Typed(SchemaType::kObject);
    atomic.atomic_map = true;
    add(atomic, "a", Typed(SchemaType::kString));
    Schema any = Typed(SchemaType::kAny);
    any.preserve_unknown = true;
    Schema root = Typed(SchemaType::kObject);
    add(root, "any", std::move(any));
    add(root, "atomic", std::move(atomic));
    add(root, "keyed", std::move(keyed));
    add(root, "map", std::move(map));
    add(root, "set", ListOf(Typed(SchemaType::kString), ListType::kSet));
    return root;
  }();
  return schema;
}

void TryDocuments(const Shape& shape, const Json& live, const Json& applied) {
  if (!CheckValue(shape, applied).empty()) return;
  const Json merged = MergeValues(shape, live, applied);
  const FieldSet fields = FieldsOf(shape, applied);
  (void)CompareDocuments(shape, live, merged);
  Expect(CompareDocuments(shape, merged, merged).empty());
  (void)WithoutItems(shape, merged, WithNamedFields(shape, fields));
  (void)FitToShape(shape, fields);
  // What was applied is there, so that applying it again changes nothing.
  if (CheckValue(shape, live).empty()) {
    const Json again = MergeValues(shape, merged, applied);
    Expect(CompareDocuments(shape, merged, again).empty());
  }
}

// Two managers take turns; whatever is accepted, the managers that are written read back.
void TryManagers(const Type& type, const Json& live, const Json& first, const Json& second) {
  const OneVersion versions(type);
  const FieldFilter filter{.excluded = FieldSet::Of({{"status"}})};
  const GroupVersionKind kind{std::string(type.group), std::string(type.version), std::string(type.object_kind)};
  AnyValue object(type);
  if (!DecodeJsonValue(type, object.data(), live)) return;
  const Comparison made = CompareObjects(ShapeOf(type), AnyValue(type), object, filter.excluded);
  Expect(FieldsOfNewObject(ShapeOf(type), object, filter.excluded) == made.added.Union(made.modified).ToText());
  FieldManager(versions, filter, {.manager = "creator", .kind = kind}).Track(nullptr, object);
  for (const bool force : {false, true}) {
    for (const Json* document : {&first, &second, &first}) {
      Json whole = *document;
      if (!whole.is_object()) return;
      whole.object().Set("apiVersion", Json((kind.group.empty() ? "" : kind.group + "/") + kind.version));
      whole.object().Set("kind", Json(kind.kind));
      Result<AnyValue> applied = FieldManager(versions, filter, {.manager = force ? "kubectl" : "b", .kind = kind})
                                     .Apply(object, whole, force);
      if (!applied) continue;
      const Comparison typed = CompareObjects(ShapeOf(type), object, *applied, {});
      (void)typed;
      object = std::move(*applied);
      Expect(Managers::Decode(MetaOf(object).managedFields).has_value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::vector<std::string_view> lines = Lines({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (data[0] == 's') {
    if (lines.size() >= 2) TrySets(lines[0], lines[1]);
    return 0;
  }
  if (lines.size() < 3) return 0;
  const Result<Json> live = ParseJson(lines[0]);
  const Result<Json> last = ParseJson(lines[1]);
  const Result<Json> now = ParseJson(lines[2]);
  if (!live || !last || !now) return 0;
  if (data[0] == 'd' || data[0] == 'p') {
    const Type& type = data[0] == 'd' ? TypeOf<appsv1::Deployment>() : TypeOf<corev1::Pod>();
    TryDocuments(ShapeOf(type), *live, *now);
    TryManagers(type, *live, *last, *now);
  } else {
    static const ShapeBook book(&CustomSchema());
    TryDocuments(book.root(), *live, *now);
    TryDocuments(book.root(), *last, *now);
  }
  return 0;
}
