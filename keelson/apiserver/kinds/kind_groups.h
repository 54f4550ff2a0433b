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

// policy_*.cc
void AddBudgetRules(RulesTable& table);      // PodDisruptionBudget
void AddAutoscalerRules(RulesTable& table);  // HorizontalPodAutoscaler of both versions
void AddRbacRules(RulesTable& table);        // Role, ClusterRole and their bindings
void AddClassRules(RulesTable& table);       // PriorityClass, RuntimeClass
void AddLeaseRules(RulesTable& table);       // Lease

}  // namespace keelson::apiserver
