#include "keelson/apiserver/tables/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/label_selector_struct.h"

namespace keelson::apiserver::tables {

std::string AgeOf(const metav1::ObjectMeta& metadata, const PrintContext& context) {
  return Age(metadata.creationTimestamp, context.now);
}

std::string Join(std::span<const std::string_view> parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string Join(const List<String>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i].view();
  }
  return text;
}

std::string SortedSet(std::vector<std::string_view> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return Join(parts, ",");
}

void ShortList::Add(std::string_view text) {
  ++count_;
  if (shown_ == max_) return;
  if (shown_ > 0) text_ += ',';
  text_ += text;
  ++shown_;
}

std::string ShortList::Text(std::string_view if_empty) const {
  if (count_ > max_) return fmt::format("{} + {} more...", text_, count_ - max_);
  return text_.empty() ? std::string(if_empty) : text_;
}

std::string LabelsCell(const Map<String>& labels) {
  if (labels.empty()) return std::string(kNone);
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ',';
    text.append(key.view()).append("=").append(value.view());
  }
  return text;
}

std::string SelectorCell(const Optional<metav1::LabelSelector>& selector) {
  return selector ? labels::Format(*selector) : std::string(kNone);
}

void AddContainerCells(const List<corev1::Container>& containers, Cells& cells) {
  std::string names;
  std::string images;
  for (size_t i = 0; i < containers.size(); ++i) {
    if (i > 0) {
      names += ',';
      images += ',';
    }
    names += containers[i].name.view();
    images += containers[i].image.view();
  }
  cells.push_back(names);
  cells.push_back(images);
}

}  // namespace keelson::apiserver::tables
