#include "keelson/codec/json_list_cutter.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "keelson/codec/internal/json_scan.h"
#include "keelson/codec/json_reader.h"

namespace keelson {

namespace {

// No member that matters has a longer name.
constexpr size_t kMaxKeyBytes = 256;
// A buffer that one huge item made larger is given back.
constexpr size_t kMostKept = size_t{1} << 20;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::string Printable(char c) {
  if (c >= 0x20 && c < 0x7f) return std::string("'") + c + "'";
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

JsonListCutter::JsonListCutter(ItemFunction on_item, JsonListCutterOptions options)
    : on_item_(std::move(on_item)), options_(options) {}

Error JsonListCutter::ErrorAt(const char* at, const std::string& what) const {
  const uint64_t position = consumed_ + static_cast<uint64_t>(at - chunk_);
  return Error::InvalidArgument("list body, byte " + std::to_string(position) + ": " + what);
}
Error JsonListCutter::Unexpected(std::string_view expected, const char* at) const {
  return ErrorAt(at, "expected " + std::string(expected) + ", found " + Printable(*at));
}

Result<void> JsonListCutter::Feed(std::string_view chunk) {
  if (failure_) return *failure_;
  chunk_ = chunk.data();
  Result<void> result = Cut(chunk);
  if (!result) failure_ = result.error();
  consumed_ += chunk.size();
  return result;
}

Result<JsonListHeader> JsonListCutter::Finish() {
  if (failure_) return *failure_;
  if (state_ != State::kEnd) {
    return Error::InvalidArgument("list body ends early, behind byte " + std::to_string(consumed_) +
                                  ": the connection may have broken off");
  }
  return std::move(header_);
}

Result<void> JsonListCutter::Cut(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  const char* from = at;  // where the item, member or key at hand starts in this chunk
  while (at != end) {
    switch (state_) {
      case State::kInContainer:
      case State::kInString:
      case State::kInKey: {
        const bool in_container = state_ == State::kInContainer;
        const char* const behind =
            in_container ? internal::JsonScanner().find_end(scan_, at, end, static_cast<size_t>(options_.max_depth))
                         : SkipString(at, end);
        if (in_container && behind == nullptr && scan_.depth > static_cast<size_t>(options_.max_depth)) {
          return ErrorAt(at, "nested deeper than " + std::to_string(options_.max_depth) + " levels");
        }
        const std::string_view part(from, static_cast<size_t>((behind == nullptr ? end : behind) - from));
        if (behind == nullptr) return Hold(part, at);
        at = behind;
        if (state_ == State::kInKey) {
          KEELSON_RETURN_IF_ERROR(EndKey(part, at));
        } else {
          KEELSON_RETURN_IF_ERROR(EndValue(part, at));
        }
        continue;
      }
      case State::kInScalar: {
        while (at != end && !IsSpace(*at) && *at != ',' && *at != '}' && *at != ']') ++at;
        const std::string_view part(from, static_cast<size_t>(at - from));
        if (at == end) return Hold(part, at);
        KEELSON_RETURN_IF_ERROR(EndValue(part, at));
        continue;
      }
      default: break;
    }
    const char c = *at;
    if (IsSpace(c)) {
      ++at;
      continue;
    }
    switch (state_) {
      case State::kStart:
        if (c != '{') return Unexpected("a list, which starts with '{'", at);
        state_ = State::kFirstKey;
        ++at;
        break;
      case State::kFirstKey:
      case State::kKey:
        if (c == '}' && state_ == State::kFirstKey) {
          state_ = State::kEnd;
          ++at;
          break;
        }
        if (c != '"') return Unexpected("a key in quotes", at);
        state_ = State::kInKey;
        escaped_ = false;
        from = ++at;
        break;
      case State::kColon:
        if (c != ':') return Unexpected("':' behind a key", at);
        state_ = State::kValue;
        ++at;
        break;
      case State::kValue:
      case State::kFirstItem:
      case State::kItem:
        if (c == ']' && state_ == State::kFirstItem) {
          state_ = State::kAfterMember;
          ++at;
          break;
        }
        from = at;
        KEELSON_RETURN_IF_ERROR(StartValue(c, at));
        // Containers and scalars are read from their first character on.
        if (state_ == State::kInString || state_ == State::kFirstItem) ++at;
        break;
      case State::kAfterMember:
      case State::kAfterItem: {
        const bool in_items = state_ == State::kAfterItem;
        if (c == ',') {
          state_ = in_items ? State::kItem : State::kKey;
        } else if (c == (in_items ? ']' : '}')) {
          state_ = in_items ? State::kAfterMember : State::kEnd;
        } else {
          return Unexpected(in_items ? "',' or ']' behind an item" : "',' or '}' behind a member", at);
        }
        ++at;
        break;
      }
      default: return Unexpected("nothing behind the list", at);
    }
  }
  // The chunk ended with a string's first quote.
  if (state_ == State::kInString) return Hold({from, static_cast<size_t>(end - from)}, at);
  return {};
}

Result<void> JsonListCutter::StartValue(char first, const char* at) {
  scan_ = {};
  escaped_ = false;
  if (state_ != State::kValue) {
    purpose_ = Purpose::kItem;
    if (first != '{') return Unexpected("an item, which starts with '{'", at);
    state_ = State::kInContainer;
    return {};
  }
  if (purpose_ == Purpose::kItems && first == '[') {
    state_ = State::kFirstItem;
  } else if (first == '{' || first == '[') {
    if (purpose_ == Purpose::kItems) return Unexpected("the array of items", at);
    state_ = State::kInContainer;
  } else if (first == '"') {
    if (purpose_ == Purpose::kItems) return Unexpected("the array of items", at);
    state_ = State::kInString;
  } else if (first == ',' || first == '}' || first == ']' || first == ':') {
    return Unexpected("a value", at);
  } else {
    state_ = State::kInScalar;
  }
  return {};
}

const char* JsonListCutter::SkipString(const char* at, const char* end) {
  for (; at != end; ++at) {
    if (escaped_) {
      escaped_ = false;
    } else if (*at == '\\') {
      escaped_ = true;
    } else if (*at == '"') {
      return at + 1;
    }
  }
  return nullptr;
}

size_t JsonListCutter::MostBytes() const {
  if (state_ == State::kInKey) return kMaxKeyBytes;
  return purpose_ == Purpose::kItem ? options_.max_item_bytes : options_.max_metadata_bytes;
}

// Keeps a part that the next chunk goes on with.
Result<void> JsonListCutter::Hold(std::string_view part, const char* at) {
  if (purpose_ == Purpose::kSkip && state_ != State::kInKey) return {};
  if (held_.size() + part.size() > MostBytes()) {
    if (state_ == State::kInKey) {
      held_.assign(kMaxKeyBytes + 1, '?');  // nobody's name, and no longer
      return {};
    }
    return ErrorAt(at, (purpose_ == Purpose::kItem ? "an item is longer than " : "a member is longer than ") +
                           std::to_string(MostBytes()) + " bytes");
  }
  held_ += part;
  return {};
}

Result<void> JsonListCutter::EndKey(std::string_view part, const char* at) {
  if (!held_.empty()) {
    KEELSON_RETURN_IF_ERROR(Hold(part, at));
    part = held_;
  }
  part.remove_suffix(part.size() > kMaxKeyBytes ? 0 : 1);  // the quote
  std::string name(part.substr(0, kMaxKeyBytes));
  if (part.size() <= kMaxKeyBytes && part.find('\\') != std::string_view::npos) {
    Result<String> read = FromJson<String>("\"" + name + "\"");
    if (!read) return ErrorAt(at, "the key before is malformed: " + read.error().message());
    name = read->str();
  }
  held_.clear();
  state_ = State::kColon;
  purpose_ = name == "items"        ? Purpose::kItems
             : name == "metadata"   ? Purpose::kMetadata
             : name == "kind"       ? Purpose::kKind
             : name == "apiVersion" ? Purpose::kApiVersion
                                    : Purpose::kSkip;
  if (purpose_ == Purpose::kItems && std::exchange(has_items_, true)) return ErrorAt(at, "a second member \"items\"");
  return {};
}

Result<void> JsonListCutter::EndValue(std::string_view part, const char* at) {
  if (purpose_ != Purpose::kSkip) {
    if (!held_.empty()) {
      KEELSON_RETURN_IF_ERROR(Hold(part, at));
      part = held_;
    } else if (part.size() > MostBytes()) {
      return Hold(part, at);
    }
  }
  const auto as_member = [&](Result<void> read, const char* name) -> Result<void> {
    if (read) return {};
    return ErrorAt(at, std::string("the member \"") + name + "\" before is malformed: " + read.error().message());
  };
  state_ = State::kAfterMember;
  Result<void> result;
  switch (purpose_) {
    case Purpose::kItem:
      state_ = State::kAfterItem;
      result = on_item_(part);
      break;
    case Purpose::kItems:
      if (part != "null") result = ErrorAt(at, "expected the array of items, found " + std::string(part.substr(0, 20)));
      break;
    // Of a member that stands twice, the last one counts.
    case Purpose::kKind:
      header_.kind = {};
      result = as_member(DecodeJson(TypeOf<String>(), &header_.kind, part), "kind");
      break;
    case Purpose::kApiVersion:
      header_.apiVersion = {};
      result = as_member(DecodeJson(TypeOf<String>(), &header_.apiVersion, part), "apiVersion");
      break;
    case Purpose::kMetadata:
      header_.metadata = {};
      result = as_member(DecodeJson(TypeOf<metav1::ListMeta>(), &header_.metadata, part), "metadata");
      break;
    case Purpose::kSkip: break;
  }
  if (held_.capacity() > kMostKept) {
    held_ = std::string();
  } else {
    held_.clear();
  }
  return result;
}

}  // namespace keelson
