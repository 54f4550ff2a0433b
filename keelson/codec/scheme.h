// Which C++ type stands for which kind, how its objects get their defaults, and how its versions turn into one another.
//
//   Scheme scheme = Scheme::Builtin();
//   KEELSON_RETURN_IF_ERROR(scheme.Add<AppService>());
//   scheme.AddDefaulting<AppService>([](AppService& app) { if (!app.spec.replicas) app.spec.replicas = 1; });
//   KEELSON_RETURN_IF_ERROR((scheme.AddConversion<v1alpha1::AppService, v1::AppService>(ToHub, FromHub)));
//
//   KEELSON_TRY(object, scheme.New({"example.com", "v1", "AppService"}));
//   KEELSON_TRY(stored, scheme.Convert<v1::AppService>(old));
//
// An ordinary value: made, filled by one thread, then only read, from any thread. There is no global one.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/gvk.h"
#include "keelson/api/object.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson {

class Scheme {
 public:
  // Fills `to`, whose metadata is that of `from` already.
  using Conversion = std::function<Result<void>(const void* from, void* to)>;
  using Defaulting = std::function<void(void* object)>;

  Scheme() = default;  // knows nothing
  // Every built-in root type, lists and options among them.
  static Scheme Builtin();

  // Under the type's own group, version and kind, or under the given one. A kind that has another type is an error.
  Result<void> Add(const Type& type);
  Result<void> Add(const GroupVersionKind& kind, const Type& type);
  template <class T>
  Result<void> Add() {
    return Add(TypeOf<T>());
  }

  // Null when the kind is not known.
  const Type* Find(const GroupVersionKind& kind) const;
  // A default object.
  Result<AnyValue> New(const GroupVersionKind& kind) const;
  // The kinds that a type stands for, in order.
  std::vector<GroupVersionKind> KindsOf(const Type& type) const;

  // The list of a kind ("PodList" of "Pod"), and back; null when it is not known.
  const Type* FindList(const GroupVersionKind& kind) const;
  const Type* FindElement(const GroupVersionKind& list_kind) const;

  std::vector<std::string> Groups() const;  // sorted
  // The versions of a group, the preferred one first: those of SetVersionPriority, then stable before beta before alpha
  // and higher numbers before lower ones. Empty when the group is not known.
  std::vector<std::string> VersionsOf(std::string_view group) const;
  void SetVersionPriority(std::string_view group, std::vector<std::string> versions);
  // The kind in the first of the group's versions that has it.
  Result<GroupVersionKind> Preferred(const GroupKind& kind) const;

  // Functions of one type run in the order they were added. Default also visits the items of a list.
  void AddDefaulting(const Type& type, Defaulting set_defaults);
  template <class T>
  void AddDefaulting(std::function<void(T&)> set_defaults) {
    AddDefaulting(TypeOf<T>(),
                  [set_defaults = std::move(set_defaults)](void* object) { set_defaults(*static_cast<T*>(object)); });
  }
  void Default(const Type& type, void* object) const;
  template <class T>
  void Default(T& object) const {
    Default(TypeOf<T>(), &object);
  }

  // Every version of a kind converts to one of them, the hub, and back; any two versions meet there. All types have
  // been added before. A second hub for a kind, or a second conversion for a version, is an error.
  Result<void> AddConversion(const Type& spoke, const Type& hub, Conversion to_hub, Conversion from_hub);
  template <class Spoke, class Hub>
  Result<void> AddConversion(std::function<Result<void>(const Spoke&, Hub&)> to_hub,
                             std::function<Result<void>(const Hub&, Spoke&)> from_hub) {
    return AddConversion(TypeOf<Spoke>(), TypeOf<Hub>(), Erased(std::move(to_hub)), Erased(std::move(from_hub)));
  }

  // Whether `key` is new here: what may be asked for several times, as generated AddToScheme functions may, is done
  // once.
  bool IsFirst(const void* key) { return done_.insert(key).second; }

  // Metadata goes along by itself; fields that the old version's type did not know stay behind.
  Result<AnyValue> Convert(const Type& type, const void* object, const GroupVersionKind& to) const;
  template <class To, class From>
  Result<To> Convert(const From& object) const {
    KEELSON_TRY(converted, Convert(TypeOf<From>(), &object, GvkOf<To>()));
    return std::move(*static_cast<To*>(converted.data()));
  }

 private:
  struct Spoke {
    const Type* hub;
    Conversion to_hub;
    Conversion from_hub;
  };

  template <class From, class To>
  static Conversion Erased(std::function<Result<void>(const From&, To&)> convert) {
    return [convert = std::move(convert)](const void* from, void* to) {
      return convert(*static_cast<const From*>(from), *static_cast<To*>(to));
    };
  }
  Result<AnyValue> Apply(const Conversion& convert, const Type& from_type, const void* from, const Type& to) const;

  std::map<GroupVersionKind, const Type*> types_;
  std::map<std::string, std::vector<std::string>, std::less<>> priorities_;
  std::map<const Type*, std::vector<Defaulting>> defaulting_;
  std::map<GroupKind, const Type*> hubs_;
  std::map<const Type*, Spoke> spokes_;
  std::set<const void*> done_;
};

// Whether `a` comes before `b` where nobody said otherwise: v2, v1, v2beta1, v1beta2, v1alpha1, then other names by
// letter.
bool VersionIsPreferred(std::string_view a, std::string_view b);

}  // namespace keelson
