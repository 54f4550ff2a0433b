/// Package v1beta2 is about values that are filled in.
/// +groupName=kitchen.example.com

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/int_or_string.h"
#include "keelson/api/list.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/quantity.h"

namespace defaults::v1beta2 {

/// OvenSpec has scalars.
struct OvenSpec {
  /// +kubebuilder:default=180
  /// +optional
  int32_t degrees = 0;
  /// +kubebuilder:default=-5
  /// +optional
  int32_t offset = 0;
  /// +kubebuilder:default=true
  /// +optional
  bool fan = false;
  /// +kubebuilder:default=false
  std::optional<bool> light;
  /// +kubebuilder:default=bake
  /// +optional
  std::string mode;
  /// +kubebuilder:default="slow bake"
  /// +optional
  std::string program;
  /// +kubebuilder:default:="with colon"
  /// +optional
  std::string colon;
  /// +kubebuilder:default=`raw "text", with; marks`
  /// +optional
  std::string raw;
  /// +kubebuilder:default="a \"quoted\" word\tand a tab"
  /// +optional
  std::string escaped;
  /// +kubebuilder:default=""
  /// +optional
  std::string empty;
  /// +kubebuilder:default="12"
  /// +optional
  std::string digits;
  /// +kubebuilder:default="true"
  /// +optional
  std::string word;
  /// +kubebuilder:default=50m
  /// +optional
  keelson::Quantity power;
  /// +kubebuilder:default=80
  /// +optional
  keelson::IntOrString port;
  /// +kubebuilder:default=http
  /// +optional
  keelson::IntOrString name;
  /// +kubebuilder:default="5m0s"
  /// +optional
  keelson::metav1::Duration timer;
  /// Not JSON, and yet a number.
  /// +kubebuilder:validation:Type=number
  /// +kubebuilder:default=1.25
  /// +optional
  std::string half;
  /// +kubebuilder:default="Grüße, 世界"
  /// +optional
  std::string unicode;
  /// +kubebuilder:default=9007199254740993
  /// +optional
  int64_t big = 0;
  /// +kubebuilder:default=null
  /// +nullable
  std::optional<std::string> null;
};

/// Oven in a kitchen.
/// +kubebuilder:object:root=true
struct Oven {
  keelson::metav1::ObjectMeta metadata;

  /// +kubebuilder:default={}
  /// +optional
  OvenSpec spec;
};

/// Spice in a dish.
struct Spice {
  /// Name of the spice.
  std::string name;
  /// Grams of it.
  /// +kubebuilder:default=1
  /// +optional
  int32_t grams = 0;
  /// Fresh or dry.
  /// +optional
  bool fresh = false;
};

/// DishSpec has lists and objects.
struct DishSpec {
  /// +kubebuilder:default={1,2,3}
  /// +optional
  std::vector<int32_t> steps;
  /// +kubebuilder:default={a,b}
  /// +optional
  std::vector<std::string> tags;
  /// +kubebuilder:default={"a b","c,d",`e"f`}
  /// +optional
  std::vector<std::string> quoted;
  /// +kubebuilder:default={}
  /// +optional
  std::vector<std::string> none;
  /// +kubebuilder:default={"only"}
  /// +optional
  std::vector<std::string> only;
  /// +kubebuilder:default={true,false}
  /// +optional
  keelson::List<bool> flags;
  /// +kubebuilder:default={{1,2},{3}}
  /// +optional
  std::vector<std::vector<int32_t>> nested;
  /// +kubebuilder:default={hot: "yes", cold: "no"}
  /// +optional
  std::map<std::string, std::string> words;
  /// +kubebuilder:default={one:1,two:2}
  /// +optional
  std::map<std::string, int32_t> numbers;
  /// +kubebuilder:default={}
  /// +optional
  std::map<std::string, std::string> emptyMap;
  /// +kubebuilder:default={name: "salt", grams: 2, fresh: false}
  /// +optional
  Spice main;
  /// +kubebuilder:default={}
  std::optional<Spice> extra;
  /// +kubebuilder:default={{name: "salt"},{name: "pepper", grams: 3}}
  /// +optional
  std::vector<Spice> spices;
  /// +kubebuilder:default={requests: {cpu: "100m", memory: "64Mi"}, limits: {cpu: "1"}}
  /// +optional
  keelson::corev1::ResourceRequirements resources;
  /// +kubebuilder:default={list: {"x","y"}, other: {}}
  /// +optional
  std::map<std::string, std::vector<std::string>> lists;
};

/// Dish to be cooked.
/// +kubebuilder:object:root=true
struct Dish {
  keelson::metav1::ObjectMeta metadata;

  /// Spec of the dish.
  /// +optional
  DishSpec spec;
};

/// MenuSpec has defaults in Kubernetes' own form, examples and titles.
struct MenuSpec {
  /// +default="daily"
  /// +optional
  std::string kind;
  /// +default=3
  /// +optional
  int32_t courses = 0;
  /// +default=true
  /// +optional
  bool printed = false;
  /// +default=["soup","bread"]
  /// +optional
  std::vector<std::string> starters;
  /// +default={"lunch":12,"dinner":19}
  /// +optional
  std::map<std::string, int32_t> hours;
  /// +default={"name":"salt","grams":4}
  std::optional<Spice> spice;
  /// +default=ref(Nothing)
  /// +optional
  std::string referred;
  /// Both forms: the other tool's word counts.
  /// +default="first"
  /// +kubebuilder:default="second"
  /// +optional
  std::string both;
  /// +default=null
  std::optional<std::string> null;

  /// Price of the menu.
  /// +kubebuilder:example=12
  /// +kubebuilder:title=Price
  /// +optional
  int32_t price = 0;
  /// Wine that goes with it.
  /// +kubebuilder:example="Riesling, dry"
  /// +kubebuilder:title="The wine, if any"
  /// +optional
  std::string wine;
  /// +kubebuilder:example={soup,"main course"}
  /// +optional
  std::vector<std::string> order;
  /// +kubebuilder:example={name: "dill", fresh: true}
  /// +kubebuilder:title="The herb"
  std::optional<Spice> herb;
  /// +kubebuilder:example=false
  /// +optional
  bool open = false;
  /// +kubebuilder:example={monday: 1}
  /// +optional
  std::map<std::string, int32_t> days;
};

/// Menu of the day.
/// +kubebuilder:object:root=true
/// +kubebuilder:resource:shortName=mn
struct Menu {
  keelson::metav1::ObjectMeta metadata;

  MenuSpec spec;
};

}  // namespace defaults::v1beta2
