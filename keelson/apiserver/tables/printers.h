// The cells that `kubectl get` shows, kind by kind: what a server answers when it is asked for a Table.
//
//   const Printer* printer = FindPrinter(TypeOf<corev1::Pod>());
//   List<Json> cells = printer->cells(&pod, {.now = now});
//
// The columns' names are those of the built-in resources' data (api/builtin_resources.h), in the same order. A kind
// that several API versions share is printed from the version it is stored in: core/v1 Event, autoscaling/v2
// HorizontalPodAutoscaler.
#pragma once

#include <string>

#include "keelson/api/json.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/type.h"
#include "keelson/core/time.h"

namespace keelson::apiserver {

struct PrintContext {
  WallTime now;
};

struct Printer {
  // All columns, those of priority above 0 among them.
  List<Json> (*cells)(const void* object, const PrintContext& context);
  // The conditions of the row; null when the kind's rows have none.
  List<metav1::TableRowCondition> (*conditions)(const void* object) = nullptr;
  // Whether `a` is shown above `b` in a list; null when rows keep the list's own order.
  bool (*before)(const void* a, const void* b) = nullptr;
};

// Null when the kind has no columns of its own: then its cells are DefaultCells.
const Printer* FindPrinter(const Type& type);

// Of the columns Name and Created At.
List<Json> DefaultCells(const metav1::ObjectMeta& metadata);

// The columns of autoscaling/v1 Scale, which is no resource but can be asked for as a Table too.
List<metav1::TableColumnDefinition> ScaleColumns();

// "5d", "3h20m", as kubectl shows them; "<invalid>" when it lies in the future.
std::string HumanDuration(Duration duration);
// How long ago that was; "<unknown>" when there is no time.
std::string Age(const metav1::Time& time, WallTime now);
std::string Age(const metav1::MicroTime& time, WallTime now);

}  // namespace keelson::apiserver
