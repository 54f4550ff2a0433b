// Writes what a request came to: an object, a list, an error, in the encoding and view that was negotiated.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/content.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/core/error.h"

namespace keelson::apiserver {

// A Status of that code and message and nothing else: what upstream makes of errors that it has no name for.
Error BareError(int32_t code, std::string_view message);

// With empty details, as upstream answers where no handler is responsible.
Error ErrorWithoutDetails(int32_t code, std::string_view reason, std::string_view message);

// Of an answer of that type, with the warnings of the exchange.
Headers HeadersOf(const Exchange& exchange, std::string_view content_type);

// As a Status, with Retry-After where the error says so.
void SendError(Exchange& exchange, const Error& error, bool sniffable = true);
void SendReply(Exchange& exchange, const Reply& reply, const Representation& representation);
void SendList(Exchange& exchange, std::vector<ObjectPtr> items, const metav1::ListMeta& meta,
              const Representation& representation);
// Text that is no API object. `sniffable` as upstream has it: whether a browser may guess the type of plain text.
void SendText(Exchange& exchange, int status, std::string_view content_type, std::string body, bool sniffable = true);
// With these headers and no others but what describes the body, which is compressed where that is worth it.
void SendBody(Exchange& exchange, int status, Headers headers, std::string body);

// One object as a Table with one row, or of several. `with_columns`: a watch sends them with its first event only.
metav1::Table TableOf(const Exchange& exchange, const std::vector<ObjectPtr>& items, metav1::ListMeta meta,
                      std::string_view meta_version, bool with_columns);
// Metadata alone, as an object of its own kind.
metav1::PartialObjectMetadata PartialOf(const Resource& resource, const StoredObject& object,
                                        std::string_view meta_version);

// A value of a root type in the format; JSON has no line break at its end.
std::string Encode(const Type& type, const void* value, Format format, bool pretty);
// The same of a built-in or custom object.
std::string Encode(const AnyValue& object, Format format, bool pretty);

}  // namespace keelson::apiserver
