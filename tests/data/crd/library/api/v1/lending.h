#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "book.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/string.h"

namespace library::v1 {

/**
 * LoanSpec is a promise to bring a book back.
 *
 * The period starts when the loan is made:
 *
 *   - 28 days for books,
 *   - 7 days for films.
 */
struct LoanSpec {
  /**
   * Book that is lent.
   */
  keelson::corev1::LocalObjectReference book;
  /**
   * Reader who has it.
   */
  keelson::corev1::LocalObjectReference reader;
  /**
   * Period until it is due.
   * +kubebuilder:default="672h"
   */
  std::optional<keelson::metav1::Duration> period;
  /**
   * Renewals so far.
   *+kubebuilder:validation:Maximum=3
   *+kubebuilder:validation:ExclusiveMaximum=false
   * +optional
   */
  int32_t renewals = 0;
  /**
   * Edition lent, if it matters.
   */
  std::optional<Edition> edition;
};

/**
 * LoanStatus is where the loan stands.
 */
struct LoanStatus {
  /**
   * Phase of the loan.
   * +kubebuilder:validation:Enum={Open,Overdue,Closed}
   * +optional
   */
  std::string phase;
  /**
   * Due is when the book must be back.
   * +optional
   */
  keelson::metav1::Time due;
  /**
   * Seen is the exact time of the last scan.
   */
  std::optional<keelson::metav1::MicroTime> seen;
};

/**
 * Loan of a book to a reader.
 * +kubebuilder:object:root=true
 * +kubebuilder:subresource:status
 * +kubebuilder:resource:shortName=ln
 * +kubebuilder:printcolumn:JSONPath=".status.phase",name=Phase,type=string
 * +kubebuilder:validation:XValidation:rule="self.spec.renewals <= 3",message="no more than three renewals"
 */
struct Loan {
  keelson::metav1::ObjectMeta metadata;

  /**
   * Spec of the loan.
   * +optional
   */
  LoanSpec spec;
  /**
   * Status of the loan.
   * +optional
   */
  std::optional<LoanStatus> status;
};

/**
 * ShelfSpec holds places.
 */
struct ShelfSpec {
  /**
   * Rows of the shelf, each a list of places.
   */
  std::vector<std::vector<std::string>> rows;
  /**
   * Sections maps a section to its editions.
   * +optional
   */
  std::map<std::string, std::vector<Edition>> sections;
  /**
   * Owners maps a room to people by role.
   * +optional
   */
  std::map<std::string, std::map<std::string, std::string>> owners;
  /**
   * Label printed on the shelf, a small picture.
   * +optional
   */
  keelson::Bytes label;
};

/**
 * +kubebuilder:object:root=true
 * +kubebuilder:resource:path=shelves
 * Shelf in a room.
 */
struct Shelf {
  keelson::metav1::ObjectMeta metadata;

  ShelfSpec spec;
};

}  // namespace library::v1
