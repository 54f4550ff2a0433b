// The rules of a few related kinds each; builtin_rules.h puts these groups together.
#pragma once

#include "keelson/apiserver/kinds/rules.h"

namespace keelson::apiserver {

// core_*.cc
void AddConfigRules(RulesTable& table);   // ConfigMap, Secret
void AddClusterRules(RulesTable& table);  // Namespace, Node, ServiceAccount
void AddQuotaRules(RulesTable& table);    // LimitRange, ResourceQuota
void AddEventRules(RulesTable& table);    // Event of both groups

// network_*.cc
void AddServiceRules(RulesTable& table);        // Service
void AddEndpointRules(RulesTable& table);       // Endpoints, EndpointSlice
void AddIngressRules(RulesTable& table);        // Ingress, IngressClass
void AddNetworkPolicyRules(RulesTable& table);  // NetworkPolicy
void AddAddressRules(RulesTable& table);        // IPAddress, ServiceCIDR

}  // namespace keelson::apiserver
