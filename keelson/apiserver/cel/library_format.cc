#include <algorithm>
#include <array>

#include "keelson/api/names.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"
#include "keelson/apiserver/cel/url.h"
#include "keelson/apiserver/schema/formats.h"

namespace keelson::apiserver::cel {

namespace {

using Reasons = std::vector<std::string>;

// A prefix may end in a dash: what is generated behind it does not.
template <Reasons (*kCheck)(std::string_view)>
Reasons OfPrefix(std::string_view prefix) {
  if (prefix.size() < 2 || !prefix.ends_with('-')) return kCheck(prefix);
  return kCheck(std::string(prefix.substr(0, prefix.size() - 2)) + "a");
}

Reasons CheckUri(std::string_view text) {
  const Result<Url> url = Url::ParseRequest(text);
  return url ? Reasons() : Reasons{url.error().message()};
}

Reasons Unless(bool valid, std::string_view reason) { return valid ? Reasons() : Reasons{std::string(reason)}; }

Reasons CheckUuid(std::string_view text) { return Unless(FindFormat("uuid")(text), "does not match the UUID format"); }
Reasons CheckByte(std::string_view text) { return Unless(FindFormat("byte")(text), "invalid base64"); }
Reasons CheckDate(std::string_view text) { return Unless(FindFormat("date")(text), "invalid date"); }
Reasons CheckDateTime(std::string_view text) { return Unless(FindFormat("datetime")(text), "invalid datetime"); }

struct NamedFormat {
  std::string_view name;
  Reasons (*check)(std::string_view);
  uint64_t pattern_length;  // what the check is taken to cost: that of a pattern so long
};

constexpr std::array<NamedFormat, 13> kFormats = {{
    {"dns1123Label", &names::CheckDns1123Label, 30},
    {"dns1123Subdomain", &names::CheckDns1123Subdomain, 60},
    {"dns1035Label", &names::CheckDns1035Label, 30},
    {"qualifiedName", &names::CheckQualifiedName, 60},
    {"dns1123LabelPrefix", &OfPrefix<&names::CheckDns1123Label>, 30},
    {"dns1123SubdomainPrefix", &OfPrefix<&names::CheckDns1123Subdomain>, 60},
    {"dns1035LabelPrefix", &OfPrefix<&names::CheckDns1035Label>, 30},
    {"labelValue", &names::CheckLabelValue, 40},
    {"uri", &CheckUri, 1103},
    {"uuid", &CheckUuid, 70},
    {"byte", &CheckByte, 84},
    {"date", &CheckDate, 71},
    {"datetime", &CheckDateTime, 71},
}};

struct FormatValue final : LibraryObject<FormatValue> {
  static constexpr std::string_view kTypeName = "kubernetes.NamedFormat";
  explicit FormatValue(const NamedFormat& named) : format(&named) {}
  bool SameAs(const FormatValue& other) const { return format == other.format; }

  const NamedFormat* format;
};

Value Validate(EvalContext& context, std::span<const Value> args) {
  const Reasons reasons = FormatValue::Of(args[0]).format->check(args[1].text());
  if (reasons.empty()) return Value::None();
  std::vector<Value> items;
  for (const std::string& reason : reasons) items.push_back(context.Text(reason));
  return context.Some(context.List(items));
}

Value Named(EvalContext& context, std::span<const Value> args) {
  const auto format =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const NamedFormat& f) { return f.name == args[0].text(); });
  return format == kFormats.end() ? Value::None() : context.Some(FormatValue::Make(context, *format));
}

template <size_t kIndex>
Value Constant(EvalContext& context, std::span<const Value>) {
  return FormatValue::Make(context, kFormats[kIndex]);
}

template <size_t... kIndexes>
void AddConstants(FunctionTable& table, std::index_sequence<kIndexes...>) {
  (...,
   table.Add("format." + std::string(kFormats[kIndexes].name), {.id = "format." + std::string(kFormats[kIndexes].name),
                                                                .result = FormatType(),
                                                                .implementation = &Constant<kIndexes>}));
}

std::optional<uint64_t> ValidateCost(std::string_view, std::span<const Value> args, const Value&) {
  const FormatValue* format = FormatValue::From(args[0]);
  if (format == nullptr) return std::nullopt;
  return MatchUnits(CostSize(args[1]), format->format->pattern_length);
}

}  // namespace

Type FormatType() { return LibraryObjectType(FormatValue::kTypeName); }

void AddFormatLibrary(FunctionTable& table) {
  table.Add("validate", {.id = "format-validate",
                         .member = true,
                         .parameters = {FormatType(), Type::String()},
                         .result = Type::Optional(Type::List(Type::String())),
                         .implementation = &Validate});
  table.SetCost("validate", &ValidateCost);
  table.Add("format.named", {.id = "format-named",
                             .parameters = {Type::String()},
                             .result = Type::Optional(FormatType()),
                             .implementation = &Named});
  table.SetCost("format.named", &UnitCost);
  AddConstants(table, std::make_index_sequence<kFormats.size()>());
}

}  // namespace keelson::apiserver::cel
