#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace library::v1 {

/// Address where mail is sent to.
struct Address {
  /// Street and number.
  std::string street;
  /// +optional
  std::string street2;
  /// City or town.
  std::string city;
  /// PostalCode in the country's own form.
  /// +keelson:json=postal_code
  std::string postalCode;
  /// Country as two letters.
  /// +kubebuilder:default=DE
  /// +optional
  std::string country;
};

/// AuthorSpec says who wrote.
struct AuthorSpec {
  /// Name in full.
  std::string name;
  /// PenNames the author used.
  /// +listType=set
  /// +optional
  std::vector<std::string> penNames;
  /// Born on this day.
  /// +kubebuilder:validation:Format=date
  /// +optional
  std::string born;
  /// Homepage of the author.
  /// +kubebuilder:validation:Format=uri
  /// +nullable
  /// +required
  std::optional<std::string> homepage;
  /// Estate gets the royalties.
  std::optional<Address> estate;
};

/// Author of books; lives outside of namespaces.
/// +kubebuilder:object:root=true
/// +kubebuilder:resource:scope=Cluster
/// +kubebuilder:metadata:annotations="library.example.com/owner=catalogue team";"library.example.com/page=a=b",labels=tier=reference
/// +kubebuilder:metadata:labels={"app=library","stage=beta"}
struct Author {
  keelson::metav1::ObjectMeta metadata;

  AuthorSpec spec;
};

/// ReaderSpec describes a card holder.
struct ReaderSpec {
  /// Name on the card.
  std::string name;
  /// Home is where reminders go. This text replaces that of the type.
  Address home;
  std::optional<Address> work;
  /// Phones by kind: mobile, work.
  /// +optional
  std::map<std::string, std::string> phones;
  /// Secret number of the card, kept out of the API.
  /// +keelson:json=-
  std::string secret;
};

/// ReaderStatus counts.
struct ReaderStatus {
  /// Fines in cents.
  int64_t fines = 0;
  /// Loans that are open.
  int32_t loans = 0;
};

/// +genclient
/// +genclient:noStatus

/// Reader has a library card.
/// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
/// +kubebuilder:resource:path=library-readers,singular=library-reader,shortName={rd}
/// +kubebuilder:subresource:status
struct Reader {
  keelson::metav1::ObjectMeta metadata;

  ReaderSpec spec;
  ReaderStatus status;
};

}  // namespace library::v1
