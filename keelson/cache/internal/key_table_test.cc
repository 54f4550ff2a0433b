#include "keelson/cache/internal/key_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/core/random.h"

namespace keelson::internal {
namespace {

using Key = std::pair<std::string, std::string>;  // namespace and name

// A table as a writer has it, beside a map that says what must be in it.
class KeyTableTest : public testing::Test {
 protected:
  void Put(const Key& key) {
    const std::shared_ptr<void> object = ModelOf<corev1::ConfigMap>().make();
    auto& metadata = static_cast<corev1::ConfigMap*>(object.get())->metadata;
    metadata.namespace_ = key.first;
    metadata.name = key.second;
    if (const KeyTable::Known known = table_.Find(key.first, key.second)) {
      table_.Replace(known.place, object, retired_);
    } else {
      table_.Insert(object, entry_, retired_);
    }
    wanted_[key] = object.get();
  }
  void Remove(const Key& key) {
    const KeyTable::Known known = table_.Find(key.first, key.second);
    ASSERT_TRUE(known);
    table_.Remove(known.place, retired_);
    wanted_.erase(key);
  }
  const void* Find(const Key& key) const { return table_.Find(ReadScope(), key.first, key.second); }

  // One at a time, to keep, and all at once.
  void ExpectWhatWasPut() const {
    std::vector<Key> keys;
    for (const auto& [key, object] : wanted_) {
      EXPECT_EQ(Find(key), object) << key.first << "/" << key.second;
      EXPECT_EQ(table_.Get(ReadScope(), key.first, key.second).get(), object) << key.first << "/" << key.second;
      keys.push_back(key);
      keys.push_back({key.first, key.second + "?"});
    }
    size_t next = 0;
    table_.FindEach(
        ReadScope(), keys.size(), [&](size_t i) { return keys[i]; },
        [&](size_t i, const void* found) {
          EXPECT_EQ(i, next++);
          EXPECT_EQ(found, i % 2 == 0 ? wanted_.at(keys[i]) : nullptr) << keys[i].first << "/" << keys[i].second;
        });
    EXPECT_EQ(next, keys.size());
  }

  KeyTable table_{ModelOf<corev1::ConfigMap>()};
  RetiredList retired_;
  std::byte place_{};
  StoreEntry* const entry_ = reinterpret_cast<StoreEntry*>(&place_);  // the table only hands it back
  std::map<Key, const void*> wanted_;
};

TEST_F(KeyTableTest, AnEmptyOneHasNothing) {
  EXPECT_EQ(Find({"", ""}), nullptr);
  EXPECT_EQ(Find({"default", "a-name-of-usual-length"}), nullptr);
  ExpectWhatWasPut();
}

// Short ones are filled up, usual ones are two pieces, longer ones have a third, and from 41 bytes of a name or 17 of a
// namespace on they are compared in the object.
TEST_F(KeyTableTest, FindsKeysOfEveryLength) {
  for (size_t of_namespace = 0; of_namespace <= 20; ++of_namespace) {
    for (size_t of_name = 1; of_name <= 45; ++of_name) {
      Put({std::string(of_namespace, 'n'), std::string(of_name, 'n')});
    }
  }
  ExpectWhatWasPut();
  EXPECT_EQ(Find({std::string(21, 'n'), "n"}), nullptr);
  EXPECT_EQ(Find({"n", std::string(46, 'n')}), nullptr);
}

TEST_F(KeyTableTest, TellsKeysApartThatDifferInOneByte) {
  for (const size_t length : {3, 7, 8, 15, 16, 17, 24, 31, 32, 33, 40, 41}) {
    const std::string text(length, 'a');
    Put({"default", text});
    for (size_t at = 0; at < length; ++at) {
      std::string other = text;
      other[at] = 'b';
      EXPECT_EQ(Find({"default", other}), nullptr) << other;
      EXPECT_EQ(Find({other, text}), nullptr) << other;
    }
    EXPECT_EQ(Find({"", "default" + text}), nullptr);
    EXPECT_EQ(Find({text, "default"}), nullptr);
  }
  ExpectWhatWasPut();
}

TEST_F(KeyTableTest, HoldsMoreThanAGroupHasRoomFor) {
  for (int i = 0; i < 3000; ++i) Put({"team-" + std::to_string(i % 7), "service-" + std::to_string(i) + "-7d9f8b6c5d"});
  ExpectWhatWasPut();
}

TEST_F(KeyTableTest, AKeyThatWasTakenOutIsGoneAndCanComeBack) {
  const std::vector<Key> keys = {
      {"", "node"}, {"default", "an-object-with-a-name"}, {"default", std::string(60, 'x')}, {"d", "web"}};
  for (const Key& key : keys) Put(key);
  for (const Key& key : keys) Remove(key);
  for (const Key& key : keys) EXPECT_EQ(Find(key), nullptr) << key.second;
  for (const Key& key : keys) Put(key);
  ExpectWhatWasPut();
}

// A thousand keys come and go while five hundred stay, so slots of keys that are gone must be given up.
TEST_F(KeyTableTest, StaysTheMapThatItIsUnderRandomWrites) {
  Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    const int number = static_cast<int>(random.Uniform(0, 1499));
    const Key key = {number % 3 == 0 ? "default" : "kube-system-" + std::to_string(number % 11),
                     std::string(static_cast<size_t>(number % 50), 'p') + std::to_string(number)};
    if (number < 1000 && wanted_.contains(key)) {
      Remove(key);
    } else {
      Put(key);
    }
    if (round % 1000 == 0) ExpectWhatWasPut();
  }
  ExpectWhatWasPut();
}

}  // namespace
}  // namespace keelson::internal
