// What the server says of a CustomResourceDefinition in its status: which names it got, whether its objects are served,
// how far its deletion is.
//
//   AcceptNames(definition, names_of_the_group, now);     // NamesAccepted, and Established: not yet
//   Establish(definition, now);
//
// Pure functions over the definition; definitions.h decides when.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "keelson/api/apiextensions/v1.h"

namespace keelson::apiserver {

inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

inline constexpr std::string_view kNamesAccepted = "NamesAccepted";
inline constexpr std::string_view kEstablished = "Established";
inline constexpr std::string_view kTerminating = "Terminating";
inline constexpr std::string_view kApprovalConformant = "KubernetesAPIApprovalPolicyConformant";

bool HasCondition(const apiextensionsv1::CustomResourceDefinition& definition,
                  std::string_view type);  // and it is True

// Adds it or changes the one of its type; its time moves only with its status.
void SetCondition(apiextensionsv1::CustomResourceDefinition& definition, std::string_view type, bool status,
                  std::string_view reason, std::string_view message, metav1::Time now);

// The names that definitions of a group have: two may not share any of them.
struct NamesInUse {
  std::set<std::string, std::less<>> resources;  // plurals, singulars, short names
  std::set<std::string, std::less<>> kinds;      // kinds and list kinds
  void Add(const apiextensionsv1::CustomResourceDefinition& definition);
};

// Gives the definition those of its names that nobody else has, and says so in NamesAccepted. `used` holds the names of
// all definitions of the group, its own accepted ones included. Whether anything changed.
bool AcceptNames(apiextensionsv1::CustomResourceDefinition& definition, const NamesInUse& used, metav1::Time now);

// Once all names are accepted. Whether anything changed.
bool Establish(apiextensionsv1::CustomResourceDefinition& definition, metav1::Time now);

// Of a group that is for approved APIs: whether this one is. Whether anything changed.
bool NoteApproval(apiextensionsv1::CustomResourceDefinition& definition, metav1::Time now);

// Its deletion was asked for; its objects are still there.
void MarkForDeletion(apiextensionsv1::CustomResourceDefinition& definition, metav1::Time now);

}  // namespace keelson::apiserver
