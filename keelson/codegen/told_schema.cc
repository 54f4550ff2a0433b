#include "keelson/codegen/told_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codegen/cpp_names.h"

namespace keelson::codegen {

namespace {

constexpr std::string_view kValidation = "kubebuilder:validation:";
constexpr std::string_view kItemsValidation = "kubebuilder:validation:items:";

// What a marker of validation asks of the type that it stands on.
enum class Needs { kNothing, kNumber, kText, kList, kObject };

struct ValidationKeyword {
  std::string_view keyword;
  std::string_view marker;
  Needs needs;
};

// In the order in which they are written. Type and int-or-string come first because what the others need depends on
// them, though markers may stand in any order.
constexpr auto kValidations = std::to_array<ValidationKeyword>({
    {"type", "Type", Needs::kNothing},
    {"x-kubernetes-int-or-string", "XIntOrString", Needs::kNothing},
    {"x-kubernetes-embedded-resource", "XEmbeddedResource", Needs::kNothing},
    {"format", "Format", Needs::kNothing},
    {"enum", "Enum", Needs::kNothing},
    {"minimum", "Minimum", Needs::kNumber},
    {"exclusiveMinimum", "ExclusiveMinimum", Needs::kNumber},
    {"maximum", "Maximum", Needs::kNumber},
    {"exclusiveMaximum", "ExclusiveMaximum", Needs::kNumber},
    {"multipleOf", "MultipleOf", Needs::kNumber},
    {"minLength", "MinLength", Needs::kText},
    {"maxLength", "MaxLength", Needs::kText},
    {"pattern", "Pattern", Needs::kText},
    {"minItems", "MinItems", Needs::kList},
    {"maxItems", "MaxItems", Needs::kList},
    {"uniqueItems", "UniqueItems", Needs::kList},
    {"minProperties", "MinProperties", Needs::kObject},
    {"maxProperties", "MaxProperties", Needs::kObject},
});

constexpr auto kToldOtherwise =
    std::to_array<std::string_view>({"additionalProperties", "description", "items", "properties", "required"});

std::string Number(const Json& value) {
  if (value.is_double() && value.number() == std::trunc(value.number()) && std::abs(value.number()) < 1e15) {
    return std::to_string(static_cast<int64_t>(value.number()));
  }
  return ToJson(value);
}

bool IsIntegral(const Json& value) { return value.is_int() || value.number() == std::trunc(value.number()); }

// A scalar where any value is allowed: a text that looks like something else is quoted.
std::optional<std::string> Scalar(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kBool: return value.boolean() ? "true" : "false";
    case Json::Kind::kInt:
    case Json::Kind::kDouble: return Number(value);
    case Json::Kind::kString:
      if (const std::string_view text = value.string(); IsIdentifier(text) && text != "true" && text != "false") {
        return std::string(text);
      }
      return QuotedMarkerString(value.string());
    default: return std::nullopt;
  }
}

std::optional<std::string> Scalars(const JsonList& values, std::string_view separator) {
  if (values.empty()) return std::nullopt;
  std::string text;
  for (const Json& value : values) {
    const auto scalar = Scalar(value);
    // The members of a list are taken to be of the kind of its first one.
    if (!scalar || value.kind() != values[0].kind()) return std::nullopt;
    if (!text.empty()) text += separator;
    text += *scalar;
  }
  return text;
}

// A scalar, a list of scalars `{a,b}` or an object of scalars `{"x":1}`; others have no form that is read back alike.
std::optional<std::string> AnyValue(const Json& value) {
  if (value.is_list()) {
    const auto members = Scalars(value.list(), ",");
    return members ? std::optional("{" + *members + "}") : std::nullopt;
  }
  if (!value.is_object()) return Scalar(value);
  if (value.object().empty()) return std::nullopt;
  std::string text;
  for (const auto& [key, member] : value.object()) {
    const auto scalar = Scalar(member);
    if (!scalar) return std::nullopt;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", QuotedMarkerString(key), *scalar);
  }
  return "{" + text + "}";
}

bool Has(const Schema& schema, std::string_view keyword) { return schema.find(keyword) != nullptr; }

bool IsTrue(const Json& value) { return value.is_bool() && value.boolean(); }

class Teller {
 public:
  Teller(const Schema& schema, const TypeSchema& type, SchemaPlace place)
      : type_(type),
        place_(place),
        type_text_(type.type.empty() && !Has(type.keywords, "type") ? SchemaText(schema, "type") : type.type) {
    for (const auto& [keyword, value] : schema) {
      if (std::find(kToldOtherwise.begin(), kToldOtherwise.end(), keyword) != kToldOtherwise.end()) continue;
      const Json* known = type.keywords.find(keyword);
      if (known == nullptr || !NumericallyEqual(*known, value)) left_.Set(keyword, value);
    }
    // Beside a reference to IntOrString the marker has to say so once more before others may speak of texts.
    is_text_ = type_text_ == "string" || Has(schema, "x-kubernetes-int-or-string");
    if (Has(type.keywords, "x-kubernetes-int-or-string") && HasLeft({"minLength", "maxLength", "pattern"})) {
      left_.Set("x-kubernetes-int-or-string", true);
    }
    for (const auto& [keyword, value] : type.keywords) {
      if (Has(schema, keyword)) continue;
      // An empty format is none.
      left_.Set(keyword, keyword == "format" ? Json("") : Json());
    }
  }

  ToldSchema Tell() {
    if (place_ != SchemaPlace::kItems) TellDocumentation();
    for (const ValidationKeyword& validation : kValidations) TellValidation(validation);
    TellPreserving();
    if (place_ != SchemaPlace::kItems) TellTopology();
    TellRules();
    if (place_ == SchemaPlace::kField) TellValues();
    told_.rest = std::move(left_);
    return std::move(told_);
  }

 private:
  bool HasLeft(std::initializer_list<std::string_view> keywords) const {
    return std::any_of(keywords.begin(), keywords.end(), [&](std::string_view keyword) { return Has(left_, keyword); });
  }
  void Say(std::string marker) { told_.markers.push_back(std::move(marker)); }

  void TellDocumentation() {
    if (const Json* title = left_.find("title")) {
      Say("kubebuilder:title=" + QuotedMarkerString(title->string()));
      left_.erase("title");
    }
    if (const Json* docs = left_.find("externalDocs")) {
      const std::string url(SchemaText(docs->object(), "url"));
      if (url.find("://") == std::string::npos) return;
      const std::string description(SchemaText(docs->object(), "description"));
      Say("kubebuilder:externalDocs:url=" + QuotedMarkerString(url) +
          (description.empty() ? "" : ",description=" + QuotedMarkerString(description)));
      left_.erase("externalDocs");
    }
  }

  bool IsMet(Needs needs) const {
    switch (needs) {
      case Needs::kNothing: return true;
      case Needs::kNumber: return type_text_ == "integer" || type_text_ == "number";
      case Needs::kText: return is_text_;
      case Needs::kList: return type_text_ == "array";
      case Needs::kObject: return type_text_ == "object";
    }
    return false;
  }

  std::optional<std::string> ValidationValue(const ValidationKeyword& validation, const Json& value) const {
    if (value.is_null() || !IsMet(validation.needs)) return std::nullopt;
    if (validation.keyword == "enum") return Scalars(value.list(), ";");
    if (validation.keyword.starts_with("x-")) return IsTrue(value) ? std::optional("") : std::nullopt;
    if (value.is_string()) return MarkerString(value.string());
    if (value.is_bool()) return value.boolean() ? "true" : "false";
    if (validation.needs == Needs::kNumber && type_text_ == "integer" && !IsIntegral(value)) return std::nullopt;
    return Number(value);
  }

  void TellValidation(const ValidationKeyword& validation) {
    const Json* value = left_.find(validation.keyword);
    if (value == nullptr) return;
    const auto text = ValidationValue(validation, *value);
    if (!text) return;
    const std::string_view family = place_ == SchemaPlace::kItems ? kItemsValidation : kValidation;
    Say(fmt::format("{}{}{}{}", family, validation.marker, text->empty() ? "" : "=", *text));
    left_.erase(validation.keyword);
  }

  void TellPreserving() {
    constexpr std::string_view kKeyword = "x-kubernetes-preserve-unknown-fields";
    const Json* value = left_.find(kKeyword);
    if (value == nullptr || !IsTrue(*value)) return;
    Say(place_ == SchemaPlace::kItems ? "kubebuilder:validation:items:XPreserveUnknownFields"
                                      : "kubebuilder:pruning:PreserveUnknownFields");
    left_.erase(kKeyword);
  }

  void TellTopology() {
    const std::string list_type(SchemaText(left_, "x-kubernetes-list-type"));
    if (type_text_ == "array" && !list_type.empty()) {
      Say("listType=" + list_type);
      left_.erase("x-kubernetes-list-type");
      const Json* keys = left_.find("x-kubernetes-list-map-keys");
      if (keys != nullptr && list_type == "map") {
        for (const Json& key : keys->list()) Say("listMapKey=" + MarkerString(key.string()));
        left_.erase("x-kubernetes-list-map-keys");
      }
    }
    const std::string map_type(SchemaText(left_, "x-kubernetes-map-type"));
    if (map_type.empty() || (type_text_ != "object" && type_text_ != "")) return;
    Say((type_.is_struct || type_text_.empty() ? "structType=" : "mapType=") + map_type);
    left_.erase("x-kubernetes-map-type");
  }

  void TellRules() {
    const Json* rules = left_.find("x-kubernetes-validations");
    if (rules == nullptr) return;
    constexpr auto kReasons = std::to_array<std::string_view>(
        {"", "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"});
    std::vector<std::string> markers;
    for (const Json& rule : rules->list()) {
      if (std::find(kReasons.begin(), kReasons.end(), SchemaText(rule.object(), "reason")) == kReasons.end()) return;
      std::string marker(place_ == SchemaPlace::kItems ? kItemsValidation : kValidation);
      marker += "XValidation:rule=" + QuotedMarkerString(SchemaText(rule.object(), "rule"));
      for (const std::string_view argument : {"message", "messageExpression", "reason", "fieldPath"}) {
        const std::string_view text = SchemaText(rule.object(), argument);
        if (!text.empty()) marker += fmt::format(",{}={}", argument, QuotedMarkerString(text));
      }
      if (const Json* optional = rule.find("optionalOldSelf")) {
        marker += IsTrue(*optional) ? ",optionalOldSelf=true" : ",optionalOldSelf=false";
      }
      markers.push_back(std::move(marker));
    }
    for (std::string& marker : markers) Say(std::move(marker));
    left_.erase("x-kubernetes-validations");
  }

  void TellValues() {
    if (const Json* value = left_.find("default")) {
      const auto text = AnyValue(*value);
      Say(text ? "kubebuilder:default=" + *text : "default=" + ToJson(*value));
      left_.erase("default");
    }
    if (const Json* value = left_.find("example")) {
      if (const auto text = AnyValue(*value)) {
        Say("kubebuilder:example=" + *text);
        left_.erase("example");
      }
    }
    if (const Json* value = left_.find("nullable"); value != nullptr && IsTrue(*value)) {
      Say("nullable");
      left_.erase("nullable");
    }
  }

  const TypeSchema& type_;
  SchemaPlace place_;
  std::string type_text_;
  bool is_text_ = false;
  Schema left_;
  ToldSchema told_;
};

// Characters that a comment or a marker had better not hold as they are: controls, and those that change the direction
// of writing, of which compilers warn. Returns their length in bytes.
size_t HiddenCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return byte(0) == '\t' ? 0 : 1;
  if (byte(0) == 0xC2 && byte(1) < 0xA0) return 2;
  if (byte(0) != 0xE2) return 0;
  const bool is_mark = byte(1) == 0x80 && ((byte(2) >= 0xA8 && byte(2) <= 0xAE) || byte(2) == 0x8E || byte(2) == 0x8F);
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return is_mark || is_isolate ? 3 : 0;
}

bool HasHiddenCharacter(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (HiddenCharacter(text.substr(i)) > 0) return true;
  }
  return false;
}

std::string WithoutHiddenCharacters(std::string_view text) {
  std::string shown;
  for (size_t i = 0; i < text.size();) {
    const size_t hidden = HiddenCharacter(text.substr(i));
    if (hidden == 0) shown += text[i];
    i += hidden == 0 ? 1 : hidden;
  }
  return shown;
}

// A line of a comment that neither is a marker nor joins the next line.
std::string ReadableLine(std::string_view line) {
  std::string shown = WithoutHiddenCharacters(line);
  while (!shown.empty() && (shown.back() == ' ' || shown.back() == '\t' || shown.back() == '\\')) shown.pop_back();
  const size_t first = shown.find_first_not_of(" \t");
  if (first != std::string::npos && shown[first] == '+') shown.insert(first, "| ");
  return shown;
}

bool IsLeftOutOfDescriptions(std::string_view line) {
  return line.starts_with("TODO") || line.starts_with("---") || line.starts_with("NOLINT") ||
         line.starts_with("clang-format o");
}

}  // namespace

ToldSchema TellSchema(const Schema& schema, const TypeSchema& told, SchemaPlace place) {
  return Teller(schema, told, place).Tell();
}

std::string MarkerString(std::string_view text) {
  return IsIdentifier(text) ? std::string(text) : QuotedMarkerString(text);
}

std::string QuotedMarkerString(std::string_view text) {
  const bool is_plain = !HasHiddenCharacter(text) && text.find('\t') == std::string_view::npos;
  if (is_plain && text.find_first_of("\"\\") == std::string_view::npos) return fmt::format("\"{}\"", text);
  if (is_plain && text.find('`') == std::string_view::npos) return fmt::format("`{}`", text);
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t hidden = HiddenCharacter(text.substr(i));
    if (hidden == 0) {
      if (text[i] == '\t') {
        quoted += "\\t";
      } else {
        if (text[i] == '"' || text[i] == '\\') quoted += '\\';
        quoted += text[i];
      }
    } else if (text[i] == '\n') {
      quoted += "\\n";
    } else {
      for (size_t byte = i; byte < i + hidden; ++byte) {
        quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[byte]));
      }
    }
    i += hidden == 0 ? 1 : hidden;
  }
  return quoted + "\"";
}

DescriptionText TellDescription(std::string_view description) {
  DescriptionText told;
  if (description.empty()) return told;
  while (true) {
    const size_t end = description.find('\n');
    const std::string_view line = description.substr(0, end);
    std::string shown = ReadableLine(line);
    const bool is_blank_again = shown.empty() && (told.lines.empty() || told.lines.back().empty());
    if (shown != line || is_blank_again || IsLeftOutOfDescriptions(line)) told.exact = false;
    if (!is_blank_again) told.lines.push_back(std::move(shown));
    if (end == std::string_view::npos) break;
    description.remove_prefix(end + 1);
  }
  if (!told.lines.empty() && told.lines.back().empty()) {
    told.lines.pop_back();
    told.exact = false;
  }
  return told;
}

}  // namespace keelson::codegen
