// Makes resources of CustomResourceDefinitions: names are given out, the kind is served from the moment its definition
// is stored, follows its changes, and goes with its objects when the definition is deleted.
//
// Where upstream has controllers that hear of a definition later, this follows each write on the thread that made it:
// when a client has the answer to its create, the kind is there. The steps are upstream's, each a write that watchers
// of definitions see.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/objects.h"
#include "keelson/apiserver/resource.h"
#include "keelson/core/mutex.h"

namespace keelson::apiserver {

// Thread-safe.
class Definitions final : public WriteObserver {
 public:
  Definitions(Objects& objects, ResourceTable& resources);

  // All that the store holds already.
  void ServeAll();

  void OnWritten(const Resource& resource, const ObjectPtr& object, bool deleted) override;

 private:
  using Definition = apiextensionsv1::CustomResourceDefinition;

  struct Read {
    Revision revision = 0;
    Definition definition = {};
  };
  struct Served {
    Definition definition;
    ResourceList resources;
    CollectionId collection{};
  };

  // Names, conditions and resources of every definition of the group.
  void Follow(const std::string& group);
  void Serve(const Definition& definition);
  void StopServing(const std::string& name);
  void EndWatches(const ResourceList& resources);
  // Deletes the objects of a definition that is being deleted, and with the last of them the definition.
  void CleanUp(const std::string& name);
  // Once no object is left.
  void FinishDeletion(const std::string& name);

  std::vector<Definition> OfGroup(std::string_view group);
  bool Change(const std::string& name, const std::function<bool(Definition&)>& change);

  Objects& objects_;
  ResourceTable& resources_;
  const ResourcePtr definitions_;
  Mutex mutex_{"apiserver-definitions"};
  // Guarded by mutex_, by name.
  std::map<std::string, Read> read_;
  std::map<std::string, Served> served_;
};

}  // namespace keelson::apiserver
