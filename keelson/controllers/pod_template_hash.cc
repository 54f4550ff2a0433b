#include "keelson/controllers/pod_template_hash.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "keelson/api/access.h"
#include "keelson/api/int_or_string.h"
#include "keelson/api/quantity.h"
#include "keelson/controllers/internal/go_layout.h"

namespace keelson::controllers {

namespace {

constexpr std::string_view kNil = "<nil>";

// Go's fields of a struct, one after the other.
class GoFields {
 public:
  explicit GoFields(std::string_view fields) : rest_(fields) {}

  bool Next() {
    if (rest_.empty()) return false;
    const size_t comma = rest_.find(',');
    std::string_view field = rest_.substr(0, comma);
    rest_ = comma == std::string_view::npos ? std::string_view() : rest_.substr(comma + 1);
    embedded = field.starts_with('+');
    if (embedded) field.remove_prefix(1);
    const size_t equals = field.find('=');
    name = equals == std::string_view::npos ? std::string_view() : field.substr(0, equals);
    type = equals == std::string_view::npos ? field : field.substr(equals + 1);
    if (embedded) name = type.substr(type.find('.') + 1);
    return true;
  }

  std::string_view name;  // empty: the JSON name with a capital
  std::string_view type;
  bool embedded = false;

 private:
  std::string_view rest_;
};

class GoPrinter {
 public:
  // "(type)value"
  void PrintTyped(std::string_view go_type, const Type& type, const void* value) {
    out_ += '(';
    out_ += go_type;
    out_ += ')';
    PrintValue(go_type, type, value);
  }
  std::string Take() { return std::move(out_); }

 private:
  void PrintValue(std::string_view go_type, const Type& type, const void* value) {
    switch (type.kind) {
      case Kind::kBool: out_ += *static_cast<const bool*>(value) ? "true" : "false"; return;
      case Kind::kInt32: Append(*static_cast<const int32_t*>(value)); return;
      case Kind::kInt64: Append(*static_cast<const int64_t*>(value)); return;
      case Kind::kDouble: Append(*static_cast<const double*>(value)); return;
      case Kind::kTime: PrintTime(*static_cast<const metav1::Time*>(value)); return;
      case Kind::kQuantity: PrintQuantity(*static_cast<const Quantity*>(value)); return;
      case Kind::kIntOrString: PrintIntOrString(*static_cast<const IntOrString*>(value)); return;
      case Kind::kOptional: {
        const void* inner = ReadOptional(type, value);
        if (inner == nullptr) {
          out_ += kNil;
        } else {
          PrintValue(go_type.substr(1), *type.element, inner);
        }
        return;
      }
      case Kind::kList: PrintList(go_type, type, value); return;
      case Kind::kMap: PrintMap(type, value); return;
      case Kind::kStruct: {
        size_t next = 0;
        PrintStruct(go_type, type, value, next);
        return;
      }
      case Kind::kString:
      case Kind::kBytes:
      case Kind::kRawExtension: out_ += ReadString(type, value); return;
      case Kind::kMicroTime:
      case Kind::kDuration:
      case Kind::kFieldsV1:
      case Kind::kJson:
      case Kind::kUnion: out_ += kNil; return;  // not in pod templates, but for managedFields that nobody sends
    }
  }

  template <class Number>
  void Append(Number number) {
    fmt::format_to(std::back_inserter(out_), "{}", number);
  }

  // `next` is the field of ours that comes next: embedded structs are flat in ours.
  void PrintStruct(std::string_view go_type, const Type& type, const void* value, size_t& next) {
    out_ += '{';
    bool first = true;
    for (GoFields go(internal::GoFieldsOf(go_type)); go.Next();) {
      if (!first) out_ += ' ';
      first = false;
      if (go.embedded) {
        out_ += go.name;
        out_ += ":(";
        out_ += go.type;
        out_ += ')';
        PrintStruct(go.type, type, value, next);
        continue;
      }
      if (next >= type.fields.size()) break;  // a table that does not fit: the text is another, and stable
      const Field& field = type.fields[next++];
      if (go.name.empty()) {
        out_ +=
            static_cast<char>(field.name[0] >= 'a' && field.name[0] <= 'z' ? field.name[0] - 'a' + 'A' : field.name[0]);
        out_ += field.name.substr(1);
      } else {
        out_ += go.name;
      }
      out_ += ':';
      PrintTyped(go.type, *field.type, ReadField(field, value));
    }
    out_ += '}';
  }

  void PrintList(std::string_view go_type, const Type& type, const void* value) {
    const size_t length = Length(type, value);
    if (length == 0) {
      out_ += kNil;
      return;
    }
    out_ += '[';
    for (size_t i = 0; i < length; ++i) {
      if (i > 0) out_ += ' ';
      PrintValue(go_type.substr(2), *type.element, ReadElement(type, value, i));
    }
    out_ += ']';
  }

  // Of strings or quantities, whose Go types do not show.
  void PrintMap(const Type& type, const void* value) {
    if (Length(type, value) == 0) {
      out_ += kNil;
      return;
    }
    out_ += "map[";
    bool first = true;
    ForEachEntry(type, value, [&](std::string_view key, const void* element) {
      if (!first) out_ += ' ';
      first = false;
      out_ += key;
      out_ += ':';
      PrintValue({}, *type.element, element);
      return true;
    });
    out_ += ']';
  }

  void PrintTime(const metav1::Time& time) {
    const int64_t seconds = time.IsZero() ? 0 : time.unix_seconds() + keelson::internal::kUnixEpochSeconds;
    fmt::format_to(std::back_inserter(out_),
                   "{{Time:(time.Time){{wall:(uint64)0 ext:(int64){} loc:(*time.Location)<nil>}}}}", seconds);
  }

  void PrintIntOrString(const IntOrString& value) {
    fmt::format_to(std::back_inserter(out_), "{{Type:(intstr.Type){} IntVal:(int32){} StrVal:(string){}}}",
                   value.is_string() ? 1 : 0, value.number(), value.text().view());
  }

  void PrintQuantity(const Quantity& quantity);

  std::string out_;
};

// A quantity's text in its parts: "1.125Ki" is 1, 125 and Ki.
struct QuantityText {
  explicit QuantityText(std::string_view text) {
    negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const auto digits = [&text] {
      const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
      const std::string_view taken = text.substr(0, end);
      text.remove_prefix(end);
      return taken;
    };
    whole = digits();
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      fraction = digits();
    }
    suffix = text;
  }

  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
};

// The power of ten, or of two for a binary suffix.
int ExponentOf(std::string_view suffix) {
  if (suffix.empty()) return 0;
  if (suffix.ends_with('i')) return static_cast<int>(std::string_view("KMGTPE").find(suffix[0]) + 1) * 10;
  if (suffix.size() > 1) {
    int exponent = 0;
    const bool plus = suffix[1] == '+';
    std::from_chars(suffix.data() + (plus ? 2 : 1), suffix.data() + suffix.size(), exponent);
    return exponent;
  }
  return (static_cast<int>(std::string_view("num kMGTPE").find(suffix[0])) - 3) * 3;
}

// Go keeps a short amount as digits and a power of ten, with the text beside it where it takes that for canonical, and
// a long one as a big number of billionths.
void GoPrinter::PrintQuantity(const Quantity& quantity) {
  const std::string text = quantity.ToString();
  const auto print = [this](int64_t value, int scale, std::string_view big, std::string_view kept,
                            std::string_view format) {
    fmt::format_to(std::back_inserter(out_),
                   "{{i:(resource.int64Amount){{value:(int64){} scale:(resource.Scale){}}} "
                   "d:(resource.infDecAmount){{Dec:(*inf.Dec){}}} s:(string){} Format:(resource.Format){}}}",
                   value, scale, big, kept, format);
  };
  if (text == "0") return print(0, 0, kNil, text, "DecimalSI");
  const QuantityText parts(text);
  const int exponent = ExponentOf(parts.suffix);
  const bool binary = parts.suffix.ends_with('i');
  const bool scientific = !binary && parts.suffix.size() > 1;
  const std::string_view format = binary ? "BinarySI" : scientific ? "DecimalExponent" : "DecimalSI";
  const std::string digits = std::string(parts.whole.empty() ? "0" : parts.whole) + std::string(parts.fraction);
  const int length = static_cast<int>(digits.size());
  const int scale = binary ? 0 : exponent - static_cast<int>(parts.fraction.size());
  int64_t value = 0, amount = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool is_short = !__builtin_mul_overflow(value, binary ? int64_t{1} << exponent : 1, &amount);
  is_short &= binary ? parts.fraction.empty() && length + exponent * 3 / 10 < 15 : length <= 18 && scale >= -9;
  if (is_short) {
    const bool canonical = binary ? (value & 7) != 0 : scale % 3 == 0 && !digits.ends_with("000") && digits[0] != '0';
    return print(parts.negative ? -amount : amount, scale, kNil, canonical ? text : "", format);
  }
  unsigned __int128 billionths = static_cast<unsigned __int128>(amount);
  for (int power = 0; power < 9 + scale && power < 27; ++power) billionths *= 10;
  const auto low = static_cast<uint64_t>(billionths), high = static_cast<uint64_t>(billionths >> 64);
  print(0, 0,
        fmt::format("{{unscaled:(big.Int){{neg:(bool){} abs:(big.nat)[{}{}]}} scale:(inf.Scale)9}}", parts.negative,
                    low, high != 0 ? " " + std::to_string(high) : ""),
        "", format);
}

}  // namespace

namespace internal {

std::string GoTextOf(const corev1::PodTemplateSpec& pod_template) {
  GoPrinter printer;
  printer.PrintTyped("v1.PodTemplateSpec", TypeOf<corev1::PodTemplateSpec>(), &pod_template);
  return printer.Take();
}

}  // namespace internal

std::string PodTemplateHash(const corev1::PodTemplateSpec& pod_template, const Optional<int32_t>& collisions) {
  uint32_t hash = 2166136261u;
  const auto add = [&hash](uint8_t byte) { hash = (hash ^ byte) * 16777619u; };
  for (const char c : internal::GoTextOf(pod_template)) add(static_cast<uint8_t>(c));
  if (collisions) {
    const auto count = static_cast<uint64_t>(static_cast<uint32_t>(*collisions));
    for (int byte = 0; byte < 8; ++byte) add(static_cast<uint8_t>(count >> (8 * byte)));
  }
  // Digits become consonants and digits that spell no words.
  std::string text = std::to_string(hash);
  for (char& c : text) c = "bcdfghjklmnpqrstvwxz2456789"[c % 27];
  return text;
}

}  // namespace keelson::controllers
