#include "keelson/api/random_value.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/compare.h"
#include "keelson/api/values.h"

namespace keelson {

namespace {

// Years 0001 to 9999, which is what RFC 3339 can say; not the zero time, which reads back as absent.
constexpr int64_t kFirstSecond = -62'135'596'799;
constexpr int64_t kLastSecond = 253'402'300'799;

class Filler {
 public:
  Filler(Random& random, const RandomValueOptions& options) : random_(random), options_(options) {}

  void Fill(const Type& type, void* value, int depth);

 private:
  template <class T>
  T Integer() {
    switch (random_.Uniform(0, 7)) {
      case 0: return 0;
      case 1: return std::numeric_limits<T>::min();
      case 2: return std::numeric_limits<T>::max();
      case 3: return random_.Uniform(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      default: return random_.Uniform<T>(-100, 10'000);
    }
  }
  double Real() {
    switch (random_.Uniform(0, 5)) {
      case 0: return random_.Uniform(-1000, 1000);
      case 1: return std::ldexp(random_.UniformReal() - 0.5, random_.Uniform(-1000, 1000));
      default: return static_cast<double>(random_.Uniform(-100'000, 100'000)) / 64;
    }
  }

  std::string Text(size_t at_least = 0);
  std::string Quantity();
  int64_t Seconds() {
    return random_.Chance(0.2) ? random_.Uniform(kFirstSecond, kLastSecond)
                               : random_.Uniform<int64_t>(0, 4'000'000'000);
  }
  std::string JsonDocument(int depth);
  std::string FieldSet(int depth);
  Json Dynamic(int depth);

  void FillStruct(const Type& type, void* value, int depth);
  void FillUnion(const Type& type, void* value, int depth);
  void FillList(const Type& type, void* value, const Field* field, int depth);
  void FillMap(const Type& type, void* value, int depth);

  bool TooDeep(const Type& element, int depth) const { return element.is_struct() && depth >= options_.max_depth; }

  Random& random_;
  const RandomValueOptions& options_;
};

std::string Filler::Text(size_t at_least) {
  static constexpr std::string_view kOdd[] = {"\"",   "\\",     "/",      "\n",         "\t",     "\r", "\x01", "\x1f",
                                              "\x7f", "<",      ">",      "&",          "'",      "#",  ": ",   "- ",
                                              "%",    "{",      "}",      "[",          "]",      ",",  "é",    "ß",
                                              "日本", "\u2028", "\u00a0", "\U0001F600", "\uFEFF", " "};
  // Words that a YAML reader takes for something else when they are not quoted.
  static constexpr std::string_view kLookAlikes[] = {"null", "~",   "true",  "no",         "0x10", "1e3",  "12",
                                                     "-1",   "0b1", "1_000", ".inf",       "0o17", "1:30", "=",
                                                     "<<",   "---", "...",   "2006-01-02", "Yes"};
  if (at_least == 0 && random_.Chance(0.1)) return {};
  if (random_.Chance(0.1)) return std::string(kLookAlikes[random_.Uniform<size_t>(0, std::size(kLookAlikes) - 1)]);
  const size_t length = random_.Uniform(std::max<size_t>(at_least, 1), std::max<size_t>(at_least, options_.max_text));
  const bool plain = random_.Chance(0.6);
  std::string text;
  for (size_t i = 0; i < length; ++i) {
    if (plain || random_.Chance(0.6)) {
      text += static_cast<char>(random_.Uniform<int>('a', 'z'));
    } else {
      text += kOdd[random_.Uniform<size_t>(0, std::size(kOdd) - 1)];
    }
  }
  return text;
}

std::string Filler::Quantity() {
  static constexpr std::string_view kSuffixes[] = {"",  "n",  "u",  "m",  "k",  "M",  "G",  "T",  "P",
                                                   "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-3"};
  const std::string sign = random_.Chance(0.1) ? "-" : "";
  std::string digits = std::to_string(random_.Uniform(0, 2000));
  if (random_.Chance(0.2)) digits += "." + std::to_string(random_.Uniform(0, 999));
  return sign + digits + std::string(kSuffixes[random_.Uniform<size_t>(0, std::size(kSuffixes) - 1)]);
}

// Compact, members in order and numbers in canonical form, so that it stays the same text through every encoding.
std::string Filler::JsonDocument(int depth) {
  std::string text = "{";
  const int members = random_.Uniform(0, 3);
  for (int i = 0; i < members; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":";
    switch (random_.Uniform(0, depth > 2 ? 5 : 7)) {
      case 0: text += "null"; break;
      case 1: text += random_.Chance(0.5) ? "true" : "false"; break;
      case 2: text += std::to_string(random_.Uniform(-1000, 1000)); break;
      case 3: text += "1.5"; break;
      case 4: text += R"("a \"quoted\" text\nand \\ more")"; break;
      case 5: text += "\"" + random_.Suffix(5) + "é\""; break;
      case 6: text += "[" + JsonDocument(depth + 1) + ",1]"; break;
      default: text += JsonDocument(depth + 1); break;
    }
  }
  return text + "}";
}

std::string Filler::FieldSet(int depth) {
  std::string text = "{";
  if (depth > 0) text += "\".\":{}";
  const int members = depth > 3 ? 0 : random_.Uniform(0, 3);
  for (int i = 0; i < members; ++i) {
    if (text.size() > 1) text += ",";
    text += i == 2 ? R"("k:{\"name\":\")" + random_.Suffix(4) + R"(\"}":)"
                   : "\"f:" + std::string(1, static_cast<char>('a' + i)) + random_.Suffix(6) + "\":";
    text += FieldSet(depth + 1);
  }
  return text + "}";
}

Json Filler::Dynamic(int depth) {
  switch (random_.Uniform(depth == 0 ? 1 : 0, depth > 2 ? 4 : 6)) {
    case 0: return {};
    case 1: return random_.Chance(0.5);
    case 2: return Integer<int64_t>();
    case 3: {
      const double real = Real();
      return options_.whole_doubles || real != std::trunc(real) ? real : real + 0.5;
    }
    case 4: return Text();
    case 5: {
      JsonList list;
      for (size_t n = random_.Uniform<size_t>(0, options_.max_elements); n > 0; --n) list.push_back(Dynamic(depth + 1));
      return list;
    }
    default: {
      JsonObject object;
      for (size_t n = random_.Uniform<size_t>(0, options_.max_elements); n > 0; --n)
        object.Set(Text(), Dynamic(depth + 1));
      return object;
    }
  }
}

void Filler::FillStruct(const Type& type, void* value, int depth) {
  for (const Field& field : type.fields) {
    if (field.name.empty()) continue;  // where unknown fields are kept
    if (!field.required && !random_.Chance(options_.fill)) continue;
    void* member = WriteField(field, value);
    if (field.type->kind == Kind::kList) {
      FillList(*field.type, member, &field, depth);
    } else {
      Fill(*field.type, member, depth);
    }
  }
}

// One form: its JSON shows only one. A bool beside a form that is set counts as true, as every reader has it.
void Filler::FillUnion(const Type& type, void* value, int depth) {
  const size_t chosen = random_.Uniform<size_t>(0, type.fields.size() - 1);
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    void* member = WriteField(field, value);
    if (field.type->kind == Kind::kBool) {
      *static_cast<bool*>(member) = i != chosen || random_.Chance(0.5);
    } else if (i == chosen && field.type->kind == Kind::kOptional) {
      void* content = EnsureOptional(*field.type, member);
      if (!TooDeep(*field.type->element, depth)) Fill(*field.type->element, content, depth + 1);
    } else if (i == chosen) {
      void* content = AppendElement(*field.type, member);
      if (!TooDeep(*field.type->element, depth)) Fill(*field.type->element, content, depth + 1);
    }
  }
}

bool SameKeys(const Field& field, const Type& element, const void* a, const void* b) {
  if (field.list_type == ListType::kSet || !element.is_struct()) return Equal(element, a, b);
  std::string_view keys = field.list_keys;
  while (!keys.empty()) {
    const std::string_view key = keys.substr(0, keys.find(','));
    keys.remove_prefix(std::min(keys.size(), key.size() + 1));
    const Field* member = element.FindField(key);
    if (member != nullptr && !Equal(*member->type, ReadField(*member, a), ReadField(*member, b))) return false;
  }
  return true;
}

void Filler::FillList(const Type& type, void* value, const Field* field, int depth) {
  if (TooDeep(*type.element, depth)) return;
  const bool keyed = field != nullptr && field->list_type != ListType::kAtomic;
  const size_t count = random_.Uniform<size_t>(0, options_.max_elements);
  for (size_t i = 0; i < count; ++i) {
    AnyValue element(*type.element);
    Fill(*type.element, element.data(), depth + 1);
    bool repeats = false;
    for (size_t j = 0; keyed && j < Length(type, value); ++j) {
      repeats = repeats || SameKeys(*field, *type.element, ReadElement(type, value, j), element.data());
    }
    if (!repeats) AssignValue(*type.element, AppendElement(type, value), element.data());
  }
}

void Filler::FillMap(const Type& type, void* value, int depth) {
  if (TooDeep(*type.element, depth)) return;
  const size_t count = random_.Uniform<size_t>(0, options_.max_elements);
  for (size_t i = 0; i < count; ++i) {
    AnyValue element(*type.element);
    Fill(*type.element, element.data(), depth + 1);
    AssignValue(*type.element, EnsureEntry(type, value, Text()), element.data());
  }
}

void Filler::Fill(const Type& type, void* value, int depth) {
  switch (type.kind) {
    case Kind::kBool: *static_cast<bool*>(value) = random_.Chance(0.5); return;
    case Kind::kInt32: *static_cast<int32_t*>(value) = Integer<int32_t>(); return;
    case Kind::kInt64: *static_cast<int64_t*>(value) = Integer<int64_t>(); return;
    case Kind::kDouble: *static_cast<double*>(value) = Real(); return;
    case Kind::kString:
      WriteString(
          type, value,
          type.texts.empty() ? Text() : std::string(type.texts[random_.Uniform<size_t>(0, type.texts.size() - 1)]));
      return;
    case Kind::kBytes: {
      std::string bytes(random_.Uniform<size_t>(0, options_.max_text), '\0');
      for (char& byte : bytes) byte = static_cast<char>(random_.Uniform(0, 255));
      WriteString(type, value, bytes);
      return;
    }
    case Kind::kTime: *static_cast<metav1::Time*>(value) = metav1::Time::FromUnix(Seconds()); return;
    case Kind::kMicroTime:
      *static_cast<metav1::MicroTime*>(value) =
          metav1::MicroTime::FromUnixMicros(Seconds() * 1'000'000 + random_.Uniform(0, 999'999));
      return;
    case Kind::kDuration: *static_cast<metav1::Duration*>(value) = std::chrono::nanoseconds(Integer<int64_t>()); return;
    case Kind::kQuantity:
      *static_cast<keelson::Quantity*>(value) = keelson::Quantity(std::string_view(Quantity()));
      return;
    case Kind::kIntOrString:
      *static_cast<IntOrString*>(value) =
          random_.Chance(0.5) ? IntOrString(Integer<int32_t>()) : IntOrString(String(Text()));
      return;
    case Kind::kRawExtension: WriteString(type, value, JsonDocument(0)); return;
    case Kind::kFieldsV1: *static_cast<FieldsV1*>(value) = FieldsV1(FieldSet(0)); return;
    case Kind::kJson: *static_cast<Json*>(value) = Dynamic(0); return;
    case Kind::kStruct: return FillStruct(type, value, depth);
    case Kind::kUnion: return FillUnion(type, value, depth);
    case Kind::kOptional:
      if (TooDeep(*type.element, depth) || !random_.Chance(options_.fill)) return;
      return Fill(*type.element, EnsureOptional(type, value), depth + 1);
    case Kind::kList: return FillList(type, value, nullptr, depth);
    case Kind::kMap: return FillMap(type, value, depth);
  }
}

}  // namespace

void FillRandom(const Type& type, void* value, Random& random, const RandomValueOptions& options) {
  Filler(random, options).Fill(type, value, 0);
}

}  // namespace keelson
