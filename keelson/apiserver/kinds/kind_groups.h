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

// storage_*.cc
void AddVolumeRules(RulesTable& table);        // PersistentVolume
void AddClaimRules(RulesTable& table);         // PersistentVolumeClaim
void AddStorageClassRules(RulesTable& table);  // StorageClass, VolumeAttributesClass, CSIStorageCapacity
void AddCsiRules(RulesTable& table);           // CSIDriver, CSINode, VolumeAttachment

// extension_*.cc
void AddWebhookRules(RulesTable& table);          // MutatingWebhookConfiguration, ValidatingWebhookConfiguration
void AddAdmissionPolicyRules(RulesTable& table);  // the policies of admissionregistration.k8s.io and their bindings
void AddApiServiceRules(RulesTable& table);       // APIService
void AddCertificateRules(RulesTable& table);      // CertificateSigningRequest
void AddFlowControlRules(RulesTable& table);      // FlowSchema, PriorityLevelConfiguration
void AddDeviceRules(RulesTable& table);           // resource.k8s.io

}  // namespace keelson::apiserver
