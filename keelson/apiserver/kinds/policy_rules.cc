#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

void AddPolicyRules(RulesTable& table) {
  AddBudgetRules(table);
  AddAutoscalerRules(table);
  AddRbacRules(table);
  AddClassRules(table);
  AddLeaseRules(table);
}

}  // namespace keelson::apiserver
