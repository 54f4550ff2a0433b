#include "keelson/cache/lister.h"

namespace keelson::internal {

Error NotInCache(const ReflectorSource& source, std::string_view namespace_, std::string_view name) {
  std::string key(namespace_);
  if (!key.empty()) key += '/';
  key += name;
  return Error::NotFound(source.ToString() + " \"" + key + "\" not found in the cache");
}

std::vector<const ObjectPtr*> Matching(const ObjectModel& model, const Snapshot& all,
                                       const labels::Selector& selector) {
  std::vector<const ObjectPtr*> matching;
  for (const ObjectPtr& object : all) {
    if (selector.empty() || model.labels_match(object.get(), selector)) matching.push_back(&object);
  }
  return matching;
}

}  // namespace keelson::internal
