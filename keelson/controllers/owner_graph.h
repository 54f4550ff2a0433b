// Who owns whom: what the garbage collector knows of all objects, and what a change of one means for others.
//
//   OwnerGraph graph;
//   GraphEffects effects = graph.Observe(place, object.metadata);      // it was made, or has changed
//   for (const String& uid : effects.look) queue.Add(uid);             // these may have to go now
//
// Nodes are found by uid: a name may be used again, a uid is not. An owner that somebody refers to and that nobody has
// seen is a virtual node, at the place where the first reference says that it is; the collector asks the server whether
// it is there. References may be wrong about that place, and differ among themselves; then the uid alone does not make
// an owner, and each dependent is looked at by its own reference.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "keelson/api/list.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/string.h"

namespace keelson::controllers {

inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

// Where an object is, and which one.
struct ObjectPlace {
  String kind = {};
  String api_version = {};
  String namespace_ = {};  // empty: cluster-scoped
  String name = {};
  String uid = {};

  // What the reference says, for somebody in that namespace.
  static ObjectPlace Of(const metav1::OwnerReference& owner, const String& namespace_) {
    return {.kind = owner.kind,
            .api_version = owner.apiVersion,
            .namespace_ = namespace_,
            .name = owner.name,
            .uid = owner.uid};
  }
  // Whether the reference means this object, its namespace aside.
  bool IsMeantBy(const metav1::OwnerReference& owner) const {
    return owner.uid == uid && owner.name == name && owner.kind == kind && owner.apiVersion == api_version;
  }

  friend bool operator==(const ObjectPlace&, const ObjectPlace&) = default;
  friend std::strong_ordering operator<=>(const ObjectPlace&, const ObjectPlace&) = default;
};
std::string ToString(const ObjectPlace& place);  // "[v1/ConfigMap, namespace: default, name: web, uid: 1b2c]"

// Whether the list has that very reference.
bool Contains(const List<metav1::OwnerReference>& owners, const metav1::OwnerReference& owner);

struct GraphNode {
  ObjectPlace place = {};
  bool observed = false;  // a watch has shown it; else it is virtual, and what follows is empty
  bool deleting = false;
  String resource_version = {};
  List<String> finalizers = {};
  List<metav1::OwnerReference> owners = {};
  std::set<String> dependents = {};  // uids of nodes that refer to it

  bool HasFinalizer(std::string_view name) const;
  // Its deletion waits until its dependents are gone, or until they no longer refer to it.
  bool waits_for_deletion() const { return deleting && HasFinalizer(kForegroundFinalizer); }
  bool waits_for_orphaning() const { return deleting && HasFinalizer(kOrphanFinalizer); }
};

// What is to be done because of a change.
struct GraphEffects {
  // Objects to be looked at: whether they may go, or, if they are going, whether that may be completed.
  std::vector<String> look = {};
  // The same for virtual nodes whose place turned out to be wrong and for which another is known.
  std::vector<String> look_later = {};
  // Dependents, and the owner of another namespace that each refers to as if it were in its own.
  std::vector<std::pair<ObjectPlace, ObjectPlace>> foreign_owners = {};
  // What is known not to be there.
  std::vector<ObjectPlace> absent = {};
};

// Pure: asks nobody. Used under a lock.
class OwnerGraph {
 public:
  // A watch shows the object in that state.
  GraphEffects Observe(const ObjectPlace& place, const metav1::ObjectMeta& metadata);
  // A watch says that it is gone.
  GraphEffects Forget(const String& uid);
  // The server says that no object of that uid is at that place.
  GraphEffects Deny(const ObjectPlace& place);
  // A list has shown all objects of the kind. Those that it lacks are gone.
  GraphEffects ForgetOthers(std::string_view api_version, std::string_view kind, const std::set<String>& listed);
  // The kind is no longer watched. Those of its objects that others refer to become virtual.
  GraphEffects Unwatch(std::string_view api_version, std::string_view kind);

  // Null when it is not there. Good until the next change.
  const GraphNode* Find(const String& uid) const;
  // Dependents that its foreground deletion waits for: so many of them at most.
  std::vector<const GraphNode*> BlockingDependents(const GraphNode& node, size_t most = SIZE_MAX) const;
  size_t size() const { return nodes_.size(); }

 private:
  GraphNode* FindNode(const String& uid);
  // The node refers to these owners, of which some may be new to it.
  void Link(const GraphNode& node, const std::vector<metav1::OwnerReference>& owners, GraphEffects& effects);
  void Unlink(const String& dependent, const List<metav1::OwnerReference>& owners);
  void SetOwners(GraphNode& node, const List<metav1::OwnerReference>& owners, GraphEffects& effects);
  void MoveTo(GraphNode& node, const ObjectPlace& place, GraphEffects& effects);
  void Remove(GraphNode& node, const ObjectPlace& place, GraphEffects& effects);
  struct Partition {
    std::vector<const GraphNode*> matching;     // have a reference to exactly that place
    std::vector<const GraphNode*> nonmatching;  // have one to the same uid elsewhere; may be in both
  };
  Partition DependentsBy(const GraphNode& owner, const ObjectPlace& place) const;

  std::unordered_map<String, GraphNode> nodes_;
};

}  // namespace keelson::controllers
