#include "keelson/apiserver/cel/library.h"

#include "keelson/apiserver/cel/library_object.h"

namespace keelson::apiserver::cel {

namespace {

class NoFields final : public ObjectFields {
 public:
  const Type* Find(std::string_view) const override { return nullptr; }
};

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
    return table;
  }();
  return *kTable;
}

const std::vector<Type>& KubernetesTypes() {
  static const std::vector<Type> kTypes = {IpType(), CidrType()};
  return kTypes;
}

}  // namespace keelson::apiserver::cel
