// Equal nodes stored once.
//
// The Pods of one ReplicaSet have the same environment, ports, probes, tolerations and most strings. ShareNodes
// replaces every node of a value by the one stored node of equal content, so a cache of a large cluster holds each only
// once:
//
//   ShareNodes(pod);   // what a cache does with what enters it; codec/ does it while decoding
//
// Shared nodes are frozen: a later write through any handle clones first. A node leaves the table with its last handle;
// a count that has reached zero is never revived. All functions are thread-safe; the table is split into shards.
#pragma once

#include <cstddef>
#include <string_view>

#include "keelson/api/node.h"

namespace keelson {

void ShareNodes(const Type& type, void* value);
template <class T>
void ShareNodes(T& value) {
  ShareNodes(TypeOf<T>(), &value);
}

// How many nodes the table holds now.
size_t SharedNodeCount();

namespace internal {

// The shared node of this text, with a reference for the caller; null for the empty text.
Node* SharedString(std::string_view text);

// The shared node of this content, with a reference for the caller. `payload` is laid out as in a node, its padding is
// zero and the nodes it points to are shared already; its references pass to the table. `length` is the number of
// elements, 0 for a struct. `found` is told whether it was there before.
Node* SharedNode(NodeKind kind, const Type& type, std::byte* payload, size_t length, bool* found = nullptr);

// An ordinary node of this content, exactly as large as needed; takes over the payload's references.
Node* OwnNode(NodeKind kind, const Type& type, const std::byte* payload, size_t length);

size_t PayloadSize(NodeKind kind, const Type& type, size_t length);
void ForgetSharedNode(const Type& type, Node* node);  // its count has reached zero

}  // namespace internal
}  // namespace keelson
