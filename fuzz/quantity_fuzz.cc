// Quantities, times and durations: what is read prints to text that reads back to the same value and prints the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/api/quantity.h"
#include "keelson/api/time.h"

namespace {

using keelson::Quantity;
using keelson::Result;

void Require(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void CheckRoundTrip(std::string_view text) {
  const Result<T> value = T::Parse(text);
  if (!value) return;
  const std::string printed = value->ToString();
  const Result<T> again = T::Parse(printed);
  Require(again.has_value());
  Require(*again == *value);
  Require(again->ToString() == printed);
  std::string appended = "x";
  value->AppendTo(appended);
  Require(appended == "x" + printed);
}

void CheckArithmetic(const Quantity& a, const Quantity& b) {
  const Quantity sum = a + b;
  Require(Quantity::Parse(sum.ToString()).has_value());
  Require(a.Cmp(b) == -b.Cmp(a));
  Require(Quantity::Parse((a - b).ToString()).has_value());
  (void)a.Value();
  (void)a.MilliValue();
  (void)a.AsDouble();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckRoundTrip<Quantity>(text);
  CheckRoundTrip<keelson::metav1::Duration>(text);
  CheckRoundTrip<keelson::metav1::Time>(text);
  CheckRoundTrip<keelson::metav1::MicroTime>(text);

  // Two quantities with a comma between them.
  const size_t comma = text.find(',');
  if (comma != std::string_view::npos) {
    const Result<Quantity> a = Quantity::Parse(text.substr(0, comma));
    const Result<Quantity> b = Quantity::Parse(text.substr(comma + 1));
    if (a && b) CheckArithmetic(*a, *b);
  }
  return 0;
}
