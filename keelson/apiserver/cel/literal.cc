#include "keelson/apiserver/cel/literal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace keelson::apiserver::cel {
namespace {

Expr* Invalid(AstBuilder& builder, int32_t offset, std::string message) {
  builder.Report(offset, std::move(message));
  return builder.Error(offset);
}

template <class T>
bool ParseInteger(std::string_view digits, bool minus, T* out) {
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::string text = minus ? "-" : "";
  text += digits;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return error == std::errc() && end == text.data() + text.size();
}

Expr* Int(AstBuilder& builder, int32_t offset, const std::string& text, bool minus) {
  int64_t value = 0;
  if (ParseInteger(text, minus, &value)) return builder.Constant(offset, value);
  return Invalid(builder, offset, "invalid int literal");
}

Expr* Uint(AstBuilder& builder, int32_t offset, std::string_view text) {
  uint64_t value = 0;
  text.remove_suffix(1);  // the u
  if (ParseInteger(text, false, &value)) return builder.Constant(offset, value);
  return Invalid(builder, offset, "invalid uint literal");
}

Expr* Double(AstBuilder& builder, int32_t offset, const std::string& text) {
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
    value = std::strtod(text.c_str(), nullptr);  // too small is 0, too large infinite
    if (std::isinf(value)) return Invalid(builder, offset, "invalid double literal");
  }
  return builder.Constant(offset, value);
}

Expr* Text(AstBuilder& builder, int32_t offset, const Token& token) {
  const bool bytes = token.kind == TokenKind::kBytes;
  std::string text;
  if (!Unquote(token.text, bytes, &text)) return Invalid(builder, offset, std::move(text));
  if (bytes) return builder.Constant(offset, BytesConstant{std::move(text)});
  return builder.Constant(offset, std::move(text));
}

}  // namespace

Expr* MakeLiteral(AstBuilder& builder, int32_t offset, const Token& token, bool minus) {
  switch (token.kind) {
    case TokenKind::kTrue: return builder.Constant(offset, true);
    case TokenKind::kFalse: return builder.Constant(offset, false);
    case TokenKind::kNull: return builder.Constant(offset, nullptr);
    case TokenKind::kInt: return Int(builder, offset, token.text, minus);
    case TokenKind::kUint: return Uint(builder, offset, token.text);
    case TokenKind::kFloat: return Double(builder, offset, (minus ? "-" : "") + token.text);
    default: return Text(builder, offset, token);
  }
}

}  // namespace keelson::apiserver::cel
