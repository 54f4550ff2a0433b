#include "keelson/runtime/builder.h"

#include "keelson/core/ascii.h"

namespace keelson::internal {

WatchedKind Watched(Manager& manager, const GroupVersionKind& kind, const WatchedKindOptions& options) {
  InformerFactory& cache = (options.cluster != nullptr ? *options.cluster : manager.cluster()).cache();
  WatchedKind watched{.kind = kind};
  if (options.metadata_only) {
    for (const auto& informer : cache.AllMetadataOf(kind, options.selection))
      watched.informers.push_back(informer.core());
  } else {
    for (const auto& informer : cache.AllOf(kind, options.selection)) watched.informers.push_back(informer.core());
  }
  return watched;
}

Result<std::string> ClaimName(Manager& manager, const std::string& given,
                              const std::optional<WatchedKind>& reconciled) {
  std::string name = given;
  if (name.empty() && !reconciled) {
    return Error::InvalidArgument("a controller for no kind in particular needs a name: say Named");
  }
  if (name.empty()) name = AsciiLower(reconciled->kind.kind);
  KEELSON_RETURN_IF_ERROR(manager.ClaimControllerName(name));
  return name;
}

}  // namespace keelson::internal
