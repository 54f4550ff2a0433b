#include "keelson/apiserver/cel/library.h"

#include "keelson/apiserver/cel/library_object.h"

namespace keelson::apiserver::cel {

Type LibraryObjectType(std::string_view name) { return Type::Object(std::string(name), nullptr); }

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
