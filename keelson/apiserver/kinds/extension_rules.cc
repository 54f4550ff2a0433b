#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

void AddExtensionRules(RulesTable& table) {
  AddWebhookRules(table);
  AddAdmissionPolicyRules(table);
  AddApiServiceRules(table);
  AddCertificateRules(table);
  AddFlowControlRules(table);
  AddDeviceRules(table);
}

}  // namespace keelson::apiserver
