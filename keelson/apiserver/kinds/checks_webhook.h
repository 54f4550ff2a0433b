// How a webhook is reached: checks that admission webhooks and conversions of custom resources share.
#pragma once

#include <cstdint>
#include <string_view>

#include "keelson/api/optional.h"
#include "keelson/api/string.h"
#include "keelson/apiserver/kinds/field_errors.h"

namespace keelson::apiserver {

void CheckWebhookUrl(std::string_view url, const Path& path, FieldErrors& errors);
void CheckWebhookService(std::string_view namespace_, std::string_view name, int32_t port,
                         const Optional<String>& service_path, const Path& path, FieldErrors& errors);

}  // namespace keelson::apiserver
