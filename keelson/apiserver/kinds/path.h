// Where in an object something is wrong: "spec.containers[0].ports[1].name", "metadata.labels[app]".
//
//   const Path spec("spec");
//   const Path containers = spec / "containers";
//   for (size_t i = 0; …) CheckContainer(containers[i], …);
//
// Costs nothing until it is shown: each step is a struct on the stack that points to the one before it, so every step
// has a name of its own; a step from a temporary does not compile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace keelson::apiserver {

class Path {
 public:
  explicit Path(std::string_view root) : name_(root) {}

  // A member.
  Path operator/(std::string_view name) const& { return {this, name, kMember}; }
  Path operator/(std::string_view name) && = delete;
  // An element of a list.
  Path operator[](size_t index) const& { return {this, {}, index}; }
  Path operator[](size_t index) && = delete;
  // An entry of a map.
  Path Key(std::string_view key) const& { return {this, key, kKey}; }
  Path Key(std::string_view key) && = delete;

  std::string ToString() const;

 private:
  static constexpr size_t kMember = static_cast<size_t>(-1);
  static constexpr size_t kKey = static_cast<size_t>(-2);

  Path(const Path* parent, std::string_view name, size_t index) : parent_(parent), name_(name), index_(index) {}
  void Append(std::string& out) const;

  const Path* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = kMember;
};

}  // namespace keelson::apiserver
