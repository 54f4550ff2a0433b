// bench-codec --pods N: what decoding, encoding, holding and copying one Pod of a large cluster costs.
//
// Prints one line, each figure per Pod:
//   json_decode_us protobuf_decode_us json_encode_us   CPU time, one thread, each Pod dropped at once
//   resident_bytes                                     of N Pods held with equal nodes shared, nothing dropped
//   copy_ns                                            copying a Pod and changing a label of the copy
// and behind these: protobuf_encode_us, json_shared_us (decoding with nodes shared while all Pods are held, as a cache
// does), protobuf_shared_us, json_bytes and protobuf_bytes.
//
// --mixed takes the Pods in an order in which neighbours never are of one Deployment, as watch events come, and not in
// that of a list.
//
// --write-json FILE and --write-protobuf FILE also keep the very bytes that were decoded, each behind a 4-byte
// big-endian length, for bench/peers/go to decode in the same run.
#include <fmt/format.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "bench/pods.h"
#include "keelson/api/sharing.h"
#include "keelson/codec/internal/json_structure.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson::bench {
namespace {

// Made and measured in rounds of so many: the texts of 100,000 Pods need not be held at once.
constexpr size_t kBatch = 1000;

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

struct Options {
  size_t pods = 10000;
  std::string json_file;
  std::string protobuf_file;
  bool mixed = false;

  // The number of the i-th Pod to take.
  size_t Number(size_t i) const {
    const size_t deployments = (pods + kReplicas - 1) / kReplicas;
    return mixed ? i % deployments * kReplicas + i / deployments : i;
  }
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (flag == "--mixed") {
      options.mixed = true;
      continue;
    }
    if (flag == "--pods" && value != nullptr) {
      options.pods = std::strtoull(value, nullptr, 10);
    } else if (flag == "--write-json" && value != nullptr) {
      options.json_file = value;
    } else if (flag == "--write-protobuf" && value != nullptr) {
      options.protobuf_file = value;
    } else {
      std::fprintf(stderr, "usage: bench-codec [--pods N] [--mixed] [--write-json FILE] [--write-protobuf FILE]\n");
      std::exit(flag == "--help" ? 0 : 2);
    }
    ++i;
  }
  if (options.pods == 0) {
    std::fprintf(stderr, "bench-codec: --pods takes a number above 0\n");
    std::exit(2);
  }
  return options;
}

class RecordFile {
 public:
  explicit RecordFile(const std::string& path) {
    if (!path.empty()) out_.open(path, std::ios::binary);
    if (!path.empty() && !out_) {
      std::fprintf(stderr, "bench-codec: cannot write %s\n", path.c_str());
      std::exit(1);
    }
  }
  void Write(const std::string& record) {
    if (!out_.is_open()) return;
    const auto size = static_cast<uint32_t>(record.size());
    const char header[4] = {static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                            static_cast<char>(size)};
    out_.write(header, 4).write(record.data(), static_cast<std::streamsize>(record.size()));
  }

 private:
  std::ofstream out_;
};

// Seconds of CPU time per measured thing, summed over the batches.
struct Figures {
  double json_decode = 0, json_encode = 0;
  double protobuf_decode = 0, protobuf_shared = 0, protobuf_encode = 0;
  size_t json_bytes = 0, protobuf_bytes = 0;
};

void Check(const Result<void>& result) {
  if (!result) {
    std::fprintf(stderr, "bench-codec: %s\n", result.error().message().c_str());
    std::exit(1);
  }
}

// CPU time of decoding each text into a Pod that is dropped at once, as bench/peers/go does.
template <class Reader>
double TimeDecode(Reader& reader, const std::vector<std::string>& texts) {
  const double start = CpuSeconds();
  for (const std::string& text : texts) {
    corev1::Pod pod;
    Check(reader.Read(TypeOf<corev1::Pod>(), &pod, text));
  }
  return CpuSeconds() - start;
}

// CPU time of encoding each Pod, append(type, pod, out).
template <class Append>
double TimeEncode(const std::vector<corev1::Pod>& pods, Append append) {
  std::string out;
  const double start = CpuSeconds();
  for (const corev1::Pod& pod : pods) {
    out.clear();
    append(TypeOf<corev1::Pod>(), &pod, out);
  }
  return CpuSeconds() - start;
}

double TimeCopy(const corev1::Pod& pod) {
  constexpr int kRounds = 200000;
  const double start = CpuSeconds();
  for (int i = 0; i < kRounds; ++i) {
    corev1::Pod copy = pod;
    copy.metadata.labels.Set("team", "other");
    asm volatile("" : : "r"(&copy) : "memory");
  }
  return (CpuSeconds() - start) / kRounds;
}

using Encode = std::string (*)(const corev1::Pod& pod);
std::string AsJson(const corev1::Pod& pod) { return ToJson(pod); }
std::string AsProtobuf(const corev1::Pod& pod) { return ToProtobuf(pod); }

// N Pods, encoded, made by a process of their own that has ended before the first is read: making them leaves no trace
// in this one's memory and takes nothing from the core on which it measures.
class PodSource {
 public:
  PodSource(const Options& options, Encode encode) : file_(std::tmpfile()) {
    if (file_ == nullptr) Die("cannot make a temporary file");
    const pid_t child = fork();
    if (child < 0) Die("cannot start a process");
    if (child == 0) {
      for (size_t i = 0; i < options.pods; ++i) {
        const std::string text = encode(MakePod(options.Number(i)));
        const auto size = static_cast<uint32_t>(text.size());
        if (fwrite(&size, sizeof size, 1, file_) != 1 || fwrite(text.data(), text.size(), 1, file_) != 1) _exit(1);
      }
      _exit(fflush(file_) == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) Die("cannot write the Pods to a temporary file: is the disk full?");
    std::rewind(file_);
  }
  ~PodSource() { fclose(file_); }
  PodSource(const PodSource&) = delete;
  PodSource& operator=(const PodSource&) = delete;

  void Read(std::string& text) {
    uint32_t size;
    if (fread(&size, sizeof size, 1, file_) != 1) Die("the source of Pods ended early");
    text.resize(size);
    if (fread(text.data(), size, 1, file_) != 1) Die("the source of Pods ended early");
  }

 private:
  [[noreturn]] static void Die(const char* message) {
    std::fprintf(stderr, "bench-codec: %s\n", message);
    std::exit(1);
  }

  FILE* file_;
};

struct Held {
  double resident_bytes;  // per Pod
  double decode_us;       // per Pod, with nodes shared and all Pods held
  double copy_ns;
};

// All N Pods decoded as a cache does it and held: one pointer to a node each.
Held HoldAll(const Options& options) {
  const size_t count = options.pods;
  PodSource source(options, AsJson);
  std::string text;
  std::vector<Optional<corev1::Pod>> pods;
  pods.reserve(count);
  JsonReader reader({.share_nodes = true});
  const size_t before = ResidentBytes();
  double decoding = 0;
  for (size_t i = 0; i < count; ++i) {
    source.Read(text);
    const double start = CpuSeconds();
    Check(reader.Read(TypeOf<corev1::Pod>(), &pods.emplace_back().emplace(), text));
    decoding += CpuSeconds() - start;
  }
  const double resident = static_cast<double>(ResidentBytes() - before);
  if (ToJson(*std::as_const(pods.back())) != ToJson(MakePod(options.Number(count - 1)))) {
    std::fprintf(stderr, "bench-codec: a Pod that was held differs from the one that was read\n");
    std::exit(1);
  }
  const auto per_pod = static_cast<double>(count);
  return {resident / per_pod, decoding / per_pod * 1e6, TimeCopy(*std::as_const(pods[0])) * 1e9};
}

// CPU time of measure(texts), summed over all Pods as `encode` writes them. One thing is measured at a time.
template <class Measure>
double SumOverPods(const Options& options, Encode encode, Measure measure) {
  PodSource source(options, encode);
  std::vector<std::string> texts;
  double seconds = 0;
  for (size_t left = options.pods; left > 0; left -= texts.size()) {
    texts.resize(std::min(kBatch, left));
    for (std::string& text : texts) source.Read(text);
    seconds += measure(texts);
  }
  return seconds;
}

// The same for encoding: what is encoded are Pods as they were read.
template <class Append>
double SumOfEncoding(const Options& options, Append append) {
  std::vector<corev1::Pod> pods;
  JsonReader reader;
  return SumOverPods(options, AsJson, [&](const std::vector<std::string>& texts) {
    pods.assign(texts.size(), {});
    for (size_t i = 0; i < texts.size(); ++i) Check(reader.Read(TypeOf<corev1::Pod>(), &pods[i], texts[i]));
    return TimeEncode(pods, append);
  });
}

int Run(const Options& options) {
  RecordFile json_file(options.json_file);
  RecordFile protobuf_file(options.protobuf_file);
  const Held held = HoldAll(options);
  Figures sum;
  JsonReader json_reader;
  sum.json_decode = SumOverPods(options, AsJson, [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      json_file.Write(text);
      sum.json_bytes += text.size();
    }
    return TimeDecode(json_reader, texts);
  });
  ProtobufReader protobuf_reader;
  sum.protobuf_decode = SumOverPods(options, AsProtobuf, [&](const std::vector<std::string>& messages) {
    for (const std::string& message : messages) {
      std::string enveloped;
      AppendProtobufEnvelope({.api_version = "v1", .kind = "Pod", .raw = message}, enveloped);
      protobuf_file.Write(enveloped);
      sum.protobuf_bytes += message.size();
    }
    return TimeDecode(protobuf_reader, messages);
  });
  ProtobufReader sharing_reader({.share_nodes = true});
  sum.protobuf_shared = SumOverPods(options, AsProtobuf, [&](const std::vector<std::string>& messages) {
    return TimeDecode(sharing_reader, messages);
  });
  sum.json_encode =
      SumOfEncoding(options, [](const Type& type, const void* pod, std::string& out) { AppendJson(type, pod, out); });
  sum.protobuf_encode = SumOfEncoding(
      options, [](const Type& type, const void* pod, std::string& out) { AppendProtobuf(type, pod, out); });

  const auto count = static_cast<double>(options.pods);
  const auto micros = [&](double seconds) { return seconds / count * 1e6; };
  fmt::print(
      "json_decode_us={:.2f} protobuf_decode_us={:.2f} json_encode_us={:.2f} resident_bytes={:.0f} copy_ns={:.0f} "
      "protobuf_encode_us={:.2f} json_shared_us={:.2f} protobuf_shared_us={:.2f} json_bytes={:.0f} "
      "protobuf_bytes={:.0f} "
      "pods={} kernel={}\n",
      micros(sum.json_decode), micros(sum.protobuf_decode), micros(sum.json_encode), held.resident_bytes, held.copy_ns,
      micros(sum.protobuf_encode), held.decode_us, micros(sum.protobuf_shared),
      static_cast<double>(sum.json_bytes) / count, static_cast<double>(sum.protobuf_bytes) / count, options.pods,
      internal::JsonStructure::KernelName());
  return 0;
}

}  // namespace
}  // namespace keelson::bench

int main(int argc, char** argv) { return keelson::bench::Run(keelson::bench::ParseOptions(argc, argv)); }
