// What generated AddToScheme functions do with the functions that a user declares beside an API type. They are found by
// their arguments, so they stand in the namespace of the type, in one of the headers that the code is generated from:
//
//   namespace example::v1alpha1 {
//   void SetDefaults(App& app);
//
//   // To and from the version that is stored (+kubebuilder:storageversion), the hub of all others.
//   keelson::Result<void> ConvertTo(const App& app, v1::App& hub);
//   keelson::Result<void> ConvertFrom(App& app, const v1::App& hub);
//   }
//
// Metadata goes along by itself. A version whose header declares none of them is registered without. Registering the
// same again changes nothing.
#pragma once

#include <concepts>
#include <utility>

#include "keelson/codec/scheme.h"
#include "keelson/core/result.h"

namespace keelson {

namespace internal {

template <class T>
concept HasDefaults = requires(T& object) { SetDefaults(object); };
// Of a SetDefaults that takes a copy or a constant object.
template <class T>
concept DefaultsInVain = requires { SetDefaults(std::declval<const T&>()); };

template <class Spoke, class Hub>
concept HasConvertTo = requires(const Spoke& spoke, Hub& hub) {
  { ConvertTo(spoke, hub) } -> std::same_as<Result<void>>;
};
template <class Spoke, class Hub>
concept HasConvertFrom = requires(Spoke& spoke, const Hub& hub) {
  { ConvertFrom(spoke, hub) } -> std::same_as<Result<void>>;
};

// Their addresses tell registrations apart.
template <class T>
inline constexpr char kDefaulting = 0;
template <class Spoke, class Hub>
inline constexpr char kConversion = 0;

}  // namespace internal

template <class T>
void RegisterDefaulting(Scheme& scheme) {
  if constexpr (internal::HasDefaults<T>) {
    static_assert(!internal::DefaultsInVain<T>, "SetDefaults must take a reference to the object that it changes");
    if (!scheme.IsFirst(&internal::kDefaulting<T>)) return;
    scheme.AddDefaulting<T>([](T& object) { SetDefaults(object); });
  }
}

template <class Spoke, class Hub>
Result<void> RegisterConversion(Scheme& scheme) {
  constexpr bool has_to = internal::HasConvertTo<Spoke, Hub>;
  constexpr bool has_from = internal::HasConvertFrom<Spoke, Hub>;
  static_assert(has_to || !has_from,
                "ConvertFrom has no counterpart: declare Result<void> ConvertTo(const Spoke&, Hub&) beside it");
  static_assert(has_from || !has_to,
                "ConvertTo has no counterpart: declare Result<void> ConvertFrom(Spoke&, const Hub&) beside it");
  if constexpr (has_to && has_from) {
    KEELSON_RETURN_IF_ERROR(scheme.Add<Hub>());
    if (!scheme.IsFirst(&internal::kConversion<Spoke, Hub>)) return {};
    return scheme.AddConversion<Spoke, Hub>([](const Spoke& spoke, Hub& hub) { return ConvertTo(spoke, hub); },
                                            [](const Hub& hub, Spoke& spoke) { return ConvertFrom(spoke, hub); });
  } else {
    return {};
  }
}

}  // namespace keelson
