#include "keelson/controllers/pod_script.h"

#include <fmt/format.h>

#include <charconv>

namespace keelson::controllers {
namespace {

class Annotations {
 public:
  Annotations(const corev1::Pod& pod, std::string_view container) : pod_(pod), container_(container) {}

  const String* Find(std::string_view name) const {
    const Map<String>& annotations = pod_.metadata.annotations;
    if (const String* own = annotations.find(fmt::format("{}{}.{}", kPodScriptPrefix, name, container_))) return own;
    return annotations.find(fmt::format("{}{}", kPodScriptPrefix, name));
  }
  std::optional<Duration> Span(std::string_view name) const {
    const String* text = Find(name);
    if (text == nullptr) return std::nullopt;
    const Result<metav1::Duration> span = metav1::Duration::Parse(*text);
    if (!span || span->nanoseconds() < 0) return std::nullopt;
    return span->ToChrono();
  }
  std::optional<int32_t> Number(std::string_view name) const {
    const String* text = Find(name);
    if (text == nullptr) return std::nullopt;
    int32_t number = 0;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, number);
    if (error != std::errc() || stop != end || number < 0) return std::nullopt;
    return number;
  }
  bool Names(std::string_view name, std::string_view word) const {
    const String* text = Find(name);
    if (text == nullptr) return false;
    std::string_view rest = *text;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      if (rest.substr(0, comma) == word) return true;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return false;
  }

 private:
  const corev1::Pod& pod_;
  const std::string_view container_;
};

}  // namespace

ContainerScript ScriptOf(const corev1::Pod& pod, std::string_view container) {
  if (pod.metadata.annotations.empty()) return {};
  const Annotations annotations(pod, container);
  const String* pull_error = annotations.Find("pull-error");
  return {.start_delay = annotations.Span("start-delay"),
          .ready_delay = annotations.Span("ready-delay").value_or(Duration::zero()),
          .exit_after = annotations.Span("exit-after"),
          .exit_code = annotations.Number("exit-code"),
          .exits = annotations.Number("exits"),
          .stop_delay = annotations.Span("stop-delay").value_or(Duration::zero()),
          .fail_startup = annotations.Names("fail-probe", "startup"),
          .fail_readiness = annotations.Names("fail-probe", "readiness"),
          .fail_liveness = annotations.Names("fail-probe", "liveness"),
          .pull_error = pull_error == nullptr ? std::string() : pull_error->str()};
}

}  // namespace keelson::controllers
