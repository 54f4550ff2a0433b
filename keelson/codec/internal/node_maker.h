// Makes the nodes that a reader has read: those of equal content once, where that pays.
//
//   NodeMaker nodes(share_nodes);
//   const NodeMaker::Scope scope(nodes);          // the content of one node begins
//   … read it; nodes.set_unique() where it holds what no other has
//   Node* node = nodes.Make(NodeKind::kStruct, type, payload, 0);
#pragma once

#include <cstddef>
#include <utility>

#include "keelson/api/node.h"
#include "keelson/api/sharing.h"
#include "keelson/codec/internal/sharing_odds.h"

namespace keelson::internal {

// What holds something unique has no equal either: looking for one, and keeping it where one would be looked for, would
// be wasted. The same goes for what holds a node of which no equal was looked for. Not thread-safe.
class NodeMaker {
 public:
  // The content of one node is read during its life. Whether it is unique is told of all around it from then on.
  class Scope {
   public:
    explicit Scope(NodeMaker& maker) : maker_(maker), around_(std::exchange(maker.unique_, false)) {}
    ~Scope() { maker_.unique_ |= around_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    NodeMaker& maker_;
    const bool around_;
  };

  void Begin(bool share) {
    share_ = share;
    unique_ = false;
  }
  bool unique() const { return unique_; }
  void set_unique(bool unique = true) { unique_ |= unique; }

  // The arguments of SharedNode; takes over the payload's references.
  Node* Make(NodeKind kind, const Type& type, std::byte* payload, size_t length) {
    if (!share_) return OwnNode(kind, type, payload, length);
    if (unique_ || !odds_.WorthALook(type)) {
      unique_ = true;
      return OwnNode(kind, type, payload, length);
    }
    bool found = false;
    Node* const node = SharedNode(kind, type, payload, length, &found);
    odds_.Learn(type, found);
    return node;
  }

 private:
  bool share_ = false;
  bool unique_ = false;
  SharingOdds odds_;
};

}  // namespace keelson::internal
