// The body of a list: the stored bytes of its objects one behind the other, put together as the client takes them.
#pragma once

#include <memory>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/content.h"
#include "keelson/apiserver/resource.h"
#include "keelson/apiserver/store/stored_object.h"
#include "keelson/transport/handler.h"

namespace keelson::apiserver {

// A list in the resource's version, as JSON or protobuf.
std::unique_ptr<BodySource> MakeListBody(ResourcePtr resource, std::vector<ObjectPtr> items,
                                         const metav1::ListMeta& meta, Format format);

}  // namespace keelson::apiserver
