#include "keelson/codec/internal/protobuf_unknown.h"

#include <map>

#include "keelson/api/node.h"
#include "keelson/codec/internal/unknown_path.h"

namespace keelson::internal {

void ProtobufUnknown::Keep(size_t* message, std::string_view field) {
  if (*message == kNone) {
    *message = count_++;
    found_.emplace_back();
  }
  found_[*message].bytes += field;
}

bool ProtobufUnknown::AddStep(size_t mark, const std::string& step, WorkBudget& budget) {
  if (!budget.Spend((count_ - mark) * (step.size() + sizeof step))) return false;
  for (size_t i = mark; i < count_; ++i) found_[i].steps.push_back(step);
  return true;
}

bool ProtobufUnknown::File(size_t mark, UnknownFields& fields, WorkBudget& budget) {
  // In the order of their paths, so that each is appended to the map and none is inserted.
  std::map<std::string, std::string> by_path;
  for (size_t i = mark; i < count_; ++i) {
    std::string path;
    for (size_t step = found_[i].steps.size(); step-- > 0;) path += found_[i].steps[step];
    by_path[path + kProtobufMark] += found_[i].bytes;
  }
  found_.resize(mark);
  count_ = mark;
  const bool had_some = !fields.empty();  // an object that came in two parts
  for (auto& [path, bytes] : by_path) {
    if (had_some) {
      if (!budget.Spend(fields.size() * 2 * sizeof(Bytes))) return false;
      if (const Bytes* earlier = fields.find(path)) {
        if (!budget.Spend(earlier->size())) return false;
        bytes.insert(0, *earlier);
      }
    }
    if (bytes.size() > kMaxNodeLength || path.size() > kMaxNodeLength) return false;
    fields.Set(path, Bytes(bytes));
  }
  return true;
}

}  // namespace keelson::internal
