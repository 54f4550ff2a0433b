#include "keelson/codec/yaml_writer.h"

#include <yaml.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "keelson/codec/convert.h"
#include "keelson/codec/internal/yaml_scalar.h"

namespace keelson {

namespace {

using internal::YamlScalar;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// Bytes beyond ASCII are parts of characters nearly all of which are letters; compared bytewise they keep their order.
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

struct DigitRun {
  uint64_t number;
  size_t end;
};
DigitRun ReadDigits(std::string_view text, size_t start, uint64_t number) {
  size_t end = start;
  for (; end < text.size() && IsDigit(text[end]); ++end) number = number * 10 + static_cast<uint64_t>(text[end] - '0');
  return {number, end};
}

// Where two keys first differ, digits come before letters and other characters too; runs of digits count by their
// value, the shorter first when it is the same.
bool KeyComesBefore(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at_a == a.end() || at_b == b.end()) return a.size() < b.size();
  if (IsLetter(*at_a) || IsLetter(*at_b)) {
    if (IsLetter(*at_a) && IsLetter(*at_b))
      return static_cast<unsigned char>(*at_a) < static_cast<unsigned char>(*at_b);
    return IsLetter(*at_b);
  }
  const auto start = static_cast<size_t>(at_a - a.begin());
  // A zero that is not leading, as in 10 and 100, counts as a digit of a number begun before.
  uint64_t begun = 0;
  if (*at_a == '0' || *at_b == '0') {
    for (size_t i = start; i-- > 0 && IsDigit(a[i]);) {
      if (a[i] != '0') begun = 1;
    }
  }
  const DigitRun run_a = ReadDigits(a, start, begun);
  const DigitRun run_b = ReadDigits(b, start, begun);
  if (run_a.number != run_b.number) return run_a.number < run_b.number;
  if (run_a.end != run_b.end) return run_a.end < run_b.end;
  return *at_a < *at_b;
}

// libyaml's emitter, writing to a string.
class Emitter {
 public:
  explicit Emitter(std::string& out) {
    if (yaml_emitter_initialize(&emitter_) == 0) throw std::bad_alloc();
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_output(
        &emitter_,
        [](void* to, unsigned char* bytes, size_t size) {
          static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
          return 1;
        },
        &out);
  }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter() { yaml_emitter_delete(&emitter_); }

  void WriteDocument(const Json& document) {
    yaml_event_t event;
    Emit(event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    Emit(event, yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1));
    Write(document);
    Emit(event, yaml_document_end_event_initialize(&event, 1));
    Emit(event, yaml_stream_end_event_initialize(&event));
  }

 private:
  // The emitter takes the event over, also when it fails.
  void Emit(yaml_event_t& event, int initialized) {
    if (initialized == 0) throw std::bad_alloc();
    if (yaml_emitter_emit(&emitter_, &event) != 0) return;
    if (emitter_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    throw std::logic_error(std::string("AppendYaml: ") + (emitter_.problem == nullptr ? "failed" : emitter_.problem));
  }

  void Write(const Json& value) {
    yaml_event_t event;
    switch (value.kind()) {
      case Json::Kind::kNull: WriteScalar("null", YAML_PLAIN_SCALAR_STYLE); break;
      case Json::Kind::kBool: WriteScalar(value.boolean() ? "true" : "false", YAML_PLAIN_SCALAR_STYLE); break;
      case Json::Kind::kInt: WriteScalar(std::to_string(value.integer()), YAML_PLAIN_SCALAR_STYLE); break;
      case Json::Kind::kDouble: WriteScalar(internal::FormatYamlFloat(value.number()), YAML_PLAIN_SCALAR_STYLE); break;
      case Json::Kind::kString: WriteString(value.string(), false); break;
      case Json::Kind::kList:
        Emit(event, yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE));
        for (const Json& item : value.list()) Write(item);
        Emit(event, yaml_sequence_end_event_initialize(&event));
        break;
      case Json::Kind::kObject: {
        Emit(event, yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE));
        std::vector<std::pair<std::string_view, const Json*>> members;
        members.reserve(value.object().size());
        for (const auto& [key, member] : value.object()) members.emplace_back(key.view(), &member);
        std::sort(members.begin(), members.end(),
                  [](const auto& a, const auto& b) { return KeyComesBefore(a.first, b.first); });
        for (const auto& [key, member] : members) {
          WriteString(key, true);
          Write(*member);
        }
        Emit(event, yaml_mapping_end_event_initialize(&event));
        break;
      }
    }
  }

  void WriteString(std::string_view text, bool is_key) {
    WriteScalar(text, HasOtherLineBreak(text)                     ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
                      : text.find('\n') != std::string_view::npos ? YAML_LITERAL_SCALAR_STYLE
                      : MeansItself(text, is_key)                 ? YAML_PLAIN_SCALAR_STYLE
                                                                  : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  static bool MeansItself(std::string_view text, bool is_key) {
    const YamlScalar::Kind kind = internal::ResolveYamlScalar(text).kind;
    if (kind == YamlScalar::Kind::kMerge) return !is_key;  // << merges only as a key
    return kind == YamlScalar::Kind::kString && !internal::IsBase60Number(text);
  }

  // U+0085, U+2028 and U+2029 end a line in YAML 1.1: only an escape keeps them. (Kubernetes' writer loses some.)
  static bool HasOtherLineBreak(std::string_view text) {
    return text.find("\xc2\x85") != std::string_view::npos || text.find("\xe2\x80\xa8") != std::string_view::npos ||
           text.find("\xe2\x80\xa9") != std::string_view::npos;
  }

  // `style` is a wish: the emitter takes another where the text does not allow it.
  void WriteScalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event;
    const auto* bytes = reinterpret_cast<const yaml_char_t*>(text.data());
    Emit(event,
         yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes, static_cast<int>(text.size()), 1, 1, style));
  }

  yaml_emitter_t emitter_;
};

}  // namespace

void AppendYaml(const Json& document, std::string& out) {
  Emitter(out).WriteDocument(document);
  // Behind a block that ends in empty lines the emitter closes the document. Content would be indented.
  constexpr std::string_view kEnd = "\n...\n";
  if (out.ends_with(kEnd)) out.resize(out.size() - kEnd.size() + 1);
}

void AppendYaml(const Type& type, const void* value, std::string& out) { AppendYaml(ToJsonValue(type, value), out); }

}  // namespace keelson
