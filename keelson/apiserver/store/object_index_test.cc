#include "keelson/apiserver/store/object_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "keelson/apiserver/store/store_test_support.h"
#include "keelson/core/random.h"

namespace keelson::apiserver::internal {
namespace {

using Key = std::pair<std::string, std::string>;
struct KeyOrder {
  bool operator()(const Key& a, const Key& b) const { return CompareKeys(a.first, a.second, b.first, b.second) < 0; }
};

ObjectPtr Make(const Key& key, Revision revision) {
  return std::make_shared<const StoredObject>(testing::MakeDraft(key.first, key.second), revision);
}

TEST(ObjectIndex, NamespacesAreOrderedAsWholeKeysAre) {
  EXPECT_LT(CompareNamespaces("a-b", "a"), 0);
  EXPECT_GT(CompareNamespaces("a", "a-b"), 0);
  EXPECT_LT(CompareNamespaces("a", "ab"), 0);
  EXPECT_EQ(CompareNamespaces("a", "a"), 0);
  EXPECT_EQ(CompareNamespaces(std::string_view(), std::string_view()), 0);  // of objects in no namespace
  EXPECT_LT(CompareNamespaces(std::string_view(), "a"), 0);
  EXPECT_LT(CompareKeys("a", "z", "b", "a"), 0);
}

// Beside a std::map, which is slow and obvious.
TEST(ObjectIndex, AgreesWithAnOrderedMap) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ObjectIndex index;
    std::map<Key, Revision, KeyOrder> reference;
    const int range = random.Uniform(1, 2000);
    const double removal = random.Chance(0.5) ? 0.1 : 0.5;
    for (Revision revision = 1; revision < 3000; ++revision) {
      const Key key(random.Chance(0.2) ? "a-b" : "a", "k" + std::to_string(random.Uniform(0, range)));
      const ObjectIndex::Place place = index.Find(key.first, key.second);
      ASSERT_EQ(place.found, reference.contains(key));
      if (!place.found) {
        index.Insert(place, Make(key, revision));
        reference[key] = revision;
      } else if (random.Chance(removal)) {
        EXPECT_EQ(index.Erase(place)->revision(), reference[key]);
        reference.erase(key);
      } else {
        EXPECT_EQ(index.Replace(place, Make(key, revision))->revision(), reference[key]);
        reference[key] = revision;
      }
    }
    ASSERT_EQ(index.size(), reference.size());
    auto at = index.begin();
    for (const auto& [key, revision] : reference) {
      ASSERT_NE(at, index.end());
      EXPECT_EQ((*at)->name(), key.second);
      EXPECT_EQ((*at)->revision(), revision);
      ++at;
    }
    EXPECT_EQ(at, index.end());
    const Key middle("a", "k" + std::to_string(range / 2));
    const auto behind = reference.upper_bound(middle);
    const auto found = index.Behind(middle.first, middle.second);
    EXPECT_EQ(found == index.end(), behind == reference.end());
    if (found != index.end()) {
      EXPECT_EQ((*found)->revision(), behind->second);
    }
    EXPECT_EQ(index.Distance(found, index.end()), static_cast<size_t>(std::distance(behind, reference.end())));
    EXPECT_EQ(index.Distance(index.begin(), index.BehindNamespace("a-b")),
              static_cast<size_t>(std::count_if(reference.begin(), reference.end(),
                                                [](const auto& entry) { return entry.first.first == "a-b"; })));
  }
}

TEST(ObjectIndex, StaysRightThroughGrowthInOrderAndEmptying) {
  ObjectIndex index;
  constexpr int kCount = 1000;
  for (int i = 0; i < kCount; ++i) {
    const Key key("n", "k" + std::to_string(10000 + i));
    index.Insert(index.Find(key.first, key.second), Make(key, i));
  }
  EXPECT_EQ(index.Distance(index.begin(), index.end()), static_cast<size_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    const ObjectIndex::Place place = index.Find("n", "k" + std::to_string(10000 + i));
    ASSERT_TRUE(place.found) << i;
    index.Erase(place);
  }
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.begin(), index.end());
}

}  // namespace
}  // namespace keelson::apiserver::internal
