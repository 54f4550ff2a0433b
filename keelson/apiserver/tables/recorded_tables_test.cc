// The printers against recordings of a real kube-apiserver. tests/recorder_apiserver/record_tables writes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "keelson/api/access.h"
#include "keelson/api/builtin_resources.h"
#include "keelson/api/core/v1.h"
#include "keelson/apiserver/tables/printers.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/scheme.h"

namespace keelson::apiserver {
namespace {

struct Recorded {
  std::string name;
  WallTime now;
  std::string object;
  GroupVersionKind kind;
  Json columns;
  Json cells;
  Json conditions;
};

Recorded ReadRecorded(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const Json whole = ParseJson(text.str()).value();
  const Json& object = *whole.find("object");
  const auto group_version = GroupVersion::Parse(object.find("apiVersion")->string()).value();
  const Json* conditions = whole.find("conditions");
  return {.name = path.stem().string(),
          .now = metav1::Time::Parse(whole.find("now")->string())->ToTimePoint(),
          .object = ToJson(object),
          .kind = group_version.WithKind(object.find("kind")->string()),
          .columns = *whole.find("columns"),
          .cells = *whole.find("cells"),
          .conditions = conditions != nullptr ? *conditions : Json::Array()};
}

std::vector<Recorded> AllRecorded() {
  std::vector<Recorded> all;
  for (const auto& entry : std::filesystem::directory_iterator(KEELSON_TEST_DATA "/apiserver/tables")) {
    all.push_back(ReadRecorded(entry.path()));
  }
  return all;
}

TEST(RecordedTables, CellsAreThoseOfARealServer) {
  const Scheme scheme = Scheme::Builtin();
  const std::vector<Recorded> all = AllRecorded();
  ASSERT_GE(all.size(), 180u);
  for (const Recorded& recorded : all) {
    SCOPED_TRACE(recorded.name);
    AnyValue object = scheme.New(recorded.kind).value();
    ASSERT_TRUE(DecodeJson(object.type(), object.data(), recorded.object));
    const Printer* printer = FindPrinter(object.type());
    const Json cells = printer != nullptr ? printer->cells(object.data(), {.now = recorded.now})
                                          : DefaultCells(*FindObjectMeta(object.type(), object.data()));
    EXPECT_EQ(ToJson(cells), ToJson(recorded.cells));
    const List<metav1::TableRowCondition> conditions = printer != nullptr && printer->conditions != nullptr
                                                           ? printer->conditions(object.data())
                                                           : List<metav1::TableRowCondition>();
    // Parsed again, so that its keys are in the recording's order.
    const Json shown = conditions.empty() ? Json::Array() : ParseJson(ToJson(conditions)).value();
    EXPECT_EQ(ToJson(shown), ToJson(recorded.conditions));
  }
}

TEST(RecordedTables, EveryListedKindHasARecordingWithItsColumns) {
  std::map<GroupVersionKind, Json> columns;
  for (const Recorded& recorded : AllRecorded()) columns.emplace(recorded.kind, recorded.columns);
  for (const BuiltinResource& resource : BuiltinResources()) {
    // Printed from the version they are stored in.
    if (resource.group == "events.k8s.io" || (resource.group == "autoscaling" && resource.version == "v1")) continue;
    if (std::find(resource.verbs.begin(), resource.verbs.end(), "list") == resource.verbs.end()) continue;
    const GroupVersionKind kind = {std::string(resource.group), std::string(resource.version),
                                   std::string(resource.kind)};
    SCOPED_TRACE(kind);
    ASSERT_TRUE(columns.contains(kind));
    const JsonList& recorded = columns[kind].list();
    ASSERT_EQ(resource.columns.size(), recorded.size());
    for (size_t i = 0; i < recorded.size(); ++i) EXPECT_EQ(recorded[i].string(), resource.columns[i].name);
  }
  const JsonList& scale = columns.at({"autoscaling", "v1", "Scale"}).list();
  const List<metav1::TableColumnDefinition> own = ScaleColumns();
  ASSERT_EQ(own.size(), scale.size());
  for (size_t i = 0; i < scale.size(); ++i) EXPECT_EQ(own[i].name, scale[i].string());
}

TEST(Tables, ComponentStatusShowsItsHealth) {
  corev1::ComponentStatus status = {.metadata = {.name = "etcd-0"}};
  const Printer* printer = FindPrinter(TypeOf<corev1::ComponentStatus>());
  ASSERT_NE(printer, nullptr);
  EXPECT_EQ(ToJson(printer->cells(&status, {})), R"(["etcd-0","Unknown","",""])");
  status.conditions = {{.type = "Healthy", .status = "True", .message = "ok"}};
  EXPECT_EQ(ToJson(printer->cells(&status, {})), R"(["etcd-0","Healthy","ok",""])");
  status.conditions = {{.type = "Healthy", .status = "False", .error = "refused"}};
  EXPECT_EQ(ToJson(printer->cells(&status, {})), R"(["etcd-0","Unhealthy","","refused"])");
}

}  // namespace
}  // namespace keelson::apiserver
