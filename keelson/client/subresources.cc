#include "keelson/client/subresources.h"

#include "keelson/api/core/v1.h"
#include "keelson/api/policy/v1.h"
#include "keelson/codec/json_reader.h"

namespace keelson {

Result<void> Evict(const ObjectClient& client, const ObjectKey& pod, const DeleteOptions& options) {
  policyv1::Eviction eviction;
  eviction.metadata.name = pod.name;
  eviction.metadata.namespace_ = pod.namespace_;
  DeleteOptions in_body = options;
  in_body.dry_run = false;  // as a query only: the server refuses it in both places
  KEELSON_TRY(deletion, FromJson<metav1::DeleteOptions>(internal::ToBody(in_body)));
  eviction.deleteOptions = std::move(deletion);
  return client.WriteSubobject("POST", Target::Typed<corev1::Pod>(), pod, "eviction",
                               {.dry_run = options.dry_run, .scope = options.scope}, TypeOf<policyv1::Eviction>(),
                               &eviction, nullptr);
}

Result<void> BindPod(const ObjectClient& client, const ObjectKey& pod, const std::string& node,
                     const WriteOptions& options, const std::string& uid) {
  corev1::Binding binding;
  binding.metadata.name = pod.name;
  binding.metadata.namespace_ = pod.namespace_;
  binding.metadata.uid = uid;
  binding.target.kind = "Node";
  binding.target.name = node;
  return client.WriteSubobject("POST", Target::Typed<corev1::Pod>(), pod, "binding", options, TypeOf<corev1::Binding>(),
                               &binding, nullptr);
}

Result<authenticationv1::TokenRequest> RequestToken(const ObjectClient& client, const ObjectKey& service_account,
                                                    const authenticationv1::TokenRequestSpec& spec,
                                                    const WriteOptions& options) {
  authenticationv1::TokenRequest request;
  request.spec = spec;
  return client.CreateSubresource<corev1::ServiceAccount>(service_account, "token", request, options);
}

}  // namespace keelson
