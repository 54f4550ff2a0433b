// The rules of the built-in kinds against recordings of a real kube-apiserver: objects in, what the server made of them
// out. tests/recorder_apiserver/record_rules writes the recordings and says what the files hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "keelson/api/builtin_resources.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/rules.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {
namespace {

constexpr std::string_view kUid = "00000000-0000-4000-8000-000000000001";

std::string_view TextOf(const Json& tree, std::string_view member) {
  const Json* found = tree.find(member);
  return found != nullptr && found->is_string() ? found->string().view() : std::string_view();
}

const BuiltinResource* ResourceOf(const Json& object) {
  const std::string api_version(TextOf(object, "apiVersion"));
  for (const BuiltinResource& resource : BuiltinResources()) {
    const std::string own = resource.group.empty() ? std::string(resource.version)
                                                   : std::string(resource.group).append("/").append(resource.version);
    if (own == api_version && resource.kind == TextOf(object, "kind")) return &resource;
  }
  return nullptr;
}

// The objects that a case says exist beside its own.
class GivenObjects : public Lookup {
 public:
  void Add(AnyValue object) { objects_.push_back(std::move(object)); }

 protected:
  std::optional<AnyValue> FindAny(const Type& type, const ObjectKey& key) const override {
    for (const AnyValue& one : objects_) {
      if (&one.type() == &type && FindObjectMeta(type, one.data())->name == key.name) return one;
    }
    return std::nullopt;
  }
  std::vector<AnyValue> FindAnyAll(const Type& type, std::string_view) const override {
    std::vector<AnyValue> found;
    for (const AnyValue& one : objects_) {
      if (&one.type() == &type) found.push_back(one);
    }
    return found;
  }

 private:
  std::vector<AnyValue> objects_;
};

// What the server does around the rules, as far as a case needs it.
class RecordedCase {
 public:
  RecordedCase(const RulesTable& rules, const Json& steps) : table_(rules), steps_(steps) {
    // What every server has.
    for (const auto& [name, value] :
         {std::pair("system-cluster-critical", 2000000000), std::pair("system-node-critical", 2000001000)}) {
      Json priority = Json::Object({{"apiVersion", "scheduling.k8s.io/v1"},
                                    {"kind", "PriorityClass"},
                                    {"metadata", Json::Object({{"name", name}})},
                                    {"preemptionPolicy", "PreemptLowerPriority"},
                                    {"value", value}});
      given_.Add(Decode(priority));
    }
  }

  // The object or the Status, as the server would answer.
  Json Run(std::vector<std::string>& warnings) {
    const Json* create = steps_.find("create");
    if (const Json* given = steps_.find("given")) {
      for (const Json& one : given->list()) {
        AnyValue object = Decode(one);
        if (RulesOf(one).set_defaults) RulesOf(one).set_defaults(object.data());
        given_.Add(std::move(object));
      }
    }
    std::vector<std::string> earlier;
    const bool updates = steps_.find("update") != nullptr;
    Result<AnyValue> made = Create(create != nullptr ? *create : steps_, updates ? earlier : warnings);
    if (!made) return ToJsonValue(ToStatus(made.error()));
    if (!updates) return Shown(*made);
    AnyValue old = *std::move(made);
    if (const Json* status = steps_.find("status")) {
      Json tree = ToJsonValue(old.type(), old.data());
      tree.object().Set("status", *status);
      old = Decode(tree);
    }
    Result<AnyValue> updated = Update(old, *steps_.find("update"), warnings);
    return updated ? Shown(*updated) : ToJsonValue(ToStatus(updated.error()));
  }

 private:
  const ErasedRules& RulesOf(const Json& tree) const { return table_.Of(*ResourceOf(tree)->type); }

  static AnyValue Decode(const Json& tree) {
    AnyValue object(*ResourceOf(tree)->type);
    const Result<void> decoded = DecodeJsonValue(object.type(), object.data(), tree);
    if (!decoded) ADD_FAILURE() << decoded.error().message();
    metav1::ObjectMeta* metadata = FindObjectMeta(object.type(), object.data());
    if (metadata->name.empty()) metadata->name = "recorded";
    if (metadata->uid.empty()) metadata->uid = kUid;
    return object;
  }

  static Json Shown(const AnyValue& object) {
    Json tree = ToJsonValue(object.type(), object.data());
    for (const std::string_view masked : {"namespace", "resourceVersion"}) {
      tree.object()["metadata"].object().erase(masked);
    }
    return tree;
  }

  bool HasStatus(const Json& tree) const {
    for (const BuiltinSubresource& one : ResourceOf(tree)->subresources) {
      if (one.name == "status") return true;
    }
    return false;
  }

  WriteContext Context(std::vector<std::string>& warnings) {
    return {.lookup = given_,
            .now = metav1::Time(),
            .user_name = "admin",
            .user_groups = {"system:masters"},
            .subresource = "",
            .dry_run = false,
            .warnings = warnings};
  }

  static Error InvalidObject(const AnyValue& object, const FieldErrors& errors) {
    GroupKind kind = GvkOf(object.type()).group_kind();
    if (kind.group == "events.k8s.io") kind.group = "";  // events of both groups are stored as those of the core group
    return apierrors::Invalid(kind, FindObjectMeta(object.type(), object.data())->name, errors.causes());
  }

  Result<AnyValue> Create(Json tree, std::vector<std::string>& warnings) {
    if (HasStatus(tree)) tree.object().erase("status");
    const ErasedRules& rules = RulesOf(tree);
    AnyValue object = Decode(tree);
    WriteContext context = Context(warnings);
    if (rules.set_defaults) rules.set_defaults(object.data());
    if (rules.prepare_create) KEELSON_RETURN_IF_ERROR(rules.prepare_create(object.data(), context));
    FieldErrors errors;
    if (rules.validate) rules.validate(object.data(), errors);
    if (!errors.empty()) return InvalidObject(object, errors);
    if (rules.warn) rules.warn(object.data(), warnings);
    return object;
  }

  Result<AnyValue> Update(const AnyValue& old, Json tree, std::vector<std::string>& warnings) {
    const ErasedRules& rules = RulesOf(tree);
    const std::string subresource(TextOf(steps_, "subresource"));
    Json old_tree = ToJsonValue(old.type(), old.data());
    if (subresource == "status" || subresource == "approval") {
      old_tree.object().Set("status", tree.find("status") != nullptr ? *tree.find("status") : Json::Object());
      tree = old_tree;
    } else if (HasStatus(tree)) {
      tree.object().erase("status");
      if (const Json* status = old_tree.find("status")) tree.object().Set("status", *status);
    }
    AnyValue object = Decode(tree);
    String& version = FindObjectMeta(object.type(), object.data())->resourceVersion;
    if (version.empty()) version = "1";
    WriteContext context = Context(warnings);
    context.subresource = subresource;
    if (rules.set_defaults) rules.set_defaults(object.data());
    FieldErrors errors;
    if (subresource.empty()) {
      if (rules.prepare_update) KEELSON_RETURN_IF_ERROR(rules.prepare_update(object.data(), old.data(), context));
      if (rules.validate_update) rules.validate_update(object.data(), old.data(), errors);
    } else {
      if (rules.prepare_status) KEELSON_RETURN_IF_ERROR(rules.prepare_status(object.data(), old.data(), context));
      if (rules.validate_status) rules.validate_status(object.data(), old.data(), errors);
    }
    if (!errors.empty()) return InvalidObject(object, errors);
    if (rules.warn && rules.warn_on_update && subresource.empty()) rules.warn(object.data(), warnings);
    return object;
  }

  const RulesTable& table_;
  const Json& steps_;
  GivenObjects given_;
};

Json ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  Result<Json> tree = ParseJson(text.str());
  if (tree) return *tree;
  ADD_FAILURE() << path << ": " << tree.error().message();
  return Json();
}

// Values do not tell an absent list from an empty one, so what Go writes as null is [] here.
Json WithoutEmptyLists(const Json& tree) {
  if (tree.is_list()) {
    JsonList items;
    for (const Json& item : tree.list()) items.push_back(WithoutEmptyLists(item));
    return Json(items);
  }
  if (!tree.is_object()) return tree;
  JsonObject members;
  for (const auto& [name, value] : tree.object()) {
    if (value.is_null() || (value.is_list() && value.list().empty())) continue;
    if (name == "generation") continue;  // most kinds leave it to the server
    members.Set(name, WithoutEmptyLists(value));
  }
  return Json(members);
}

void CompareWithRecording(const Json& steps, const Json& recorded) {
  static const RulesTable rules = RulesTable::Builtin();
  std::vector<std::string> warnings;
  const Json* created = steps.find("create");
  if (TextOf(created != nullptr ? *created : steps, "kind") == "Endpoints") {
    // What every request for a deprecated kind is told, whatever its rules say.
    warnings.emplace_back("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
  }
  const Json answer = WithoutEmptyLists(RecordedCase(rules, steps).Run(warnings));
  const Json expected = WithoutEmptyLists(*recorded.find("answer"));
  if (!NumericallyEqual(answer, expected)) {
    // Two indented texts, so that the first line that differs is easy to find.
    EXPECT_EQ(ToJson(answer, {.indent = 1}), ToJson(expected, {.indent = 1}));
  }
  std::vector<std::string> expected_warnings;
  if (const Json* list = recorded.find("warnings")) {
    for (const Json& one : list->list()) expected_warnings.push_back(one.string());
  }
  EXPECT_EQ(warnings, expected_warnings);
}

void CompareFolder(const std::string& folder, const std::string& suffix) {
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(KEELSON_TEST_DATA "/apiserver/" + folder)) {
    if (entry.path().string().ends_with(".in.json")) inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  EXPECT_FALSE(inputs.empty());
  for (const std::filesystem::path& path : inputs) {
    const std::string name = path.filename().string();
    const std::string stem = name.substr(0, name.size() - std::string_view(".in.json").size());
    const Json cases = ReadFile(path);
    const Json recorded = ReadFile(path.parent_path() / (stem + suffix));
    if (!cases.is_list()) {
      SCOPED_TRACE(name);
      CompareWithRecording(cases, recorded);
      continue;
    }
    ASSERT_EQ(cases.list().size(), recorded.list().size()) << name;
    for (size_t i = 0; i < cases.list().size(); ++i) {
      SCOPED_TRACE(name + ", case " + std::to_string(i));
      CompareWithRecording(cases.list()[i], recorded.list()[i]);
    }
  }
}

TEST(RecordedRules, DefaultsAreThoseOfARealServer) { CompareFolder("defaults", ".out.json"); }

TEST(RecordedRules, InvalidObjectsAreRefusedInTheWordsOfARealServer) { CompareFolder("invalid", ".status.json"); }

}  // namespace
}  // namespace keelson::apiserver
