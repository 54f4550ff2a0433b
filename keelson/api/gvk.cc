#include "keelson/api/gvk.h"

#include <utility>

namespace keelson {
namespace {

// The texts before and behind the first point; without a point all is before it.
std::pair<std::string, std::string> CutAtPoint(std::string_view text) {
  const size_t point = text.find('.');
  if (point == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, point)), std::string(text.substr(point + 1))};
}

struct Versioned {
  std::string name, version, group;
};

std::optional<Versioned> CutVersioned(std::string_view text) {
  const size_t first = text.find('.');
  const size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return Versioned{std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1)),
                   std::string(text.substr(second + 1))};
}

std::string NameAndGroup(const std::string& name, const std::string& group) {
  return group.empty() ? name : name + "." + group;
}

template <class... Texts>
size_t HashOf(const Texts&... texts) {
  size_t hash = 0;
  ((hash = hash * 1'000'003 + std::hash<std::string>()(texts)), ...);
  return hash;
}

}  // namespace

Result<GroupVersion> GroupVersion::Parse(std::string_view api_version) {
  if (api_version == "/") return GroupVersion{};
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return GroupVersion{"", std::string(api_version)};
  if (api_version.find('/', slash + 1) != std::string_view::npos) {
    return Error::InvalidArgument("unexpected GroupVersion string: " + std::string(api_version));
  }
  return GroupVersion{std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
}

GroupVersionKind GroupVersion::WithKind(std::string_view kind) const { return {group, version, std::string(kind)}; }
GroupVersionResource GroupVersion::WithResource(std::string_view resource) const {
  return {group, version, std::string(resource)};
}
std::string GroupVersion::ToString() const { return group.empty() ? version : group + "/" + version; }

GroupKind GroupKind::Parse(std::string_view text) {
  auto [kind, group] = CutAtPoint(text);
  return {std::move(group), std::move(kind)};
}
GroupVersionKind GroupKind::WithVersion(std::string_view version) const { return {group, std::string(version), kind}; }
std::string GroupKind::ToString() const { return NameAndGroup(kind, group); }

GroupResource GroupResource::Parse(std::string_view text) {
  auto [resource, group] = CutAtPoint(text);
  return {std::move(group), std::move(resource)};
}
GroupVersionResource GroupResource::WithVersion(std::string_view version) const {
  return {group, std::string(version), resource};
}
std::string GroupResource::ToString() const { return NameAndGroup(resource, group); }

Result<GroupVersionKind> GroupVersionKind::FromApiVersion(std::string_view api_version, std::string_view kind) {
  KEELSON_TRY(version, GroupVersion::Parse(api_version));
  return version.WithKind(kind);
}
std::string GroupVersionKind::ToString() const { return group + "/" + version + ", Kind=" + kind; }
std::string GroupVersionResource::ToString() const { return group + "/" + version + ", Resource=" + resource; }

KindArgument KindArgument::Parse(std::string_view text) {
  KindArgument argument{std::nullopt, GroupKind::Parse(text)};
  if (auto cut = CutVersioned(text)) argument.with_version = GroupVersionKind{cut->group, cut->version, cut->name};
  return argument;
}

ResourceArgument ResourceArgument::Parse(std::string_view text) {
  ResourceArgument argument{std::nullopt, GroupResource::Parse(text)};
  if (auto cut = CutVersioned(text)) argument.with_version = GroupVersionResource{cut->group, cut->version, cut->name};
  return argument;
}

std::ostream& operator<<(std::ostream& out, const GroupVersion& value) { return out << value.ToString(); }
std::ostream& operator<<(std::ostream& out, const GroupKind& value) { return out << value.ToString(); }
std::ostream& operator<<(std::ostream& out, const GroupResource& value) { return out << value.ToString(); }
std::ostream& operator<<(std::ostream& out, const GroupVersionKind& value) { return out << value.ToString(); }
std::ostream& operator<<(std::ostream& out, const GroupVersionResource& value) { return out << value.ToString(); }

}  // namespace keelson

using namespace keelson;

size_t std::hash<GroupVersion>::operator()(const GroupVersion& value) const noexcept {
  return HashOf(value.group, value.version);
}
size_t std::hash<GroupKind>::operator()(const GroupKind& value) const noexcept {
  return HashOf(value.group, value.kind);
}
size_t std::hash<GroupResource>::operator()(const GroupResource& value) const noexcept {
  return HashOf(value.group, value.resource);
}
size_t std::hash<GroupVersionKind>::operator()(const GroupVersionKind& value) const noexcept {
  return HashOf(value.group, value.version, value.kind);
}
size_t std::hash<GroupVersionResource>::operator()(const GroupVersionResource& value) const noexcept {
  return HashOf(value.group, value.version, value.resource);
}
