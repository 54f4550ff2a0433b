#include "keelson/api/finalizers.h"

#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"

namespace keelson {
namespace {

TEST(Finalizers, AddsOnceAtTheEnd) {
  corev1::Pod pod = {.metadata = {.finalizers = {"a/first"}}};
  EXPECT_TRUE(AddFinalizer(pod, "b/second"));
  EXPECT_FALSE(AddFinalizer(pod, "b/second"));
  EXPECT_EQ(pod.metadata.finalizers, (List<String>{"a/first", "b/second"}));
  EXPECT_TRUE(HasFinalizer(pod, "a/first"));
  EXPECT_FALSE(HasFinalizer(pod, "a"));
}

TEST(Finalizers, RemovesEveryOccurrence) {
  corev1::Pod pod = {.metadata = {.finalizers = {"x", "y", "x"}}};
  EXPECT_TRUE(RemoveFinalizer(pod, "x"));
  EXPECT_FALSE(RemoveFinalizer(pod, "x"));
  EXPECT_EQ(pod.metadata.finalizers, (List<String>{"y"}));
}

TEST(Finalizers, RemovesOneNamedByTheListItself) {
  corev1::Pod pod = {.metadata = {.finalizers = {"x", "y"}}};
  EXPECT_TRUE(RemoveFinalizer(pod, std::as_const(pod.metadata.finalizers)[0].view()));
  EXPECT_EQ(pod.metadata.finalizers, (List<String>{"y"}));
}

TEST(Finalizers, DeletionHasBegunWithItsTimestamp) {
  corev1::Pod pod;
  EXPECT_FALSE(IsBeingDeleted(pod));
  pod.metadata.deletionTimestamp = metav1::Time::FromUnix(1);
  EXPECT_TRUE(IsBeingDeleted(pod));
}

}  // namespace
}  // namespace keelson
