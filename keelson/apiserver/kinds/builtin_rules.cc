#include "keelson/apiserver/kinds/builtin_rules.h"

namespace keelson::apiserver {

RulesTable RulesTable::Builtin() {
  RulesTable table;
  AddPodRules(table);
  AddWorkloadRules(table);
  AddBatchRules(table);
  AddCoreRules(table);
  AddNetworkRules(table);
  AddPolicyRules(table);
  AddStorageRules(table);
  AddExtensionRules(table);
  AddDefinitionRules(table);
  return table;
}

}  // namespace keelson::apiserver
