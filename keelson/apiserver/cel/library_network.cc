#include <fmt/format.h>

#include "keelson/apiserver/cel/ip_prefix.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

struct IpValue final : LibraryObject<IpValue> {
  static constexpr std::string_view kTypeName = "net.IP";
  explicit IpValue(const IpAddr& address) : ip(address) {}
  bool SameAs(const IpValue& other) const { return ip == other.ip; }
  Value ToText(Arena& arena) const override { return Value::OfString(arena.Copy(ip.ToString())); }

  IpAddr ip;
};

struct CidrValue final : LibraryObject<CidrValue> {
  static constexpr std::string_view kTypeName = "net.CIDR";
  explicit CidrValue(const IpPrefix& prefix) : cidr(prefix) {}
  bool SameAs(const CidrValue& other) const { return cidr == other.cidr; }
  Value ToText(Arena& arena) const override { return Value::OfString(arena.Copy(cidr.ToString())); }

  IpPrefix cidr;
};

constexpr std::string_view kBadCidr = "network address parse error during conversion from string";

const IpAddr& IpOf(const Value& value) { return IpValue::Of(value).ip; }
const IpPrefix& CidrOf(const Value& value) { return CidrValue::Of(value).cidr; }

Result<IpAddr> ReadIp(std::string_view text) {
  Result<IpAddr> ip = IpAddr::Parse(text);
  if (!ip) {
    return Error::InvalidArgument(
        fmt::format("IP Address {} parse error during conversion from string: {}", Quoted(text), ip.error().message()));
  }
  if (ip->has_zone) {
    return Error::InvalidArgument(fmt::format("IP address {} with zone value is not allowed", Quoted(text)));
  }
  if (ip->IsV4Mapped()) {
    return Error::InvalidArgument(fmt::format("IPv4-mapped IPv6 address {} is not allowed", Quoted(text)));
  }
  return ip;
}

Result<IpPrefix> ReadCidr(std::string_view text) {
  Result<IpPrefix> cidr = IpPrefix::Parse(text);
  if (!cidr) return std::move(cidr).error().WithContext(kBadCidr);
  if (cidr->address.IsV4Mapped()) {
    return Error::InvalidArgument(fmt::format("IPv4-mapped IPv6 address {} is not allowed", Quoted(text)));
  }
  return cidr;
}

// Says again what the reason of a text that is no CIDR has said already.
Value CidrError(EvalContext& context, const Error& error) {
  return context.Error(fmt::format("{}: {}", kBadCidr, error.message()));
}

Value ToIp(EvalContext& context, std::span<const Value> args) {
  const Result<IpAddr> ip = ReadIp(args[0].text());
  return ip ? IpValue::Make(context, *ip) : context.Error(ip.error().message());
}

Value IsIp(EvalContext&, std::span<const Value> args) { return Value::OfBool(ReadIp(args[0].text()).has_value()); }

Value IsCanonical(EvalContext& context, std::span<const Value> args) {
  const Result<IpAddr> ip = ReadIp(args[0].text());
  return ip ? Value::OfBool(ip->ToString() == args[0].text()) : context.Error(ip.error().message());
}

template <bool (IpAddr::*kQuestion)() const>
Value Ask(EvalContext&, std::span<const Value> args) {
  return Value::OfBool((IpOf(args[0]).*kQuestion)());
}

Value Family(EvalContext&, std::span<const Value> args) { return Value::OfInt(IpOf(args[0]).v4 ? 4 : 6); }

Value ToText(EvalContext& context, std::span<const Value> args) { return args[0].opaque()->ToText(context.arena()); }

Value ToCidr(EvalContext& context, std::span<const Value> args) {
  const Result<IpPrefix> cidr = ReadCidr(args[0].text());
  return cidr ? CidrValue::Make(context, *cidr) : CidrError(context, cidr.error());
}

Value IsCidr(EvalContext&, std::span<const Value> args) { return Value::OfBool(ReadCidr(args[0].text()).has_value()); }

Value ContainsIp(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(CidrOf(args[0]).Contains(IpOf(args[1])));
}

// The error of a text that is no address is lost: it is the CIDR that the message is made of.
Value ContainsIpText(EvalContext& context, std::span<const Value> args) {
  const Result<IpAddr> ip = ReadIp(args[1].text());
  return ip ? Value::OfBool(CidrOf(args[0]).Contains(*ip)) : context.Error("no such overload");
}

Value Contains(const IpPrefix& outer, const IpPrefix& inner) {
  return Value::OfBool(outer.Overlaps(inner) && outer.bits <= inner.bits);
}

Value ContainsCidr(EvalContext&, std::span<const Value> args) { return Contains(CidrOf(args[0]), CidrOf(args[1])); }

Value ContainsCidrText(EvalContext& context, std::span<const Value> args) {
  const Result<IpPrefix> cidr = ReadCidr(args[1].text());
  return cidr ? Contains(CidrOf(args[0]), *cidr) : CidrError(context, cidr.error());
}

Value AddressOf(EvalContext& context, std::span<const Value> args) {
  return IpValue::Make(context, CidrOf(args[0]).address);
}

Value PrefixLength(EvalContext&, std::span<const Value> args) { return Value::OfInt(CidrOf(args[0]).bits); }

Value Masked(EvalContext& context, std::span<const Value> args) {
  return CidrValue::Make(context, CidrOf(args[0]).Masked());
}

// `ip` of a CIDR is a field, of a text it is read.
std::optional<uint64_t> IpCost(std::string_view overload, std::span<const Value> args, const Value&) {
  return overload == "cidr_ip" ? 1 : TraversalUnits(CostSize(args[0]));
}

// Bytes of the prefix: so many are compared. Of an error, which is what a text that is no CIDR came to, 1.
uint64_t PrefixBytes(const Value& value) {
  const CidrValue* cidr = CidrValue::From(value);
  return cidr == nullptr ? 1 : static_cast<uint64_t>((cidr->cidr.bits + 7) / 8);
}

std::optional<uint64_t> ContainsIpCost(std::string_view overload, std::span<const Value> args, const Value&) {
  const uint64_t compared = TraversalUnits(PrefixBytes(args[0]), 2);
  return overload == "cidr_contains_ip_string" ? compared + TraversalUnits(CostSize(args[1])) : compared;
}

std::optional<uint64_t> ContainsCidrCost(std::string_view overload, std::span<const Value> args, const Value&) {
  const uint64_t bytes = PrefixBytes(args[0]);
  const uint64_t compared = TraversalUnits(bytes, 2) + TraversalUnits(bytes) + 1;
  return overload == "cidr_contains_cidr_string" ? compared + TraversalUnits(CostSize(args[1])) : compared;
}

}  // namespace

Type IpType() { return Type::Opaque(std::string(IpValue::kTypeName)); }
Type CidrType() { return Type::Opaque(std::string(CidrValue::kTypeName)); }

void AddNetworkLibrary(FunctionTable& table) {
  const Type ip = IpType();
  const Type cidr = CidrType();
  const Type text = Type::String();
  const auto global = [&](std::string_view name, std::string id, const Type& parameter, const Type& result,
                          Implementation implementation) {
    table.Add(name,
              {.id = std::move(id), .parameters = {parameter}, .result = result, .implementation = implementation});
  };
  const auto member = [&](std::string_view name, std::string id, std::vector<Type> parameters, const Type& result,
                          Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = std::move(parameters),
                     .result = result,
                     .implementation = implementation});
  };
  global("ip", "string_to_ip", text, ip, &ToIp);
  member("ip", "cidr_ip", {cidr}, ip, &AddressOf);
  global("isIP", "is_ip", text, Type::Bool(), &IsIp);
  global("ip.isCanonical", "ip_is_canonical", text, Type::Bool(), &IsCanonical);
  global("string", "ip_to_string", ip, text, &ToText);
  member("family", "ip_family", {ip}, Type::Int(), &Family);
  member("isUnspecified", "ip_is_unspecified", {ip}, Type::Bool(), &Ask<&IpAddr::IsUnspecified>);
  member("isLoopback", "ip_is_loopback", {ip}, Type::Bool(), &Ask<&IpAddr::IsLoopback>);
  member("isLinkLocalMulticast", "ip_is_link_local_multicast", {ip}, Type::Bool(), &Ask<&IpAddr::IsLinkLocalMulticast>);
  member("isLinkLocalUnicast", "ip_is_link_local_unicast", {ip}, Type::Bool(), &Ask<&IpAddr::IsLinkLocalUnicast>);
  member("isGlobalUnicast", "ip_is_global_unicast", {ip}, Type::Bool(), &Ask<&IpAddr::IsGlobalUnicast>);

  global("cidr", "string_to_cidr", text, cidr, &ToCidr);
  global("isCIDR", "is_cidr", text, Type::Bool(), &IsCidr);
  global("string", "cidr_to_string", cidr, text, &ToText);
  member("containsIP", "cidr_contains_ip_string", {cidr, text}, Type::Bool(), &ContainsIpText);
  member("containsIP", "cidr_contains_ip_ip", {cidr, ip}, Type::Bool(), &ContainsIp);
  member("containsCIDR", "cidr_contains_cidr_string", {cidr, text}, Type::Bool(), &ContainsCidrText);
  member("containsCIDR", "cidr_contains_cidr", {cidr, cidr}, Type::Bool(), &ContainsCidr);
  member("prefixLength", "cidr_prefix_length", {cidr}, Type::Int(), &PrefixLength);
  member("masked", "cidr_masked", {cidr}, cidr, &Masked);

  for (const std::string_view name : {"cidr", "isIP", "isCIDR"}) table.SetCost(name, &TraversalCost);
  for (const std::string_view name : {"masked", "prefixLength", "family", "isUnspecified", "isLoopback",
                                      "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"}) {
    table.SetCost(name, &UnitCost);
  }
  table.SetCost("ip", &IpCost);
  table.SetCost("ip.isCanonical", &RewriteCost);
  table.SetCost("containsIP", &ContainsIpCost);
  table.SetCost("containsCIDR", &ContainsCidrCost);
}

}  // namespace keelson::apiserver::cel
