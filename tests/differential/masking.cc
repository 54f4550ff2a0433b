#include "tests/differential/masking.h"

#include <re2/re2.h>

#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "keelson/codec/json_writer.h"

namespace keelson::differential {
namespace {

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void ReplaceAll(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// Lists, tables and bookmarks carry the version of the whole collection.
bool IsCollection(const Json& object) {
  const Json* kind = object.find("kind");
  const std::string_view name = kind != nullptr && kind->is_string() ? kind->string().view() : "";
  return name.ends_with("List") || name == "Table";
}

class Masker {
 public:
  explicit Masker(const MaskOptions& options) : options_(options) {}

  // The versions of all objects, so that they can be ranked.
  void Collect(const Json& value, bool bookmark = false) {
    if (value.is_list()) {
      for (const Json& item : value.list()) Collect(item);
    } else if (value.is_object()) {
      if (const std::optional<int64_t> version = VersionOf(value); version && !bookmark && !IsCollection(value)) {
        versions_.insert(*version);
      }
      const bool is_bookmark = IsBookmark(value);
      for (const auto& [key, member] : value.object()) {
        if (key != "managedFields") Collect(member, is_bookmark && key == "object");
      }
    }
  }

  Json Masked(const Json& value, std::string_view key = {}, bool bookmark = false) {
    if (value.is_string()) return Json(MaskedText(value.string(), key));
    if (value.is_int() && (key == "nodePort" || key == "healthCheckNodePort") && value.integer() != 0) {
      return Json(Symbol("port", std::to_string(value.integer())));
    }
    if (value.is_list()) {
      JsonList items;
      for (const Json& item : value.list()) {
        Json masked = Masked(item, key);
        // Upstream checks metadata several times over and lists what it finds as often.
        if (key == "causes" && std::find(items.begin(), items.end(), masked) != items.end()) continue;
        items.push_back(std::move(masked));
      }
      return Json(std::move(items));
    }
    if (!value.is_object()) return value;
    JsonObject members;
    const bool is_bookmark = IsBookmark(value);
    for (const auto& [name, member] : value.object()) {
      if (key == "columnDefinitions" && name == "description") continue;
      if (name == "managedFields") {
        if (options_.managed_fields) members.Set(name, Sorted(Masked(member, name)));
        continue;
      }
      if (name == "metadata" && VersionOf(value)) {
        members.Set(name, WithRank(member, *VersionOf(value), bookmark || IsCollection(value)));
      } else {
        members.Set(name, Masked(member, name, is_bookmark && name == "object"));
      }
    }
    return Json(std::move(members));
  }

 private:
  static bool IsBookmark(const Json& value) {
    const Json* type = value.find("type");
    return type != nullptr && type->is_string() && type->string() == "BOOKMARK" && value.find("object") != nullptr;
  }

  // The entries of managedFields by what they say.
  static Json Sorted(Json entries) {
    if (!entries.is_list()) return entries;
    std::map<std::string, Json> sorted;
    for (const Json& entry : std::as_const(entries).list()) sorted.emplace(ToJson(entry), entry);
    JsonList list;
    for (const auto& [text, entry] : sorted) list.push_back(entry);
    return Json(std::move(list));
  }

  static std::optional<int64_t> VersionOf(const Json& object) {
    const Json* metadata = object.find("metadata");
    const Json* version = metadata == nullptr ? nullptr : metadata->find("resourceVersion");
    return version != nullptr && version->is_string() ? Number(version->string().view()) : std::nullopt;
  }

  Json WithRank(const Json& metadata, int64_t version, bool collection) {
    Json masked = Masked(metadata, "metadata");
    masked.object().Set("resourceVersion",
                        Json((collection ? "{since version " : "{version ") + std::to_string(Rank(version)) + "}"));
    return masked;
  }

  // How many versions of the script's objects are no younger.
  size_t Rank(int64_t version) const {
    return static_cast<size_t>(std::distance(versions_.begin(), versions_.upper_bound(version)));
  }

  // The same for the same value throughout the script.
  std::string Symbol(const std::string& kind, const std::string& value) {
    std::map<std::string, size_t>& known = symbols_[kind];
    const size_t number = known.emplace(value, known.size() + 1).first->second;
    return "{" + kind + " " + std::to_string(number) + "}";
  }

  void ReplaceEach(std::string& text, const RE2& pattern, const std::function<std::string(const std::string&)>& by) {
    std::string result;
    re2::StringPiece rest(text);
    size_t done = 0;
    re2::StringPiece found;
    while (RE2::FindAndConsume(&rest, pattern, &found)) {
      const size_t at = static_cast<size_t>(found.data() - text.data());
      result.append(text, done, at - done);
      result += by(std::string(found));
      done = at + found.size();
    }
    result.append(text, done, std::string::npos);
    text = std::move(result);
  }

  std::string MaskedText(const String& value, std::string_view key) {
    static const RE2 uid("([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})");
    static const RE2 time("20(2[5-9]|[3-9][0-9])-[0-9]{2}-[0-9]{2}T[0-9:]{8}(Z|[+-][0-9]{2}:[0-9]{2})");
    static const RE2 micro_time("20(2[5-9]|[3-9][0-9])-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{6}Z");
    static const RE2 age("([0-9]+[ydhms])+( ago)?");
    static const RE2 service_address("\\b(10\\.0\\.0\\.[0-9]{1,3})\\b");
    static const RE2 node_port("\\b(3[0-2][0-9]{3})\\b");
    static const RE2 server_address("\\b(127\\.0\\.0\\.1:[0-9]+)\\b");
    static const RE2 current_version(
        "(?:current: |resource version: [0-9]+ \\(|in object meta: |in record \\()([0-9]+)");
    // The object as it would have become, in the words of whoever prints it.
    static const RE2 document("Invalid value: \"(\\{\\\\\"apiVersion.*\\}|\\{\\\\\"metadata.*\\})\": ");
    static const RE2 certificate_hash("X509SHA256=([0-9a-f]{64})");

    std::string text(value);
    if (key == "continue" && !text.empty()) return "{token}";
    if (RE2::FullMatch(text, time)) return "{time}";
    if (RE2::FullMatch(text, micro_time)) return "{time with microseconds}";
    if (key == "cells" && RE2::FullMatch(text, age)) return "{age}";
    ReplaceEach(text, document, [](const std::string&) { return "{document}"; });
    for (const std::string& name : options_.names) ReplaceAll(text, name, "{name}");
    ReplaceAll(text, options_.namespace_, "{ns}");
    ReplaceEach(text, uid, [this](const std::string& found) { return Symbol("uid", found); });
    ReplaceEach(text, service_address, [this](const std::string& found) { return Symbol("address", found); });
    ReplaceEach(text, node_port, [this](const std::string& found) { return Symbol("port", found); });
    ReplaceEach(text, server_address, [](const std::string&) { return "{server}"; });
    ReplaceEach(text, current_version, [](const std::string&) { return "{version}"; });
    ReplaceEach(text, certificate_hash, [](const std::string&) { return "{hash}"; });
    return text;
  }

  const MaskOptions& options_;
  std::set<int64_t> versions_;
  std::map<std::string, std::map<std::string, size_t>> symbols_;
};

}  // namespace

void Mask(std::vector<Json>& answers, const MaskOptions& options) {
  Masker masker(options);
  for (const Json& answer : answers) masker.Collect(answer);
  for (Json& answer : answers) answer = masker.Masked(answer);
}

Json WithoutValues(const Json& value) {
  if (value.is_object()) {
    JsonObject members;
    for (const auto& [key, member] : value.object()) members.Set(key, WithoutValues(member));
    return Json(std::move(members));
  }
  if (value.is_list()) return Json("{list}");
  return Json("{" + std::string(ToString(value.kind())) + "}");
}

}  // namespace keelson::differential
