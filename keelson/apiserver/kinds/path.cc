#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

void Path::Append(std::string& out) const {
  if (parent_ != nullptr) parent_->Append(out);
  if (index_ == kMember) {
    if (!out.empty() && !name_.empty()) out += '.';
    out += name_;
  } else if (index_ == kKey) {
    out.append("[").append(name_).append("]");
  } else {
    out.append("[").append(std::to_string(index_)).append("]");
  }
}

std::string Path::ToString() const {
  std::string out;
  Append(out);
  return out.empty() ? "<nil>" : out;
}

}  // namespace keelson::apiserver
