// Who asks, and who decides whether they may.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace keelson::apiserver {

struct RequestInfo;

struct User {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool InGroup(std::string_view group) const {
    for (const std::string& one : groups) {
      if (one == group) return true;
    }
    return false;
  }
};

struct Decision {
  bool allowed = false;
  std::string reason = {};  // shown to the user behind the refusal
};

// Decides each request. Thread-safe.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual Decision Authorize(const User& user, const RequestInfo& request) const = 0;
};

// What Kubernetes allows before anybody has written a role: members of system:masters may do everything, all who are
// known may look at discovery and ask who they are and what they may, and everybody may look at health and version.
class MastersOnly final : public Authorizer {
 public:
  Decision Authorize(const User& user, const RequestInfo& request) const override;
};

}  // namespace keelson::apiserver
