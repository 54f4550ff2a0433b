#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

void AddCoreRules(RulesTable& table) {
  AddConfigRules(table);
  AddClusterRules(table);
  AddQuotaRules(table);
  AddEventRules(table);
}

}  // namespace keelson::apiserver
