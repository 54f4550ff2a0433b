#include "keelson/codec/internal/section_reuse.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "keelson/api/object.h"
#include "keelson/core/hash.h"
#include "keelson/core/random.h"

namespace keelson::internal {

namespace {

constexpr size_t kCacheLine = 64;

uint64_t Seed() {
  static const uint64_t seed = Random::FromEntropy().Next();
  return seed;
}
// Before main, and so outside of every simulation: drawn inside, it would be missing from that one's entropy, and the
// first run of a process would differ from a later one of the same seed.
[[maybe_unused]] const uint64_t drawn_before_main = Seed();

// As HashBytes, but in four lanes that do not wait for each other, for texts of kilobytes.
uint64_t HashText(std::string_view text, uint64_t seed) {
  constexpr size_t kLanes = 4, kStep = kLanes * 16;
  constexpr uint64_t kOdd = 0xd1b54a32d192ed03u;
  const char* at = text.data();
  size_t left = text.size();
  if (left > 2 * kStep) {
    uint64_t lanes[kLanes] = {seed, seed ^ 0x9e3779b97f4a7c15u, seed ^ 0xbf58476d1ce4e5b9u, seed ^ 0x94d049bb133111ebu};
    for (; left > kStep; left -= kStep, at += kStep) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        uint64_t words[2];
        std::memcpy(words, at + lane * sizeof words, sizeof words);
        lanes[lane] = MixWords(words[0] ^ kOdd, words[1] ^ lanes[lane]);
      }
    }
    seed = MixWords(lanes[0] ^ kOdd, lanes[1]) ^ MixWords(lanes[2] ^ kOdd, lanes[3] + text.size());
  }
  return HashBytes(at, left, seed);
}

}  // namespace

uint64_t SectionReuse::HashOf(const Type& content, std::string_view text) {
  return std::max<uint64_t>(HashText(text, Seed() ^ reinterpret_cast<uintptr_t>(&content)), kByElements + 1);
}

void SectionReuse::Begin(KeptVersions* versions, const Type& type, void* value) {
  versions_ = versions;
  size_ = 0;
  if (versions_ == nullptr) return;
  noted_.clear();
  metadata_ = FindObjectMeta(type, value);
  if (metadata_ == nullptr || type.size > SectionMarks::kLargestObject) return;
  object_ = static_cast<const std::byte*>(value);
  size_ = type.size;
  looked_ = false;
  before_ = {};
  open_ = nullptr;
}

void SectionReuse::LookUp(const void* slot) {
  // Servers write the uid behind name and namespace: when it comes, both are there.
  if ((metadata_->uid.empty() && slot != &metadata_->uid) || metadata_->name.empty()) return;
  looked_ = true;
  mark_before_ = 0;
  before_ = versions_->Find(metadata_->namespace_, metadata_->name);
  if (before_.object == nullptr) return;
  // Of many objects, most are not in the processor's cache.
  for (size_t at = 0; at < size_; at += kCacheLine) {
    __builtin_prefetch(static_cast<const std::byte*>(before_.object) + at);
  }
  before_.marks->Prefetch();
  prefetched_ = false;
}

SectionMarks::Mark SectionReuse::Open(const void* slot) {
  open_ = slot;
  elements_.clear();
  node_before_ = nullptr;
  same_elements_ = 0;
  if (!looked_) LookUp(slot);
  if (before_.object == nullptr) return {};
  if (!std::exchange(prefetched_, true)) before_.PrefetchSections();
  // Sections come in the same order as before.
  const size_t found = before_.marks->Find(OffsetOf(slot), mark_before_);
  if (found == before_.marks->size()) return {};
  mark_before_ = found;
  std::memcpy(&node_before_, static_cast<const std::byte*>(before_.object) + OffsetOf(slot), sizeof node_before_);
  return before_.marks->at(mark_before_);
}

bool SectionReuse::TakeOver(const Type& content, Node** slot) {
  *slot = ShareNode(content, node_before_);
  noted_.push_back(before_.marks->at(mark_before_));
  for (size_t i = mark_before_ + 1; i < before_.marks->size(); ++i) {
    const SectionMarks::Mark element = before_.marks->at(i);
    if (element.offset != SectionMarks::kElement) break;
    noted_.push_back(element);
  }
  return true;
}

SectionMarks::Mark SectionReuse::ElementBefore(size_t index) const {
  // Elements have marks all together or not at all.
  if (node_before_ == nullptr || mark_before_ + 1 == before_.marks->size() || index >= node_before_->length())
    return {};
  if (before_.marks->at(mark_before_ + 1).offset != SectionMarks::kElement) return {};
  return before_.marks->at(mark_before_ + 1 + index);
}

void SectionReuse::set_same_elements(size_t count) {
  same_elements_ = count;
  if (count == node_before_->length()) return;
  // Most of them will be taken one by one, and counting a reference waits for its memory.
  for (size_t i = 0; i < node_before_->length(); ++i) {
    __builtin_prefetch(reinterpret_cast<Node* const*>(node_before_->payload())[i]);
  }
}

Node* SectionReuse::TakeElement(const Type& element, size_t index) {
  elements_.push_back({.mark = ElementBefore(index), .type = nullptr, .text = {}, .tokens = 0});
  return ShareNode(element, reinterpret_cast<Node* const*>(node_before_->payload())[index]);
}

SectionMarks::Mark SectionReuse::MarkOf(const Type& content, std::string_view text, size_t tokens, uint32_t offset) {
  const bool keeps = text.size() >= kShortest && tokens <= UINT16_MAX;
  return {.hash = keeps ? HashOf(content, text) : 0, .offset = offset, .tokens = static_cast<uint16_t>(tokens)};
}

void SectionReuse::Note(const Type& content, const void* slot, std::string_view text, size_t tokens) {
  if (text.size() < kShortest || tokens > UINT16_MAX) return;
  if (elements_.size() < 2) {  // of a single element the section is as good
    noted_.push_back(MarkOf(content, text, tokens, OffsetOf(slot)));
    return;
  }
  const size_t section = noted_.size();
  noted_.push_back({.hash = kByElements, .offset = OffsetOf(slot), .tokens = static_cast<uint16_t>(tokens)});
  bool all = true;
  for (const Element& element : elements_) {
    noted_.push_back(element.type == nullptr
                         ? element.mark
                         : MarkOf(*element.type, element.text, element.tokens, SectionMarks::kElement));
    all = all && noted_.back().hash != 0;
  }
  if (!all) noted_[section].hash = HashOf(content, text);
}

void SectionReuse::End() {
  if (size_ == 0) return;
  size_ = 0;
  versions_->Keep(SectionMarks(noted_));
}

}  // namespace keelson::internal
