#include "keelson/runtime/object_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/runtime/source_test_support.h"

namespace keelson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

corev1::ConfigMap Map(const char* version, const char* value) {
  return {.metadata = {.name = "web",
                       .namespace_ = "default",
                       .uid = "u1",
                       .resourceVersion = version,
                       .labels = {{"app", "web"}}},
          .data = {{"value", value}}};
}

TEST(ObjectEvent, TellsWhatHappened) {
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_EQ(Created(form, Map("1", "a")).type(), ObjectEventType::kCreated);
    EXPECT_EQ(Updated(form, Map("1", "a"), Map("2", "b")).type(), ObjectEventType::kUpdated);
    EXPECT_EQ(Deleted(form, Map("1", "a")).type(), ObjectEventType::kDeleted);
    EXPECT_EQ(Generic(form, Map("1", "a")).type(), ObjectEventType::kGeneric);
    EXPECT_EQ(Resynced(form, Map("1", "a")).type(), ObjectEventType::kUpdated);
    EXPECT_TRUE(Resynced(form, Map("1", "a")).resync());
    EXPECT_FALSE(Updated(form, Map("1", "a"), Map("2", "b")).resync());

    const ObjectPtr object = ObjectIn(form, Map("1", "a"));
    const ObjectEvent listed =
        EventIn(form, {.type = DeltaType::kReplaced, .object = object, .old = ObjectIn(form, Map("0", "z"))});
    EXPECT_EQ(listed.type(), ObjectEventType::kUpdated);
    const ObjectEvent found = EventIn(form, {.type = DeltaType::kReplaced, .object = object, .initial = true});
    EXPECT_EQ(found.type(), ObjectEventType::kCreated);
    EXPECT_TRUE(found.initial());
    const ObjectEvent missed =
        EventIn(form, {.type = DeltaType::kDeleted, .object = object, .old = object, .final_state_unknown = true});
    EXPECT_TRUE(missed.final_state_unknown());
    EXPECT_FALSE(Deleted(form, Map("1", "a")).final_state_unknown());
  }
  EXPECT_EQ(ToString(ObjectEventType::kCreated), "created");
  EXPECT_EQ(ToString(ObjectEventType::kGeneric), "generic");
}

TEST(ObjectEvent, GivesNamesAndMetadataOfEveryForm) {
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    const ObjectEvent event = Updated(form, Map("1", "a"), Map("2", "b"));
    EXPECT_EQ(event.identity().key(), (ObjectKey{"default", "web"}));
    EXPECT_EQ(event.namespace_(), "default");
    EXPECT_EQ(event.name(), "web");
    EXPECT_EQ(event.metadata().resourceVersion, "2");
    EXPECT_EQ(event.metadata().labels.find("app")->view(), "web");
    ASSERT_NE(event.old_metadata(), nullptr);
    EXPECT_EQ(event.old_metadata()->resourceVersion, "1");
    EXPECT_EQ(Created(form, Map("1", "a")).old_metadata(), nullptr);
    EXPECT_EQ(Deleted(form, Map("1", "a")).old_metadata(), nullptr);
    EXPECT_EQ(Deleted(form, Map("1", "a")).old_object(), nullptr);
  }
}

TEST(ObjectEvent, GivesTheObjectAsTheTypeThatIsAskedFor) {
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    const ObjectEvent event = Updated(form, Map("1", "a"), Map("2", "b"));
    const auto* map = event.As<corev1::ConfigMap>();
    const auto* old = event.OldAs<corev1::ConfigMap>();
    ASSERT_NE(map, nullptr);
    ASSERT_NE(old, nullptr);
    EXPECT_EQ(map->metadata.resourceVersion, "2");
    EXPECT_EQ(old->metadata.resourceVersion, "1");
    if (form == Form::kMetadata) {
      EXPECT_TRUE(map->data.empty());
    } else {
      EXPECT_EQ(map->data.find("value")->view(), "b");
      EXPECT_EQ(old->data.find("value")->view(), "a");
    }
    const auto* document = event.As<Unstructured>();
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(document->GetKind(), "ConfigMap");
    EXPECT_EQ(document->GetApiVersion(), "v1");
    EXPECT_EQ(document->GetResourceVersion(), "2");
    const auto* alone = event.As<metav1::PartialObjectMetadata>();
    ASSERT_NE(alone, nullptr);
    EXPECT_EQ(alone->metadata.resourceVersion, "2");
    EXPECT_EQ(alone->kind, form == Form::kMetadata ? "PartialObjectMetadata" : "ConfigMap");
    EXPECT_EQ(Created(form, Map("1", "a")).OldAs<corev1::ConfigMap>(), nullptr);
  }
}

TEST(ObjectEvent, ConvertsOnceForATypeAndNotAtAllForTheCachesOwn) {
  const ObjectEvent typed = Created(Form::kTyped, Map("1", "a"));
  EXPECT_EQ(typed.As<corev1::ConfigMap>(), typed.object().get());
  EXPECT_EQ(typed.As<Unstructured>(), typed.As<Unstructured>());
  const ObjectEvent resync = Resynced(Form::kUnstructured, Map("1", "a"));
  EXPECT_EQ(resync.As<corev1::ConfigMap>(), resync.OldAs<corev1::ConfigMap>());
  EXPECT_EQ(&resync.metadata(), resync.old_metadata());
}

TEST(ObjectEvent, IsNoObjectOfAnotherKind) {
  const ScopedLogCapture log;
  for (const Form form : kForms) {
    SCOPED_TRACE(form);
    EXPECT_EQ(Created(form, Map("1", "a")).As<corev1::Secret>(), nullptr);
    EXPECT_EQ(Updated(form, Map("1", "a"), Map("2", "b")).OldAs<corev1::Secret>(), nullptr);
  }
  EXPECT_THAT(log.lines(), IsEmpty());
  // Metadata of nobody knows what.
  EXPECT_EQ(Generic(Form::kMetadata, Map("1", "a")).As<corev1::ConfigMap>(), nullptr);
}

TEST(ObjectEvent, SaysInTheLogThatAnObjectDoesNotFitItsType) {
  const ScopedLogCapture log;
  Unstructured document = ToUnstructured(Map("1", "a"));
  ASSERT_TRUE(document.SetNested({"data"}, Json(String("no map"))));
  const ObjectEvent event = ObjectEvent::Generic(document);
  EXPECT_EQ(event.As<corev1::ConfigMap>(), nullptr);
  EXPECT_EQ(event.As<corev1::ConfigMap>(), nullptr);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("default/web")));
  EXPECT_EQ(event.metadata().name, "web");
}

TEST(ObjectEvent, KeepsTheNamesOfMetadataThatCannotBeRead) {
  Unstructured document = ToUnstructured(Map("1", "a"));
  ASSERT_TRUE(document.SetNested({"metadata", "labels"}, Json(String("no map"))));
  const ObjectEvent event = ObjectEvent::Generic(document);
  EXPECT_EQ(event.metadata().name, "web");
  EXPECT_EQ(event.metadata().namespace_, "default");
  EXPECT_EQ(event.metadata().resourceVersion, "1");
  EXPECT_EQ(event.As<metav1::PartialObjectMetadata>(), nullptr);
}

}  // namespace
}  // namespace keelson
