// What one can do with an object beyond reading and writing it: scale, evict, bind, ask for a token.
//
//   KEELSON_TRY(scale, GetScale<appsv1::Deployment>(client, key));
//   scale.spec.replicas = 5;
//   KEELSON_TRY(scaled, UpdateScale<appsv1::Deployment>(client, key, scale));
//   KEELSON_RETURN_IF_ERROR(Evict(client, {"default", "web-1"}));    // kTooManyRequests: a disruption budget forbids
//   it
//
// Logs are in logs.h; any other subresource is reached by client.GetSubresource and its siblings.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/authentication/v1.h"
#include "keelson/api/autoscaling/v1.h"
#include "keelson/client/object_client.h"

namespace keelson {

template <ApiObject T>
Result<autoscalingv1::Scale> GetScale(const ObjectClient& client, const ObjectKey& key,
                                      const GetOptions& options = {}) {
  return client.GetSubresource<T, autoscalingv1::Scale>(key, "scale", options);
}

// A scale that comes from GetScale has its resource version: a conflict when the object has changed since.
template <ApiObject T>
Result<autoscalingv1::Scale> UpdateScale(const ObjectClient& client, const ObjectKey& key,
                                         const autoscalingv1::Scale& scale, const UpdateOptions& options = {}) {
  return client.UpdateSubresource<T>(key, "scale", scale, options);
}

// Deletes a pod as far as disruption budgets let it: an error of code kTooManyRequests when they do not now.
Result<void> Evict(const ObjectClient& client, const ObjectKey& pod, const DeleteOptions& options = {});

// Gives a pod to a node: what a scheduler does. With a uid: that pod and no later one of its name, else a conflict.
Result<void> BindPod(const ObjectClient& client, const ObjectKey& pod, const std::string& node,
                     const WriteOptions& options = {}, const std::string& uid = {});

// A token of a service account. The answer holds a secret: do not log it.
Result<authenticationv1::TokenRequest> RequestToken(const ObjectClient& client, const ObjectKey& service_account,
                                                    const authenticationv1::TokenRequestSpec& spec,
                                                    const WriteOptions& options = {});

}  // namespace keelson
