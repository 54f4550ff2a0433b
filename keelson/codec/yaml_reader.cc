#include "keelson/codec/yaml_reader.h"

#include <yaml.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "keelson/codec/internal/base64.h"
#include "keelson/codec/internal/yaml_scalar.h"
#include "keelson/codec/json_scalars.h"

namespace keelson {

namespace {

using internal::ResolveYamlScalar;
using internal::YamlScalar;

constexpr size_t kMaxNodes = 4'000'000;
// Visits of nodes below an alias: bounds work that produces no text, such as merges of merges.
constexpr size_t kMaxAliasVisits = 2'000'000;
constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

struct YamlNode {
  enum class Kind : uint8_t { kScalar, kSequence, kMapping, kAlias };
  Kind kind = Kind::kScalar;
  bool plain = false;  // of a scalar: means what its text resolves to
  bool open = false;   // being written: an alias to it would never end
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t target = 0;  // of an alias
  std::string text;     // of a scalar; the name of an alias
  std::string tag;
  std::vector<uint32_t> children;  // of a mapping: key, value, key, value …
};

Error ErrorAt(size_t line, size_t column, std::string_view what) {
  return Error::InvalidArgument("YAML line " + std::to_string(line) + ", column " + std::to_string(column) + ": " +
                                std::string(what));
}
Error ErrorAt(const YamlNode& node, std::string_view what) { return ErrorAt(node.line, node.column, what); }

// One document as a tree, and its JSON form.
class YamlDocument {
 public:
  explicit YamlDocument(const YamlReadOptions& options) : options_(&options) {}

  bool empty() const {
    if (nodes_.empty()) return true;
    const YamlNode& root = nodes_[0];
    return root.kind == YamlNode::Kind::kScalar && root.tag.empty() && root.plain &&
           ResolveYamlScalar(root.text).kind == YamlScalar::Kind::kNull;
  }

  // Adds one event of the parser; scalars, containers and aliases alone.
  Result<void> Add(const yaml_event_t& event) {
    if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
      open_.pop_back();
      return {};
    }
    YamlNode node;
    node.line = static_cast<uint32_t>(event.start_mark.line + 1);
    node.column = static_cast<uint32_t>(event.start_mark.column + 1);
    if (nodes_.size() >= kMaxNodes) return ErrorAt(node, "more than 4000000 values in one document");
    const auto index = static_cast<uint32_t>(nodes_.size());
    const yaml_char_t* anchor = nullptr;
    const yaml_char_t* tag = nullptr;
    bool opens = false;
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        node.text.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
        node.plain = event.data.scalar.plain_implicit != 0;
        anchor = event.data.scalar.anchor;
        tag = event.data.scalar.tag;
        break;
      case YAML_SEQUENCE_START_EVENT:
        node.kind = YamlNode::Kind::kSequence;
        anchor = event.data.sequence_start.anchor;
        opens = true;
        break;
      case YAML_MAPPING_START_EVENT:
        node.kind = YamlNode::Kind::kMapping;
        anchor = event.data.mapping_start.anchor;
        opens = true;
        break;
      default: {
        node.kind = YamlNode::Kind::kAlias;
        node.text = reinterpret_cast<const char*>(event.data.alias.anchor);
        const auto found = anchors_.find(node.text);
        if (found == anchors_.end()) return ErrorAt(node, "unknown anchor '" + node.text + "' referenced");
        node.target = found->second;
      }
    }
    if (tag != nullptr) node.tag = reinterpret_cast<const char*>(tag);
    if (anchor != nullptr) anchors_[reinterpret_cast<const char*>(anchor)] = index;
    if (!open_.empty()) nodes_[open_.back()].children.push_back(index);
    if (opens) {
      open_.push_back(index);
      if (open_.size() > static_cast<size_t>(options_->max_depth)) return TooDeep(node);
    }
    nodes_.push_back(std::move(node));
    return {};
  }

  Result<std::string> ToJson() {
    out_.clear();
    if (nodes_.empty()) return std::string("null");
    KEELSON_RETURN_IF_ERROR(Write(0, 1));
    return std::move(out_);
  }

 private:
  struct Entry {
    std::string key;
    uint32_t value;
    bool merged;
  };
  struct Entries {
    std::vector<Entry> list;
    std::unordered_map<std::string, size_t> positions;
  };

  Error TooDeep(const YamlNode& node) const {
    return ErrorAt(node, "nested deeper than " + std::to_string(options_->max_depth) + " levels");
  }

  Result<void> Visit(const YamlNode& node, int depth) {
    if (depth > options_->max_depth) return TooDeep(node);
    if (alias_depth_ > 0 && (++alias_visits_ > kMaxAliasVisits || out_.size() > options_->max_expanded_bytes)) {
      return ErrorAt(node, "aliases expand to more than " + std::to_string(options_->max_expanded_bytes) + " bytes");
    }
    return {};
  }

  Result<void> Write(uint32_t index, int depth) {
    YamlNode& node = nodes_[index];
    KEELSON_RETURN_IF_ERROR(Visit(node, depth));
    if (node.kind == YamlNode::Kind::kScalar) return WriteScalar(node);
    if (node.kind == YamlNode::Kind::kAlias) {
      KEELSON_RETURN_IF_ERROR(CheckEnds(node));
      ++alias_depth_;
      Result<void> written = Write(node.target, depth);
      --alias_depth_;
      return written;
    }
    node.open = true;
    if (node.kind == YamlNode::Kind::kSequence) {
      char separator = '[';
      for (const uint32_t child : node.children) {
        out_ += separator;
        separator = ',';
        KEELSON_RETURN_IF_ERROR(Write(child, depth + 1));
      }
      if (separator == '[') out_ += '[';
      out_ += ']';
    } else {
      Entries entries;
      KEELSON_RETURN_IF_ERROR(Collect(node, entries, false, depth));
      char separator = '{';
      for (const Entry& entry : entries.list) {
        out_ += separator;
        separator = ',';
        AppendJsonString(entry.key, out_);
        out_ += ':';
        KEELSON_RETURN_IF_ERROR(Write(entry.value, depth + 1));
      }
      if (separator == '{') out_ += '{';
      out_ += '}';
    }
    node.open = false;
    return {};
  }

  Result<void> CheckEnds(const YamlNode& alias) const {
    if (!nodes_[alias.target].open) return {};
    return ErrorAt(alias, "anchor '" + alias.text + "' value contains itself");
  }

  // The members of a mapping. What `<<` brings yields to keys behind it, and replaces keys before it.
  Result<void> Collect(YamlNode& mapping, Entries& entries, bool merged, int depth) {
    for (size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
      const YamlNode& key = nodes_[mapping.children[i]];
      const uint32_t value = mapping.children[i + 1];
      KEELSON_RETURN_IF_ERROR(Visit(key, depth));
      if (IsMerge(key)) {
        KEELSON_RETURN_IF_ERROR(Merge(value, entries, depth + 1, true));
        continue;
      }
      std::string text;
      KEELSON_RETURN_IF_ERROR(ReadKey(key, text));
      const auto [at, is_new] = entries.positions.try_emplace(text, entries.list.size());
      if (is_new) {
        entries.list.push_back({std::move(text), value, merged});
        continue;
      }
      Entry& known = entries.list[at->second];
      if (!merged && !known.merged) {
        if (options_->repeated_keys == nullptr) {
          return ErrorAt(key, "key \"" + text + "\" stands twice in one mapping");
        }
        // A mapping that aliases stand for is read once for each.
        if (alias_depth_ == 0) options_->repeated_keys->push_back({key.line, text});
      }
      known.value = value;
      known.merged = merged;
    }
    return {};
  }

  static bool IsMerge(const YamlNode& key) {
    return key.kind == YamlNode::Kind::kScalar && key.text == "<<" &&
           (key.plain || key.tag == std::string(kTagPrefix) + "merge");
  }

  Result<void> Merge(uint32_t index, Entries& entries, int depth, bool list_allowed) {
    YamlNode& node = nodes_[index];
    KEELSON_RETURN_IF_ERROR(Visit(node, depth));
    if (node.kind == YamlNode::Kind::kMapping) {
      node.open = true;
      KEELSON_RETURN_IF_ERROR(Collect(node, entries, true, depth));
      node.open = false;
      return {};
    }
    if (node.kind == YamlNode::Kind::kAlias && nodes_[node.target].kind == YamlNode::Kind::kMapping) {
      KEELSON_RETURN_IF_ERROR(CheckEnds(node));
      ++alias_depth_;
      Result<void> merged = Merge(node.target, entries, depth, false);
      --alias_depth_;
      return merged;
    }
    if (node.kind == YamlNode::Kind::kSequence && list_allowed) {
      // From the back, because the first of them to have a key wins.
      for (size_t i = node.children.size(); i-- > 0;) {
        KEELSON_RETURN_IF_ERROR(Merge(node.children[i], entries, depth + 1, false));
      }
      return {};
    }
    return ErrorAt(node, "map merge requires map or sequence of maps as the value");
  }

  Result<void> ReadKey(const YamlNode& key, std::string& text) {
    const YamlNode& node = key.kind == YamlNode::Kind::kAlias ? nodes_[key.target] : key;
    if (node.kind != YamlNode::Kind::kScalar) return ErrorAt(key, "a key must be a scalar");
    YamlScalar scalar;
    KEELSON_RETURN_IF_ERROR(Resolve(node, scalar, text));
    switch (scalar.kind) {
      case YamlScalar::Kind::kBool: text = scalar.boolean ? "true" : "false"; return {};
      case YamlScalar::Kind::kInt: text = std::to_string(scalar.integer); return {};
      case YamlScalar::Kind::kFloat: text = internal::FormatYamlFloat(static_cast<float>(scalar.real)); return {};
      case YamlScalar::Kind::kNull: return ErrorAt(key, "a key must not be null: put it in quotes");
      case YamlScalar::Kind::kUnsigned: return ErrorAt(key, "number too large for a key: put it in quotes");
      default: return {};
    }
  }

  // Sets `text` when the result is a string of any sort.
  Result<void> Resolve(const YamlNode& node, YamlScalar& scalar, std::string& text) {
    std::string_view tag = node.tag;
    const bool standard = tag.starts_with(kTagPrefix);
    if (standard) tag.remove_prefix(kTagPrefix.size());
    scalar.kind = YamlScalar::Kind::kString;
    text = node.text;
    if (tag.empty()) {
      if (node.plain) scalar = ResolveYamlScalar(node.text);
      return {};
    }
    if (standard && tag == "binary") {
      text.clear();
      if (!internal::DecodeBase64(node.text, text)) return ErrorAt(node, "!!binary value contains invalid base64 data");
      return {};
    }
    if (!standard || (tag != "bool" && tag != "int" && tag != "float" && tag != "null" && tag != "timestamp"))
      return {};
    scalar = ResolveYamlScalar(node.text);
    if (tag == "float" && scalar.kind == YamlScalar::Kind::kInt) {
      scalar.kind = YamlScalar::Kind::kFloat;
      scalar.real = static_cast<double>(scalar.integer);
    }
    if (ToString(scalar.kind) != tag) {
      return ErrorAt(node, "cannot decode !!" + std::string(ToString(scalar.kind)) + " `" + node.text + "` as a !!" +
                               std::string(tag));
    }
    return {};
  }

  Result<void> WriteScalar(const YamlNode& node) {
    YamlScalar scalar;
    std::string text;
    KEELSON_RETURN_IF_ERROR(Resolve(node, scalar, text));
    switch (scalar.kind) {
      case YamlScalar::Kind::kNull: out_ += "null"; break;
      case YamlScalar::Kind::kBool: out_ += scalar.boolean ? "true" : "false"; break;
      case YamlScalar::Kind::kInt: out_ += std::to_string(scalar.integer); break;
      case YamlScalar::Kind::kUnsigned: out_ += std::to_string(scalar.unsigned_integer); break;
      case YamlScalar::Kind::kFloat:
        if (!std::isfinite(scalar.real)) {
          return ErrorAt(node, node.text + " has no JSON form: put it in quotes if it is meant as text");
        }
        AppendJsonDouble(scalar.real, out_);
        break;
      case YamlScalar::Kind::kTimestamp:
      case YamlScalar::Kind::kMerge:
      case YamlScalar::Kind::kString: AppendJsonString(text, out_); break;
    }
    return {};
  }

  const YamlReadOptions* options_;
  std::vector<YamlNode> nodes_;
  std::vector<uint32_t> open_;
  std::unordered_map<std::string, uint32_t> anchors_;
  std::string out_;
  int alias_depth_ = 0;
  size_t alias_visits_ = 0;
};

// libyaml's parser and its event at hand, freed when they go.
class EventReader {
 public:
  explicit EventReader(std::string_view text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;
  ~EventReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  Result<const yaml_event_t*> Next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) != 0) return &event_;
    std::memset(&event_, 0, sizeof event_);
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    std::string what = parser_.problem == nullptr ? "malformed" : parser_.problem;
    if (parser_.context != nullptr) what = std::string(parser_.context) + ": " + what;
    if (parser_.error == YAML_READER_ERROR) {
      return Error::InvalidArgument("YAML byte " + std::to_string(parser_.problem_offset) + ": " + what);
    }
    return ErrorAt(parser_.problem_mark.line + 1, parser_.problem_mark.column + 1, what);
  }

 private:
  yaml_parser_t parser_;
  yaml_event_t event_ = {};
};

bool IsJsonDocument(std::string_view text, std::string& json) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '{' && internal::AppendCompactJson(text, json);
}

}  // namespace

Result<std::vector<std::string>> SplitYamlToJson(std::string_view text, const YamlReadOptions& options) {
  if (text.size() > options.max_bytes) {
    return Error::InvalidArgument("YAML text of " + std::to_string(text.size()) +
                                  " bytes is longer than the limit of " + std::to_string(options.max_bytes));
  }
  std::vector<std::string> documents;
  // Most JSON is YAML, but not all: escaped surrogates, tabs.
  if (std::string json; IsJsonDocument(text, json)) {
    documents.push_back(std::move(json));
    return documents;
  }
  EventReader events(text);
  YamlDocument document(options);
  while (true) {
    KEELSON_TRY(event, events.Next());
    switch (event->type) {
      case YAML_STREAM_END_EVENT: return documents;
      case YAML_STREAM_START_EVENT:
      case YAML_NO_EVENT: break;
      case YAML_DOCUMENT_START_EVENT: document = YamlDocument(options); break;
      case YAML_DOCUMENT_END_EVENT: {
        if (document.empty()) break;
        KEELSON_TRY(json, document.ToJson());
        documents.push_back(std::move(json));
        break;
      }
      default: KEELSON_RETURN_IF_ERROR(document.Add(*event));
    }
  }
}

Result<std::string> YamlToJson(std::string_view text, const YamlReadOptions& options) {
  KEELSON_TRY(documents, SplitYamlToJson(text, options));
  if (documents.empty()) return std::string("null");
  if (documents.size() > 1) {
    return Error::InvalidArgument("expected one YAML document, found " + std::to_string(documents.size()) +
                                  ": read them with SplitYamlToJson");
  }
  return std::move(documents[0]);
}

Result<void> DecodeYaml(const Type& type, void* value, std::string_view text, const YamlReadOptions& options) {
  KEELSON_TRY(json, YamlToJson(text, options));
  return DecodeJson(type, value, json,
                    {.strict = options.strict,
                     .share_nodes = options.share_nodes,
                     .max_bytes = json.size(),
                     .max_depth = options.max_depth});
}

}  // namespace keelson
