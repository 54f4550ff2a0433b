#include "simulated_backend.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "address_range.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace network {

using namespace keelson;
using v1::NetworkSpec;

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".json";

// No name of Kubernetes has an underscore.
std::string FileName(const ObjectKey& name) { return fmt::format("{}_{}{}", name.namespace_, name.name, kEnding); }

// Nothing where the file is not one of a network.
std::optional<ObjectKey> NameOf(std::string file) {
  if (file.starts_with('.') || !file.ends_with(kEnding)) return std::nullopt;
  file.resize(file.size() - kEnding.size());
  const size_t underscore = file.find('_');
  if (underscore == 0 || underscore + 1 >= file.size()) return std::nullopt;
  return ObjectKey{file.substr(0, underscore), file.substr(underscore + 1)};
}

NetworkSpec Read(const fs::path& file) {
  std::string text(4096, '\0');  // more than any network takes
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return FromJson<NetworkSpec>(text).value_or(NetworkSpec());
}

Error CannotUse(const fs::path& path, const std::string& why) {
  return Error(ErrorCode::kUnavailable, fmt::format("cannot use {}: {}", path.string(), why));
}

// Whether the addresses can be had, beside what the others have.
Result<void> CheckFree(const ProvidedNetworks& networks, const ObjectKey& name, const NetworkSpec& wanted) {
  const Result<AddressRange> range = AddressRange::Parse(wanted.cidr);
  if (!range) return Error(ErrorCode::kInvalid, range.error().message());
  for (const auto& [other, network] : networks) {
    const Result<AddressRange> taken = AddressRange::Parse(network.cidr);
    if (other == name || !taken || !range->Overlaps(*taken)) continue;
    return Error(ErrorCode::kInvalid,
                 fmt::format("{} overlaps {} of network {}", wanted.cidr, network.cidr, other.ToString()));
  }
  return {};
}

}  // namespace

Result<ProvidedNetworks> SimulatedBackend::List() {
  MutexLock lock(mutex_);
  return Load();
}

Result<std::optional<NetworkSpec>> SimulatedBackend::Get(const ObjectKey& name) {
  MutexLock lock(mutex_);
  if (!folder_.empty()) {
    const fs::path file = fs::path(folder_) / FileName(name);
    std::error_code error;
    return fs::exists(file, error) ? std::optional(Read(file)) : std::nullopt;
  }
  const auto found = memory_.find(name);
  return found != memory_.end() ? std::optional(found->second) : std::nullopt;
}

Result<void> SimulatedBackend::Create(const ObjectKey& name, const NetworkSpec& network) {
  MutexLock lock(mutex_);
  KEELSON_TRY(networks, Load());
  if (networks.contains(name)) return Error::AlreadyExists("there is a network " + name.ToString() + " already");
  KEELSON_RETURN_IF_ERROR(CheckFree(networks, name, network));
  return Save(name, network);
}

Result<void> SimulatedBackend::Update(const ObjectKey& name, const NetworkSpec& network) {
  MutexLock lock(mutex_);
  KEELSON_TRY(networks, Load());
  if (!networks.contains(name)) return Error::NotFound("there is no network " + name.ToString());
  KEELSON_RETURN_IF_ERROR(CheckFree(networks, name, network));
  return Save(name, network);
}

Result<void> SimulatedBackend::Delete(const ObjectKey& name) {
  MutexLock lock(mutex_);
  return Remove(name);
}

Result<ProvidedNetworks> SimulatedBackend::Load() const {
  if (folder_.empty()) return memory_;
  ProvidedNetworks networks;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (const std::optional<ObjectKey> name = NameOf(at->path().filename())) networks[*name] = Read(at->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) return CannotUse(folder_, error.message());
  return networks;
}

Result<void> SimulatedBackend::Save(const ObjectKey& name, const NetworkSpec& network) {
  if (folder_.empty()) {
    memory_[name] = network;
    return {};
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return CannotUse(folder_, error.message());
  // Renamed when it is whole, so that a reader, or this program after a crash, never sees half of it.
  const fs::path file = fs::path(folder_) / FileName(name);
  const fs::path unfinished = fs::path(folder_) / ("." + FileName(name));
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  out << ToJson(network, {.indent = 2}) << "\n";
  out.close();
  if (!out) return CannotUse(unfinished, std::strerror(errno));
  fs::rename(unfinished, file, error);
  if (error) return CannotUse(file, error.message());
  return {};
}

Result<void> SimulatedBackend::Remove(const ObjectKey& name) {
  bool removed = false;
  if (folder_.empty()) {
    removed = memory_.erase(name) > 0;
  } else {
    const fs::path file = fs::path(folder_) / FileName(name);
    std::error_code error;
    removed = fs::remove(file, error);
    if (error) return CannotUse(file, error.message());
  }
  return removed ? Result<void>() : Error::NotFound("there is no network " + name.ToString());
}

}  // namespace network
