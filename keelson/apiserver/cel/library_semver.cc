#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"
#include "keelson/apiserver/cel/semver.h"

namespace keelson::apiserver::cel {

namespace {

struct SemverValue final : LibraryObject<SemverValue> {
  static constexpr std::string_view kTypeName = "kubernetes.Semver";
  explicit SemverValue(SemanticVersion parsed) : version(std::move(parsed)) {}
  bool SameAs(const SemverValue& other) const { return version.Compare(other.version) == 0; }

  SemanticVersion version;
};

const SemanticVersion& VersionOf(const Value& value) { return SemverValue::Of(value).version; }

// With a second argument that is true, in the lenient form.
Result<SemanticVersion> Read(std::span<const Value> args) {
  const bool normalize = args.size() > 1 && args[1].boolean();
  return normalize ? SemanticVersion::ParseNormalized(args[0].text()) : SemanticVersion::Parse(args[0].text());
}

Value ToSemver(EvalContext& context, std::span<const Value> args) {
  Result<SemanticVersion> version = Read(args);
  return version ? SemverValue::Make(context, *std::move(version)) : context.Error(version.error().message());
}

Value IsSemver(EvalContext&, std::span<const Value> args) { return Value::OfBool(Read(args).has_value()); }

template <uint64_t SemanticVersion::* kNumber>
Value Number(EvalContext&, std::span<const Value> args) {
  return Value::OfInt(static_cast<int64_t>(VersionOf(args[0]).*kNumber));
}

Value IsGreaterThan(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(VersionOf(args[0]).Compare(VersionOf(args[1])) > 0);
}

Value IsLessThan(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(VersionOf(args[0]).Compare(VersionOf(args[1])) < 0);
}

Value CompareTo(EvalContext&, std::span<const Value> args) {
  return Value::OfInt(VersionOf(args[0]).Compare(VersionOf(args[1])));
}

}  // namespace

Type SemverType() { return LibraryObjectType(SemverValue::kTypeName); }

void AddSemverLibrary(FunctionTable& table) {
  const Type semver = SemverType();
  const std::vector<Type> text = {Type::String()};
  const std::vector<Type> text_and_flag = {Type::String(), Type::Bool()};
  table.Add("semver", {.id = "string_to_semver", .parameters = text, .result = semver, .implementation = &ToSemver});
  table.Add(
      "semver",
      {.id = "string_bool_to_semver", .parameters = text_and_flag, .result = semver, .implementation = &ToSemver});
  table.Add("isSemver",
            {.id = "is_semver_string", .parameters = text, .result = Type::Bool(), .implementation = &IsSemver});
  table.Add("isSemver", {.id = "is_semver_string_bool",
                         .parameters = text_and_flag,
                         .result = Type::Bool(),
                         .implementation = &IsSemver});
  table.SetCost("semver", &TraversalCost);
  table.SetCost("isSemver", &TraversalCost);
  const auto member = [&](std::string_view name, std::string id, std::vector<Type> parameters, Type result,
                          Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = std::move(result),
                     .implementation = implementation});
    table.SetCost(name, &UnitCost);
  };
  member("major", "semver_major", {semver}, Type::Int(), &Number<&SemanticVersion::major>);
  member("minor", "semver_minor", {semver}, Type::Int(), &Number<&SemanticVersion::minor>);
  member("patch", "semver_patch", {semver}, Type::Int(), &Number<&SemanticVersion::patch>);
  member("isGreaterThan", "semver_is_greater_than", {semver, semver}, Type::Bool(), &IsGreaterThan);
  member("isLessThan", "semver_is_less_than", {semver, semver}, Type::Bool(), &IsLessThan);
  member("compareTo", "semver_compare_to", {semver, semver}, Type::Int(), &CompareTo);
}

}  // namespace keelson::apiserver::cel
