// Uses the installed headers and links the installed libraries.
#include <cstdio>
#include <string>

#include "keelson/core/result.h"

keelson::Result<int> Halve(int number) {
  if (number % 2 != 0) return keelson::Error::InvalidArgument(std::to_string(number) + " is odd");
  return number / 2;
}

int main() {
  keelson::Result<int> half = Halve(84);
  keelson::Result<int> none = Halve(7);
  if (!half || *half != 42 || none) return 1;
  std::printf("%s: %s\n", std::string(keelson::ToString(none.error().code())).c_str(), none.error().message().c_str());
  return none.error().message() == "7 is odd" ? 0 : 1;
}
