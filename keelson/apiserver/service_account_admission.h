// The admission plugin ServiceAccount: a Pod has an account, which is there, and by default a token of it.
//
// A Pod that names no account gets `default`. Unless the Pod or, where it does not say, the account is against it, its
// containers see the account's token, the cluster's authority and the namespace at the well-known path, through a
// projected volume kube-api-access-*. A Pod without imagePullSecrets gets those of the account.
#pragma once

#include "keelson/apiserver/objects.h"

namespace keelson::apiserver {

class ServiceAccountAdmission final : public Admission {
 public:
  Result<void> Admit(const Resource& resource, AnyValue& object, const Lookup& lookup) const override;
};

}  // namespace keelson::apiserver
