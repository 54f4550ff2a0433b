#include "keelson/apiserver/apply/go_text.h"

#include <array>
#include <charconv>

namespace keelson::apiserver {

std::string GoNumber(double number) {
  if (number == 0) return "0";
  std::array<char, 400> digits;
  char* const begin = digits.data();
  char* const end = begin + digits.size();
  // The exponent of the shortest digits decides, not that of the logarithm, which rounds.
  char* stop = std::to_chars(begin, end, number, std::chars_format::scientific).ptr;
  const std::string_view scientific(begin, static_cast<size_t>(stop - begin));
  const size_t mark = scientific.find('e');
  int exponent = 0;
  if (mark != std::string_view::npos) {
    const char* from = begin + mark + (scientific[mark + 1] == '+' ? 2 : 1);
    std::from_chars(from, stop, exponent);
  }
  if (exponent < -4 || exponent >= 6) return std::string(scientific);
  stop = std::to_chars(begin, end, number, std::chars_format::fixed).ptr;
  return std::string(begin, stop);
}

std::string GoQuoted(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\r') {
      quoted += "\\r";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += kDigits[byte >> 4];
      quoted += kDigits[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string GoText(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "<nil>";
    case Json::Kind::kBool: return value.boolean() ? "true" : "false";
    case Json::Kind::kInt:
    case Json::Kind::kDouble: return GoNumber(value.number());
    case Json::Kind::kString: return value.string().str();
    case Json::Kind::kList: {
      std::string shown = "[";
      for (const Json& item : value.list()) shown.append(shown.size() > 1 ? " " : "").append(GoText(item));
      return shown + "]";
    }
    case Json::Kind::kObject: {
      std::string shown;
      for (const auto& [key, member] : value.object()) {
        shown.append(shown.empty() ? "" : " ").append(key.view()).append(":").append(GoText(member));
      }
      return "map[" + shown + "]";
    }
  }
  return {};
}

std::string GoSyntax(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "interface {}(nil)";
    case Json::Kind::kString: return GoQuoted(value.string());
    case Json::Kind::kList: {
      std::string shown;
      for (const Json& item : value.list()) shown.append(shown.empty() ? "" : ", ").append(GoSyntax(item));
      return "[]interface {}{" + shown + "}";
    }
    case Json::Kind::kObject: {
      std::string shown;
      for (const auto& [key, member] : value.object()) {
        shown.append(shown.empty() ? "" : ", ").append(GoQuoted(key)).append(":").append(GoSyntax(member));
      }
      return "map[string]interface {}{" + shown + "}";
    }
    default: return GoText(value);
  }
}

std::string_view GoTypeNameInYaml(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "<nil>";
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kInt:
    case Json::Kind::kDouble: return "float64";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "[]interface {}";
    case Json::Kind::kObject: return "map[string]interface {}";
  }
  return {};
}

}  // namespace keelson::apiserver
