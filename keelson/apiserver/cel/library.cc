#include "keelson/apiserver/cel/library.h"

#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"

namespace keelson::apiserver::cel {

namespace {

class NoFields final : public ObjectFields {
 public:
  const Type* Find(std::string_view) const override { return nullptr; }
};

// Values of the libraries compare at once, whatever their size. For the others the usual cost.
std::optional<uint64_t> EqualityCost(std::string_view, std::span<const Value> args, const Value&) {
  if (args.size() == 2 && args[0].is(ValueKind::kOpaque)) return 1;
  return std::nullopt;
}

}  // namespace

Type LibraryObjectType(std::string_view name) {
  static const auto kNoFields = std::make_shared<const NoFields>();
  return Type::Object(std::string(name), kNoFields);
}

const FunctionTable& KubernetesFunctions() {
  static const FunctionTable* const kTable = [] {
    auto* table = new FunctionTable();
    AddStandardFunctions(*table);
    AddStringsLibrary(*table);
    AddStringFormatLibrary(*table);
    AddListsLibrary(*table);
    AddListsExtension(*table);
    AddSetsLibrary(*table);
    AddRegexLibrary(*table);
    AddUrlsLibrary(*table);
    AddQuantityLibrary(*table);
    AddNetworkLibrary(*table);
    AddFormatLibrary(*table);
    AddSemverLibrary(*table);
    table->SetCost("_==_", &EqualityCost);
    return table;
  }();
  return *kTable;
}

const std::vector<Type>& KubernetesTypes() {
  static const std::vector<Type> kTypes = {IpType(), CidrType()};
  return kTypes;
}

}  // namespace keelson::apiserver::cel
