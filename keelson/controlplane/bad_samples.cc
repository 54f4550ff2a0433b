#include "keelson/controlplane/bad_samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "keelson/controlplane/internal/manifest_files.h"
#include "keelson/controlplane/manifests.h"
#include "keelson/controlplane/observations.h"
#include "keelson/core/clock.h"

namespace keelson {
namespace {

constexpr std::string_view kRejected = "# rejected: ";
constexpr std::string_view kAccepted = "# accepted: ";

// What is different; empty when nothing is.
std::string CheckAccepted(const Client& client, const Unstructured& object, std::string_view reason,
                          const BadSamplesOptions& options) {
  if (!options.condition.empty()) {
    const std::string condition = ConditionOf(client, object, options.condition);
    const std::string expected = fmt::format("{}=False {}: ", options.condition, reason);
    if (!condition.starts_with(expected)) return fmt::format("expected \"{}…\", found \"{}\"", expected, condition);
  }
  const std::vector<std::string> events = EventsOf(client, object.GetGvk(), object.GetKey());
  const std::string warning = fmt::format("Warning {}", reason);
  if (std::find(events.begin(), events.end(), warning) != events.end()) return {};
  return fmt::format("expected an event \"{}\", found {}", warning, events);
}

std::string Try(const Client& client, const std::string& file, const BadSamplesOptions& options) {
  const Result<std::string> text = internal::ReadManifestText(file);
  if (!text) return text.error().message();
  const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  const bool rejected = line.starts_with(kRejected);
  if (!rejected && !line.starts_with(kAccepted)) {
    return fmt::format("its first line is \"{}\": expected \"{}\" and a text, or \"{}\" and a reason", line, kRejected,
                       kAccepted);
  }
  const std::string_view expected = line.substr((rejected ? kRejected : kAccepted).size());
  const auto created = CreateManifests(client, file, options.namespace_);
  if (rejected) {
    if (created) return fmt::format("the server took it: expected an error with \"{}\"", expected);
    if (created.error().message().find(expected) != std::string::npos) return {};
    return fmt::format("expected an error with \"{}\", found \"{}\"", expected, created.error().message());
  }
  if (!created) return fmt::format("the server refused it: {}", created.error().message());
  (void)SleepFor(options.settle, {});
  return CheckAccepted(client, created->back(), expected, options);
}

}  // namespace

std::vector<std::string> TryBadSamples(const Client& client, const std::string& folder,
                                       const BadSamplesOptions& options) {
  std::vector<std::string> differences;
  const std::vector<std::string> files = internal::ManifestFiles(folder);
  for (const std::string& file : files) {
    const std::string difference = Try(client, file, options);
    if (!difference.empty()) differences.push_back(fmt::format("{}: {}", file, difference));
  }
  if (files.empty()) differences.push_back(fmt::format("there is no sample in '{}'", folder));
  return differences;
}

}  // namespace keelson
