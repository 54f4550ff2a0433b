#include "keelson/apiserver/content.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "keelson/api/status_error.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// One alternative of an Accept header.
struct Clause {
  std::string type;  // "application/json", "*/*"
  std::string as, group, version;
  bool watch_stream = false;
  double weight = 1;
};

// Cuts the next piece up to the separator off `text`.
std::string_view Cut(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return Trim(piece);
}

Clause ParseClause(std::string_view text) {
  Clause clause;
  clause.type = AsciiLower(Cut(text, ';'));
  while (!text.empty()) {
    std::string_view parameter = Cut(text, ';');
    const std::string_view name = Cut(parameter, '=');
    const std::string value(Trim(parameter));
    if (name == "as") clause.as = value;
    if (name == "g") clause.group = value;
    if (name == "v") clause.version = value;
    if (name == "q") clause.weight = std::strtod(value.c_str(), nullptr);
    if (name == "stream") clause.watch_stream = value == "watch";
  }
  return clause;
}

std::vector<Clause> ParseAccept(const Headers& headers) {
  std::vector<Clause> clauses;
  constexpr size_t kMostClauses = 64;
  for (std::string_view header : headers.All("Accept")) {
    while (!header.empty() && clauses.size() < kMostClauses) {
      const std::string_view text = Cut(header, ',');
      if (!text.empty()) clauses.push_back(ParseClause(text));
    }
  }
  // Insertion sort keeps the order of equal weights, and the list is short.
  for (size_t i = 1; i < clauses.size(); ++i) {
    for (size_t j = i; j > 0 && clauses[j - 1].weight < clauses[j].weight; --j) std::swap(clauses[j - 1], clauses[j]);
  }
  return clauses;
}

std::optional<Format> FormatOf(std::string_view type, Answer answer) {
  if (type == "application/json" || type == "*/*") return Format::kJson;
  if (type == kProtobuf) return Format::kProtobuf;
  if (type == "application/yaml" && answer != Answer::kWatch) return Format::kYaml;
  return std::nullopt;
}

std::optional<Representation> Meet(const Clause& clause, Answer answer, bool custom) {
  const std::optional<Format> format = FormatOf(clause.type, answer);
  if (!format) return std::nullopt;
  Representation representation{.format = *format};
  if (clause.as.empty()) {
    const bool whole = answer != Answer::kPlain;
    return custom && whole && *format == Format::kProtobuf ? std::nullopt : std::optional(representation);
  }
  if (answer == Answer::kPlain || clause.group != "meta.k8s.io" ||
      (clause.version != "v1" && clause.version != "v1beta1")) {
    return std::nullopt;
  }
  if (clause.as == "Table") {
    representation.view = View::kTable;
    if (*format == Format::kProtobuf) return std::nullopt;
  } else if ((clause.as == "PartialObjectMetadata" && answer != Answer::kList) ||
             (clause.as == "PartialObjectMetadataList" && answer != Answer::kObject)) {
    representation.view = View::kMetadata;
  } else {
    return std::nullopt;
  }
  representation.meta_version = clause.version;
  return representation;
}

Error NotAcceptable(Answer answer, bool view_unknown) {
  std::string types = "application/json, application/yaml, " + std::string(kProtobuf);
  if (view_unknown) return apierrors::NotAcceptable("only the following media types are accepted: " + types);
  if (answer == Answer::kList || answer == Answer::kWatch) {
    types += ", application/json;stream=watch, " + std::string(kProtobuf) + ";stream=watch";
  }
  metav1::Status status =
      ToStatus(apierrors::NotAcceptable("406: Not Acceptable\n\nAvailable representations: " + types));
  status.details = metav1::StatusDetails{};
  return ErrorFromStatus(std::move(status));
}

bool IsForPeople(const Headers& headers) {
  const std::string_view* agent = headers.Find("User-Agent");
  if (agent == nullptr) return false;
  return agent->starts_with("curl") || agent->starts_with("Wget") || agent->starts_with("Mozilla/5.0");
}

}  // namespace

std::string MediaType(std::string_view header) { return AsciiLower(Cut(header, ';')); }

Result<Representation> Negotiate(const Headers& headers, Answer answer, bool pretty_asked, bool custom) {
  const bool pretty = pretty_asked || IsForPeople(headers);
  const std::vector<Clause> clauses = ParseAccept(headers);
  if (clauses.empty()) return Representation{.pretty = pretty};
  for (const Clause& clause : clauses) {
    if (std::optional<Representation> met = Meet(clause, answer, custom)) {
      met->pretty = pretty;
      return *met;
    }
  }
  // A type that could be met, were it not for what it asks the object to be turned into.
  const bool view_unknown =
      std::any_of(clauses.begin(), clauses.end(), [answer](const Clause& c) { return FormatOf(c.type, answer); });
  return NotAcceptable(answer, view_unknown);
}

std::string_view ContentType(Format format, Answer answer) {
  switch (format) {
    case Format::kJson: return "application/json";
    case Format::kYaml: return "application/yaml";
    case Format::kProtobuf:
      return answer == Answer::kWatch ? "application/vnd.kubernetes.protobuf;stream=watch" : kProtobuf;
  }
  return "application/json";
}

Result<Format> BodyFormat(const Headers& headers) {
  const std::string_view* header = headers.Find("Content-Type");
  if (header == nullptr || header->empty()) return Format::kJson;
  const std::string type = MediaType(*header);
  if (type == "application/json") return Format::kJson;
  if (type == "application/yaml") return Format::kYaml;
  if (type == kProtobuf) return Format::kProtobuf;
  return apierrors::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json, "
      "application/yaml, application/vnd.kubernetes.protobuf");
}

std::optional<PatchKind> PatchKindOf(std::string_view content_type) {
  const std::string type = MediaType(content_type);
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/strategic-merge-patch+json") return PatchKind::kStrategic;
  if (type == "application/apply-patch+yaml") return PatchKind::kApply;
  return std::nullopt;
}

}  // namespace keelson::apiserver
