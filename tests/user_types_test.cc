#include <gtest/gtest.h>

#include "keelson/api/compare.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "tests/app_service.h"

namespace keelson {
namespace {

// Empty text is the case that a std::string made of zero bytes does not survive.
TEST(UserTypes, OurContainersOfStandardStringsAreRead) {
  testing::AppService app;
  app.spec.tags = {"", "short", "a text that is too long for the small buffer inside std::string"};
  app.spec.notes = {{"", ""}, {"k", "a text that is too long for the small buffer inside std::string"}};
  app.spec.route = testing::AppRoute{.path = "", .children = {}, .rewrite = "", .fallbacks = {}};
  for (const bool share : {false, true}) {
    const Result<testing::AppService> again = FromJson<testing::AppService>(ToJson(app), {.share_nodes = share});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(Equal(*again, app)) << ToJson(*again);
  }
}

}  // namespace
}  // namespace keelson
