// The cells that `kubectl get` shows, kind by kind: what a server answers when it is asked for a Table.
//
//   const Printer* printer = FindPrinter(TypeOf<corev1::Pod>());
//   List<Json> cells = printer->cells(&pod, {.now = now});
//
// The columns' names are those of the built-in resources' data (api/builtin_resources.h), in the same order.
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
};

// Null when the kind has no columns of its own: then they are Name and Created At (as upstream's default convertor
// does).
const Printer* FindPrinter(const Type& type);

// "5d", "3h20m", "<unknown>", as kubectl shows ages.
std::string HumanDuration(Duration duration);
std::string Age(const metav1::Time& time, WallTime now);

}  // namespace keelson::apiserver
