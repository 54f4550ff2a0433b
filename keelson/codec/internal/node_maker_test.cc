#include "keelson/codec/internal/node_maker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/api/list.h"
#include "keelson/api/string.h"

namespace keelson::internal {
namespace {

// A list of one text.
class Lists {
 public:
  explicit Lists(NodeMaker& maker) : maker_(maker) {}
  ~Lists() {
    for (Node* node : made_) ReleaseNode(type_, node);
  }

  Node* Make(const std::string& text) {
    const NodeMaker::Scope scope(maker_);
    Node* payload = SharedString(text);
    made_.push_back(maker_.Make(NodeKind::kList, type_, reinterpret_cast<std::byte*>(&payload), 1));
    unique_ = maker_.unique();
    return made_.back();
  }
  // Whether the last one counts as such.
  bool unique() const { return unique_; }

 private:
  const Type& type_ = TypeOf<List<String>>();
  NodeMaker& maker_;
  std::vector<Node*> made_;
  bool unique_ = false;
};

TEST(NodeMaker, SharesEqualNodesWhenAsked) {
  NodeMaker maker;
  Lists lists(maker);
  maker.Begin(true);
  Node* const first = lists.Make("equal");
  EXPECT_TRUE(first->frozen());
  EXPECT_EQ(lists.Make("equal"), first);
  maker.Begin(false);
  EXPECT_NE(lists.Make("equal"), first);
}

TEST(NodeMaker, LooksForNoEqualOfWhatIsUnique) {
  NodeMaker maker;
  Lists lists(maker);
  maker.Begin(true);
  Node* const shared = lists.Make("some");
  const NodeMaker::Scope outer(maker);
  {
    const NodeMaker::Scope inner(maker);
    maker.set_unique();
  }
  EXPECT_TRUE(maker.unique()) << "it is told of what is around";
  Node* payload = SharedString("some");
  Node* const own = maker.Make(NodeKind::kList, TypeOf<List<String>>(), reinterpret_cast<std::byte*>(&payload), 1);
  EXPECT_NE(own, shared);
  ReleaseNode(TypeOf<List<String>>(), own);
}

TEST(NodeMaker, LearnsWhereNothingIsEqual) {
  NodeMaker maker;
  Lists lists(maker);
  maker.Begin(true);
  for (int i = 0; i < 1000; ++i) (void)lists.Make("different " + std::to_string(i));
  int shared = 0;
  for (int i = 0; i < 160; ++i) {
    const bool frozen = lists.Make("also different " + std::to_string(i))->frozen();
    EXPECT_EQ(lists.unique(), !frozen);
    shared += frozen;
  }
  EXPECT_EQ(shared, 10) << "one of sixteen looks all the same";
}

TEST(NodeMaker, LearnsThatItPaysAgain) {
  NodeMaker maker;
  Lists lists(maker);
  maker.Begin(true);
  for (int i = 0; i < 1000; ++i) (void)lists.Make("different " + std::to_string(i));
  for (int i = 0; i < 1000; ++i) (void)lists.Make("now the same");
  EXPECT_TRUE(lists.Make("now the same")->frozen());
  EXPECT_EQ(lists.Make("now the same"), lists.Make("now the same"));
}

}  // namespace
}  // namespace keelson::internal
