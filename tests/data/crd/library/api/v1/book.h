#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace library::v1 {

// Language of a text, as a two letter code.
// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:MaxLength=2
// +kubebuilder:validation:Pattern=`^[a-z]{2}$`
using Language = std::string;

// Binding tells how the pages are held together.
enum class Binding {
  Hardcover,
  Paperback,
  Spiral,
};

// Edition is one printing of a book.
struct Edition {
  // Year of the printing.
  // +kubebuilder:validation:Minimum=1450
  // +kubebuilder:validation:Maximum=2100
  int32_t year = 0;

  // ISBN of the printing, if it has one.
  // +optional
  // +kubebuilder:validation:Pattern="^(97(8|9))?\\d{9}(\\d|X)$"
  // +kubebuilder:example="9783161484100"
  std::string isbn;

  // +optional
  Binding binding;

  // Pages counts the numbered pages.
  // +kubebuilder:validation:Minimum=1
  std::optional<int32_t> pages;
};

// BookSpec is what the library knows about a book.
struct BookSpec {
  // Title as printed on the cover.
  // +kubebuilder:validation:MinLength=1
  // +kubebuilder:validation:MaxLength=300
  std::string title;

  // Authors by name, the first one first.
  // +kubebuilder:validation:MinItems=1
  // +kubebuilder:validation:MaxItems=20
  std::vector<std::string> authors;

  // Language the book was written in. It overrides what the type says.
  Language language;

  // +optional
  std::vector<Language> translations;

  // Editions the library has.
  // +listType=map
  // +listMapKey=year
  // +optional
  std::vector<Edition> editions;

  // Subjects maps a subject to its weight.
  // +optional
  std::map<std::string, int32_t> subjects;

  // Reference books are not lent.
  // +kubebuilder:default=false
  // +optional
  bool reference = false;

  // Copies that the library owns.
  // +kubebuilder:default=1
  // +kubebuilder:validation:Minimum=0
  std::optional<int32_t> copies;
};

// BookStatus is what the controller found out.
struct BookStatus {
  // Available copies.
  // +optional
  int32_t available = 0;

  // Conditions of the book.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;

  // LastLent is when the book was last lent.
  std::optional<keelson::metav1::Time> lastLent;
};

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=books,scope=Namespaced,shortName=bk;bks,categories=all;library,singular=book
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Title",type=string,JSONPath=`.spec.title`,description="The title on the cover"
// +kubebuilder:printcolumn:name=Copies,type=integer,format=int32,JSONPath=.spec.copies,priority=1
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="First, author",type=string,JSONPath=`.spec.authors[0]`,description=`said "the first" of them`
// +kubebuilder:selectablefield:JSONPath=`.spec.language`
// +kubebuilder:selectablefield:JSONPath=".spec.title"

// Book is a title that the library owns.
struct Book {
  // Standard object's metadata.
  keelson::metav1::ObjectMeta metadata;

  // Spec of the book.
  BookSpec spec;
  // Status of the book.
  BookStatus status;
};

}  // namespace library::v1
