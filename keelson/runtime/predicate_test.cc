#include "keelson/runtime/predicate.h"

#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/runtime/source_test_support.h"

namespace keelson {
namespace {

corev1::ConfigMap Map() {
  return {.metadata = {.name = "web",
                       .namespace_ = "default",
                       .resourceVersion = "1",
                       .generation = 4,
                       .labels = {{"app", "web"}},
                       .annotations = {{"note", "a"}},
                       .finalizers = {"example.com/keep"}},
          .data = {{"value", "a"}}};
}

// A newer version with one thing changed.
template <class Change>
corev1::ConfigMap With(Change change) {
  corev1::ConfigMap map = Map();
  map.metadata.resourceVersion = "2";
  change(map);
  return map;
}
corev1::ConfigMap Newer() {
  return With([](corev1::ConfigMap&) {});
}

void ExpectOtherEventsPass(const Predicate& predicate) {
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_TRUE(predicate(Created(form, Map())));
    EXPECT_TRUE(predicate(Deleted(form, Map())));
    EXPECT_TRUE(predicate(Generic(form, Map())));
  }
}

// Of updates from Map() to `now`, in every form.
void ExpectUpdate(const Predicate& predicate, const corev1::ConfigMap& now, bool passes) {
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_EQ(predicate(Updated(form, Map(), now)), passes);
    EXPECT_EQ(predicate(Updated(form, now, Map())), passes);
  }
}
void ExpectResyncDropped(const Predicate& predicate) {
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_FALSE(predicate(Resynced(form, Map())));
  }
}

const auto kGeneration = [](corev1::ConfigMap& map) { map.metadata.generation = 5; };
const auto kLabel = [](corev1::ConfigMap& map) { map.metadata.labels.Set("app", "shop"); };
const auto kNoLabels = [](corev1::ConfigMap& map) { map.metadata.labels = {}; };
const auto kAnnotation = [](corev1::ConfigMap& map) { map.metadata.annotations.Set("note", "b"); };
const auto kFinalizer = [](corev1::ConfigMap& map) { map.metadata.finalizers = {}; };
const auto kDeletion = [](corev1::ConfigMap& map) { map.metadata.deletionTimestamp = metav1::Time(WallTime{}); };

TEST(Predicate, GenerationChangedDropsUpdatesOfMetadataAndStatus) {
  const Predicate predicate = GenerationChanged();
  ExpectOtherEventsPass(predicate);
  ExpectResyncDropped(predicate);
  ExpectUpdate(predicate, With(kGeneration), true);
  ExpectUpdate(predicate, Newer(), false);
  ExpectUpdate(predicate, With(kLabel), false);
}

TEST(Predicate, GenerationChangedHearsOfObjectsWithoutAGeneration) {
  corev1::ConfigMap before = Map();
  before.metadata.generation = 0;
  corev1::ConfigMap now = Newer();
  now.metadata.generation = 0;
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_TRUE(GenerationChanged()(Updated(form, before, now)));
    EXPECT_FALSE(GenerationChanged()(Updated(form, before, before)));
    EXPECT_FALSE(GenerationChanged()(Resynced(form, before)));
  }
}

TEST(Predicate, ResourceVersionChangedDropsResyncs) {
  const Predicate predicate = ResourceVersionChanged();
  ExpectOtherEventsPass(predicate);
  ExpectResyncDropped(predicate);
  ExpectUpdate(predicate, Newer(), true);
  ExpectUpdate(predicate, Map(), false);
}

TEST(Predicate, LabelChangedLooksAtLabels) {
  const Predicate predicate = LabelChanged();
  ExpectOtherEventsPass(predicate);
  ExpectResyncDropped(predicate);
  ExpectUpdate(predicate, With(kLabel), true);
  ExpectUpdate(predicate, With(kNoLabels), true);
  ExpectUpdate(predicate, With(kAnnotation), false);
  ExpectUpdate(predicate, With(kGeneration), false);
}

TEST(Predicate, NoLabelsAreTheSameAsAnEmptySet) {
  Unstructured none = ToUnstructured(With(kNoLabels));
  Unstructured empty = none;
  ASSERT_TRUE(empty.SetNested({"metadata", "labels"}, Json(JsonObject())));
  const ObjectEvent event(ModelOf<Unstructured>(), {.type = DeltaType::kUpdated,
                                                    .object = std::make_shared<Unstructured>(empty),
                                                    .old = std::make_shared<Unstructured>(none)});
  EXPECT_FALSE(LabelChanged()(event));
}

TEST(Predicate, AnnotationChangedLooksAtAnnotations) {
  const Predicate predicate = AnnotationChanged();
  ExpectOtherEventsPass(predicate);
  ExpectResyncDropped(predicate);
  ExpectUpdate(predicate, With(kAnnotation), true);
  ExpectUpdate(predicate, With(kLabel), false);
}

TEST(Predicate, FinalizerOrDeletionChangedLooksAtBoth) {
  const Predicate predicate = FinalizerOrDeletionChanged();
  ExpectOtherEventsPass(predicate);
  ExpectResyncDropped(predicate);
  ExpectUpdate(predicate, With(kFinalizer), true);
  ExpectUpdate(predicate, With(kDeletion), true);
  ExpectUpdate(predicate, With(kLabel), false);
}

TEST(Predicate, LabelsMatchIsForEveryEvent) {
  const Predicate web = LabelsMatch(labels::Selector::FromSet({{"app", "web"}}));
  const Predicate shop = LabelsMatch(labels::Selector::FromSet({{"app", "shop"}}));
  const Predicate bank = LabelsMatch(labels::Selector::FromSet({{"app", "bank"}}));
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    for (const ObjectEvent& event :
         {Created(form, Map()), Deleted(form, Map()), Generic(form, Map()), Resynced(form, Map())}) {
      EXPECT_TRUE(web(event)) << ToString(event.type());
      EXPECT_FALSE(shop(event)) << ToString(event.type());
    }
    // It comes to one and leaves the other.
    const ObjectEvent moves = Updated(form, Map(), With(kLabel));
    EXPECT_TRUE(web(moves));
    EXPECT_TRUE(shop(moves));
    EXPECT_FALSE(bank(moves));
  }
}

TEST(Predicate, FunctionsOfOneTypeOfEventLetOthersPass) {
  using Map1 = corev1::ConfigMap;
  const auto is_a = [](const Map1& map) { return map.data.find("value") != nullptr && *map.data.find("value") == "a"; };
  const auto kOther = [](Map1& map) { map.data.Set("value", "b"); };
  for (const Form form : {Form::kTyped, Form::kUnstructured}) {
    SCOPED_TRACE(form);
    const std::vector<ObjectEvent> of_a = {Created(form, Map()), Updated(form, With(kOther), Map()),
                                           Deleted(form, Map()), Generic(form, Map())};
    const std::vector<ObjectEvent> of_b = {Created(form, With(kOther)), Updated(form, Map(), With(kOther)),
                                           Deleted(form, With(kOther)), Generic(form, With(kOther))};
    const std::vector<Predicate> each = {
        Predicate::OnCreate<Map1>(is_a),
        Predicate::OnUpdate<Map1>([&](const Map1& old, const Map1& now) { return !is_a(old) && is_a(now); }),
        Predicate::OnDelete<Map1>(is_a), Predicate::OnGeneric<Map1>(is_a)};
    for (size_t type = 0; type < each.size(); ++type) {
      for (size_t event = 0; event < of_a.size(); ++event) {
        EXPECT_TRUE(each[type](of_a[event])) << type << " " << event;
        EXPECT_EQ(each[type](of_b[event]), type != event) << type << " " << event;
      }
    }
    for (size_t event = 0; event < of_a.size(); ++event) {
      EXPECT_TRUE(Predicate::Of<Map1>(is_a)(of_a[event])) << event;
      EXPECT_FALSE(Predicate::Of<Map1>(is_a)(of_b[event])) << event;
      EXPECT_FALSE(Predicate::Of<corev1::Secret>([](const corev1::Secret&) { return true; })(of_a[event])) << event;
    }
  }
}

TEST(Predicate, AndOrNotAreThoseOfLogic) {
  const ObjectEvent event = Created(Form::kTyped, Map());
  int asked = 0;
  const Predicate yes([&](const ObjectEvent&) { return ++asked, true; });
  const Predicate no([&](const ObjectEvent&) { return ++asked, false; });
  const Predicate all;
  EXPECT_TRUE((yes && yes)(event));
  EXPECT_FALSE((yes && no)(event));
  EXPECT_FALSE((no && yes)(event));
  EXPECT_FALSE((no && no)(event));
  EXPECT_TRUE((yes || yes)(event));
  EXPECT_TRUE((yes || no)(event));
  EXPECT_TRUE((no || yes)(event));
  EXPECT_FALSE((no || no)(event));
  EXPECT_FALSE((!yes)(event));
  EXPECT_TRUE((!no)(event));
  EXPECT_FALSE((!all)(event));
  EXPECT_TRUE((all && yes)(event));
  EXPECT_FALSE((no && all)(event));
  EXPECT_TRUE((no || all)(event));
  EXPECT_TRUE((all && all).passes_all());
  EXPECT_TRUE((all || no).passes_all());
  EXPECT_FALSE((!all).passes_all());
  // The second is asked only where it decides.
  asked = 0;
  EXPECT_TRUE((yes || no)(event));
  EXPECT_FALSE((no && yes)(event));
  EXPECT_EQ(asked, 2);
}

TEST(Predicate, CombinesWhatChanged) {
  const Predicate predicate = GenerationChanged() || AnnotationChanged();
  ExpectOtherEventsPass(predicate);
  ExpectUpdate(predicate, With(kGeneration), true);
  ExpectUpdate(predicate, With(kAnnotation), true);
  ExpectUpdate(predicate, With(kLabel), false);
}

}  // namespace
}  // namespace keelson
