#include "keelson/client/logs.h"

#include "keelson/api/core/v1.h"

namespace keelson {

Result<std::string_view> LogStream::Next() {
  if (start_ < held_.size()) {
    const std::string_view rest = std::string_view(held_).substr(start_);
    start_ = held_.size();
    return rest;
  }
  return response_.body->Next();
}

Result<std::optional<std::string_view>> LogStream::NextLine() {
  size_t searched = start_;
  while (true) {
    const size_t end = held_.find('\n', searched);
    if (end != std::string::npos) {
      const std::string_view line(held_.data() + start_, end - start_);
      start_ = end + 1;
      return std::optional<std::string_view>(line);
    }
    if (held_.size() - start_ >= kMaxLineBytes || (ended_ && start_ < held_.size())) {
      const std::string_view part = std::string_view(held_).substr(start_, kMaxLineBytes);
      start_ += part.size();
      return std::optional<std::string_view>(part);
    }
    if (ended_) return std::optional<std::string_view>();
    held_.erase(0, start_);
    start_ = 0;
    searched = held_.size();
    KEELSON_TRY(bytes, response_.body->Next());
    if (bytes.empty()) ended_ = true;
    held_ += bytes;
  }
}

Result<LogStream> OpenLog(const Client& client, const ObjectKey& pod, const LogQuery& query) {
  Query parameters;
  parameters.AddText("container", query.container);
  if (query.follow) parameters.Add("follow", true);
  if (query.previous) parameters.Add("previous", true);
  if (query.timestamps) parameters.Add("timestamps", true);
  if (query.since) parameters.Add("sinceSeconds", query.since->count());
  if (query.since_time) parameters.Add("sinceTime", query.since_time->ToString());
  if (query.tail_lines) parameters.Add("tailLines", *query.tail_lines);
  if (query.limit_bytes) parameters.Add("limitBytes", *query.limit_bytes);
  parameters.AddText("stream", query.stream);
  KEELSON_TRY(response,
              client.StreamSubresource(Target::Typed<corev1::Pod>(), pod, "log", std::move(parameters), query.scope));
  return LogStream(std::move(response));
}

}  // namespace keelson
