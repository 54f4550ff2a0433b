#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

void AddNetworkRules(RulesTable& table) {
  AddServiceRules(table);
  AddEndpointRules(table);
  AddIngressRules(table);
  AddNetworkPolicyRules(table);
  AddAddressRules(table);
}

}  // namespace keelson::apiserver
