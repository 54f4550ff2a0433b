// The rules of the built-in kinds, a function for each group of files.
#pragma once

#include "keelson/apiserver/kinds/rules.h"

namespace keelson::apiserver {

void AddPodRules(RulesTable& table);         // Pod, PodTemplate
void AddWorkloadRules(RulesTable& table);    // apps, ReplicationController
void AddBatchRules(RulesTable& table);       // Job, CronJob
void AddCoreRules(RulesTable& table);        // the other kinds of the core group
void AddNetworkRules(RulesTable& table);     // Service, Endpoints, networking.k8s.io, discovery.k8s.io
void AddPolicyRules(RulesTable& table);      // policy, autoscaling, rbac, coordination, scheduling, node, events
void AddStorageRules(RulesTable& table);     // storage.k8s.io, PersistentVolume and its claim
void AddDefinitionRules(RulesTable& table);  // CustomResourceDefinition
void AddExtensionRules(
    RulesTable& table);  // admissionregistration, apiregistration, certificates, flowcontrol, resource

}  // namespace keelson::apiserver
