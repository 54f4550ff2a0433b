// The first version, which is still served.
// +groupName=shop.example.com
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/v1/app.h"
#include "keelson/api/meta/v1.h"
#include "keelson/core/result.h"

namespace shop::v1alpha1 {

struct AppSpec {
  std::string image;

  std::optional<int32_t> size;
};

// +kubebuilder:object:root=true
struct App {
  keelson::metav1::ObjectMeta metadata;
  AppSpec spec;
};

void SetDefaults(App& app);

keelson::Result<void> ConvertTo(const App& app, v1::App& hub);
keelson::Result<void> ConvertFrom(App& app, const v1::App& hub);

}  // namespace shop::v1alpha1
