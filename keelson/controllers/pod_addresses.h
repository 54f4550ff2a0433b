// The addresses of pods: each node has a range, each pod that lives an address of its node's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace keelson::controllers {

// Used by one thread at a time.
class PodAddresses {
 public:
  // The pod's address, or the next that is free on that node. Where none is, that of another pod: there are more than
  // twice as many as pods that a node takes.
  std::string Give(size_t node, std::string_view uid);
  // The pod has that address already.
  void Take(size_t node, std::string_view uid, std::string_view address);
  void Release(std::string_view uid);

 private:
  struct Owned {
    size_t node;
    std::string address;
  };
  struct Range {
    std::map<std::string, std::string, std::less<>> owners = {};  // by address
    size_t next = 0;
  };
  std::unordered_map<std::string, Owned> pods_;
  std::map<size_t, Range> ranges_;
};

}  // namespace keelson::controllers
