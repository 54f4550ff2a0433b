#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

void AddStorageRules(RulesTable& table) {
  AddVolumeRules(table);
  AddClaimRules(table);
  AddStorageClassRules(table);
  AddCsiRules(table);
}

}  // namespace keelson::apiserver
