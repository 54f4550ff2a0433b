#include "keelson/codec/scheme.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "keelson/api/apps/v1.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "tests/app_service.h"

namespace keelson {
namespace {

using testing::AppService;

// Two further versions of one kind, to convert between.
struct Gadget {
  metav1::ObjectMeta metadata;
  std::string size;
};
struct OldGadget : Gadget {};
struct OlderGadget : Gadget {};
struct StrayGadget : Gadget {};
struct GadgetList {
  metav1::ListMeta metadata;
  List<Gadget> items;
};

}  // namespace

template <>
struct Describe<Gadget> {
  static const Type type;
};
template <>
struct Describe<OldGadget> {
  static const Type type;
};
template <>
struct Describe<OlderGadget> {
  static const Type type;
};
template <>
struct Describe<StrayGadget> {
  static const Type type;
};
template <>
struct Describe<GadgetList> {
  static const Type type;
};

namespace {

constexpr Field kGadgetFields[] = {
    {.name = "metadata", .type = &Describe<metav1::ObjectMeta>::type, .offset = offsetof(Gadget, metadata)},
    {.name = "size", .type = &Describe<std::string>::type, .offset = offsetof(Gadget, size)}};
constexpr Field kGadgetListFields[] = {
    {.name = "metadata", .type = &Describe<metav1::ListMeta>::type, .offset = offsetof(GadgetList, metadata)},
    {.name = "items", .type = &Describe<List<Gadget>>::type, .offset = offsetof(GadgetList, items)}};

}  // namespace

constinit const Type Describe<Gadget>::type = RootType<Gadget>("Gadget", kGadgetFields, "example.com", "v1", "Gadget");
constinit const Type Describe<OldGadget>::type =
    RootType<OldGadget>("OldGadget", kGadgetFields, "example.com", "v1beta1", "Gadget");
constinit const Type Describe<OlderGadget>::type =
    RootType<OlderGadget>("OlderGadget", kGadgetFields, "example.com", "v1alpha1", "Gadget");
constinit const Type Describe<StrayGadget>::type =
    RootType<StrayGadget>("StrayGadget", kGadgetFields, "example.com", "v1", "Gadget");
constinit const Type Describe<GadgetList>::type =
    RootType<GadgetList>("GadgetList", kGadgetListFields, "example.com", "v1", "GadgetList");

namespace {

TEST(Scheme, KnowsEveryBuiltinRoot) {
  const Scheme scheme = Scheme::Builtin();
  size_t roots = 0;
  for (const Type* type : BuiltinTypes()) {
    if (!type->is_root()) continue;
    ++roots;
    EXPECT_EQ(scheme.Find(GvkOf(*type)), type) << type->name;
  }
  EXPECT_GT(roots, 100u);
  EXPECT_EQ(scheme.Find({"apps", "v1", "Deployment"}), &TypeOf<appsv1::Deployment>());
  EXPECT_EQ(scheme.Find({"apps", "v2", "Deployment"}), nullptr);
}

TEST(Scheme, MakesObjectsByKind) {
  const Scheme scheme = Scheme::Builtin();
  Result<AnyValue> pod = scheme.New({"", "v1", "Pod"});
  ASSERT_TRUE(pod);
  EXPECT_EQ(&pod->type(), &TypeOf<corev1::Pod>());
  const corev1::Pod empty;
  EXPECT_TRUE(Equal(TypeOf<corev1::Pod>(), std::as_const(*pod).data(), &empty));
}

TEST(Scheme, SaysWhichVersionOfAKindItKnows) {
  const Scheme scheme = Scheme::Builtin();
  EXPECT_EQ(scheme.New({"apps", "v9", "Deployment"}).error().message(),
            "no type is registered for \"apps/v9, Kind=Deployment\"; the kind is known in version v1");
  EXPECT_EQ(scheme.New({"apps", "v1", "Nothing"}).error().message(),
            "no type is registered for \"apps/v1, Kind=Nothing\"");
}

TEST(Scheme, OneKindHasOneType) {
  Scheme scheme;
  EXPECT_TRUE(scheme.Add<Gadget>());
  EXPECT_TRUE(scheme.Add<Gadget>());
  const Result<void> second = scheme.Add<StrayGadget>();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(second.error().message(),
            "cannot register StrayGadget as \"example.com/v1, Kind=Gadget\": that kind is Gadget already");
  EXPECT_EQ(scheme.Find({"example.com", "v1", "Gadget"}), &TypeOf<Gadget>());
}

TEST(Scheme, TypeWithoutKindNeedsOne) {
  Scheme scheme;
  EXPECT_EQ(scheme.Add<corev1::PodSpec>().error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(scheme.Add({"g", "", "K"}, TypeOf<corev1::Pod>()).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(scheme.Add({"g", "v1", "WatchEvent"}, TypeOf<metav1::WatchEvent>()));
  EXPECT_TRUE(scheme.Add({"h", "v1", "WatchEvent"}, TypeOf<metav1::WatchEvent>()));
  EXPECT_EQ(scheme.KindsOf(TypeOf<metav1::WatchEvent>()),
            (std::vector<GroupVersionKind>{{"g", "v1", "WatchEvent"}, {"h", "v1", "WatchEvent"}}));
}

TEST(Scheme, FindsListsAndTheirElements) {
  const Scheme scheme = Scheme::Builtin();
  EXPECT_EQ(scheme.FindList({"", "v1", "Pod"}), &TypeOf<corev1::PodList>());
  EXPECT_EQ(scheme.FindElement({"", "v1", "PodList"}), &TypeOf<corev1::Pod>());
  EXPECT_EQ(scheme.FindList({"", "v1", "Binding"}), nullptr);
  EXPECT_EQ(scheme.FindElement({"", "v1", "Pod"}), nullptr);
}

TEST(Scheme, OrdersVersionsAsKubernetesDoes) {
  std::vector<std::string> versions = {"foo10", "v1",       "v12alpha1", "v10",       "v11beta2", "v2",
                                       "foo1",  "v10beta3", "v3beta1",   "v11alpha2", "v0",       "v1beta0"};
  std::sort(versions.begin(), versions.end(), VersionIsPreferred);
  EXPECT_EQ(versions, (std::vector<std::string>{"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1",
                                                "v11alpha2", "foo1", "foo10", "v0", "v1beta0"}));
}

TEST(Scheme, PrefersWhatItIsTold) {
  Scheme scheme;
  ASSERT_TRUE(scheme.Add<Gadget>() && scheme.Add<OldGadget>() && scheme.Add<OlderGadget>());
  EXPECT_EQ(scheme.Groups(), std::vector<std::string>{"example.com"});
  EXPECT_EQ(scheme.VersionsOf("example.com"), (std::vector<std::string>{"v1", "v1beta1", "v1alpha1"}));
  EXPECT_EQ(scheme.Preferred({"example.com", "Gadget"})->version, "v1");
  scheme.SetVersionPriority("example.com", {"v1alpha1", "v7"});
  EXPECT_EQ(scheme.VersionsOf("example.com"), (std::vector<std::string>{"v1alpha1", "v1", "v1beta1"}));
  EXPECT_EQ(scheme.Preferred({"example.com", "Gadget"})->version, "v1alpha1");
  EXPECT_EQ(scheme.Preferred({"example.com", "Other"}).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(scheme.VersionsOf("nothing.com").empty());
}

TEST(Scheme, DefaultsRunInOrderAndReachIntoLists) {
  Scheme scheme;
  ASSERT_TRUE(scheme.Add<Gadget>() && scheme.Add<GadgetList>());
  scheme.AddDefaulting<Gadget>([](Gadget& gadget) {
    if (gadget.size.empty()) gadget.size = "small";
  });
  scheme.AddDefaulting<Gadget>([](Gadget& gadget) { gadget.size += "!"; });
  Gadget gadget;
  scheme.Default(gadget);
  EXPECT_EQ(gadget.size, "small!");
  GadgetList list;
  list.items = {Gadget{}, Gadget{.metadata = {}, .size = "big"}};
  const GadgetList before = list;
  scheme.Default(list);
  EXPECT_EQ(std::as_const(list.items)[0].size, "small!");
  EXPECT_EQ(std::as_const(list.items)[1].size, "big!");
  EXPECT_EQ(before.items[0].size, "");
  AppService other;
  scheme.Default(other);  // nothing is known about it
  EXPECT_EQ(other.spec.deploymentName, "");
}

Scheme WithConversions() {
  Scheme scheme;
  scheme.Add<Gadget>().value();
  scheme.Add<OldGadget>().value();
  scheme.Add<OlderGadget>().value();
  scheme
      .AddConversion<OldGadget, Gadget>(
          [](const OldGadget& from, Gadget& to) -> Result<void> {
            return to.size = "old " + from.size, Result<void>();
          },
          [](const Gadget& from, OldGadget& to) -> Result<void> {
            return to.size = from.size + " to old", Result<void>();
          })
      .value();
  scheme
      .AddConversion<OlderGadget, Gadget>(
          [](const OlderGadget& from, Gadget& to) -> Result<void> {
            if (from.size == "bad") return Error::InvalidArgument("bad size");
            to.size = "older " + from.size;
            return {};
          },
          [](const Gadget& from, OlderGadget& to) -> Result<void> {
            return to.size = from.size + " to older", Result<void>();
          })
      .value();
  return scheme;
}

TEST(Scheme, AnyTwoVersionsMeetAtTheHub) {
  const Scheme scheme = WithConversions();
  OldGadget old;
  old.metadata.name = "g";
  old.metadata.labels = {{"a", "b"}};
  old.metadata.unknownFields = {{"path", "bytes"}};
  old.size = "x";

  const Result<Gadget> hub = scheme.Convert<Gadget>(old);
  ASSERT_TRUE(hub);
  EXPECT_EQ(hub->size, "old x");
  EXPECT_EQ(hub->metadata.name, "g");
  EXPECT_EQ(hub->metadata.labels.at("a"), "b");
  EXPECT_TRUE(hub->metadata.unknownFields.empty());

  EXPECT_EQ(scheme.Convert<OlderGadget>(old)->size, "old x to older");
  EXPECT_EQ(scheme.Convert<OldGadget>(*hub)->size, "old x to old");
  const Result<OldGadget> same = scheme.Convert<OldGadget>(old);
  EXPECT_EQ(same->size, "x");
  EXPECT_EQ(same->metadata.unknownFields.size(), 1u);  // nothing was converted
}

TEST(Scheme, ConvertsByNameWithoutKnowingTheTypes) {
  const Scheme scheme = WithConversions();
  OlderGadget older;
  older.size = "y";
  Result<AnyValue> converted = scheme.Convert(TypeOf<OlderGadget>(), &older, {"example.com", "v1beta1", "Gadget"});
  ASSERT_TRUE(converted);
  EXPECT_EQ(static_cast<OldGadget*>(converted->data())->size, "older y to old");
}

TEST(Scheme, ConversionErrorsSayWhatIsMissing) {
  Scheme scheme = WithConversions();
  OlderGadget older;
  older.size = "bad";
  EXPECT_EQ(scheme.Convert<Gadget>(older).error().message(), "bad size");
  EXPECT_EQ(
      scheme.Convert<AppService>(older).error().message(),
      "cannot convert \"example.com/v1alpha1, Kind=Gadget\" to \"example.com/v1alpha1, Kind=AppService\": the latter "
      "is not registered");
  ASSERT_TRUE(scheme.Add<AppService>());
  EXPECT_EQ(scheme.Convert<AppService>(older).error().message(),
            "cannot convert \"example.com/v1alpha1, Kind=Gadget\" to \"example.com/v1alpha1, Kind=AppService\": no "
            "conversion between them is registered");

  Scheme half;
  ASSERT_TRUE(half.Add<Gadget>() && half.Add<OldGadget>() && half.Add<OlderGadget>());
  const Scheme::Conversion nothing = [](const void*, void*) { return Result<void>(); };
  ASSERT_TRUE(half.AddConversion(TypeOf<OldGadget>(), TypeOf<Gadget>(), nothing, nothing));
  EXPECT_EQ(half.Convert<OlderGadget>(OldGadget()).error().message(),
            "cannot convert \"example.com/v1beta1, Kind=Gadget\" to \"example.com/v1alpha1, Kind=Gadget\": version "
            "v1alpha1 has no conversion");
}

TEST(Scheme, HubIsOneOfTheVersionsAndOnlyOne) {
  const Scheme::Conversion nothing = [](const void*, void*) { return Result<void>(); };
  Scheme scheme = WithConversions();
  const auto add = [&](const Type& spoke, const Type& hub) {
    const Result<void> result = scheme.AddConversion(spoke, hub, nothing, nothing);
    return result ? std::string("added") : result.error().message().substr(result.error().message().rfind(": ") + 2);
  };
  EXPECT_EQ(add(TypeOf<OlderGadget>(), TypeOf<OldGadget>()), "the hub of that kind is version v1");
  EXPECT_EQ(add(TypeOf<OldGadget>(), TypeOf<Gadget>()), "it has a conversion already");
  EXPECT_EQ(add(TypeOf<Gadget>(), TypeOf<Gadget>()), "they are not two versions of one kind");
  EXPECT_EQ(add(TypeOf<AppService>(), TypeOf<Gadget>()), "both types must have been added to the scheme before");
}

}  // namespace
}  // namespace keelson
