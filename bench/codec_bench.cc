// bench-codec --pods N: what decoding, encoding, holding and copying one Pod of a large cluster costs.
//
// Prints one line, each figure per Pod:
//   json_decode_us protobuf_decode_us json_encode_us   CPU time, one thread, into separate objects
//   resident_bytes                                     of N Pods held with equal nodes shared, nothing dropped
//   copy_ns                                            copying a Pod and changing a label of the copy
// and behind these: protobuf_encode_us, json_shared_us and protobuf_shared_us (decoding with nodes shared, as a cache
// does), json_bytes and protobuf_bytes.
//
// --write-json FILE and --write-protobuf FILE also keep the very bytes that were decoded, each behind a 4-byte
// big-endian length, for bench/go to decode in the same run.
#include <fmt/format.h>
#include <malloc.h>
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
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/codec/protobuf_envelope.h"

namespace keelson::bench {
namespace {

// Decoded in rounds of so many, so that the texts of 100,000 Pods need not be held at once.
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
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (flag == "--pods" && value != nullptr) {
      options.pods = std::strtoull(value, nullptr, 10);
    } else if (flag == "--write-json" && value != nullptr) {
      options.json_file = value;
    } else if (flag == "--write-protobuf" && value != nullptr) {
      options.protobuf_file = value;
    } else {
      std::fprintf(stderr, "usage: bench-codec [--pods N] [--write-json FILE] [--write-protobuf FILE]\n");
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
  double json_decode = 0, json_shared = 0, json_encode = 0;
  double protobuf_decode = 0, protobuf_shared = 0, protobuf_encode = 0;
  size_t json_bytes = 0, protobuf_bytes = 0;
};

void Check(const Result<void>& result) {
  if (!result) {
    std::fprintf(stderr, "bench-codec: %s\n", result.error().message().c_str());
    std::exit(1);
  }
}

// Objects as a cache holds them: one pointer to a node each.
using Pods = std::vector<Optional<corev1::Pod>>;

template <class Reader>
double TimeDecode(Reader& reader, const std::vector<std::string>& texts, Pods& pods) {
  const double start = CpuSeconds();
  for (const std::string& text : texts) {
    pods.emplace_back().emplace();
    Check(reader.Read(TypeOf<corev1::Pod>(), &*pods.back(), text));
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

int Run(const Options& options) {
  RecordFile json_file(options.json_file);
  RecordFile protobuf_file(options.protobuf_file);
  Figures sum;
  JsonReader json_reader;
  JsonReader sharing_json_reader({.share_nodes = true});
  ProtobufReader protobuf_reader;
  ProtobufReader sharing_protobuf_reader({.share_nodes = true});

  // First the memory: nothing else has been allocated yet. What the makers of the texts leave behind is given back.
  Pods held;
  held.reserve(options.pods);
  (void)MakePod(0);
  size_t resident_before = 0;
  for (size_t first = 0; first < options.pods; first += kBatch) {
    std::vector<std::string> texts;
    for (size_t i = first; i < std::min(first + kBatch, options.pods); ++i) texts.push_back(ToJson(MakePod(i)));
    if (first == 0) {
      malloc_trim(0);
      resident_before = ResidentBytes() - texts.size() * texts[0].size();
    }
    sum.json_shared += TimeDecode(sharing_json_reader, texts, held);
  }
  malloc_trim(0);
  const size_t resident = ResidentBytes() - resident_before;
  const double copy = TimeCopy(*std::as_const(held[0]));
  if (ToJson(*std::as_const(held.back())) != ToJson(MakePod(options.pods - 1))) {
    std::fprintf(stderr, "bench-codec: a Pod that was held differs from the one that was read\n");
    return 1;
  }
  held = {};

  for (size_t first = 0; first < options.pods; first += kBatch) {
    std::vector<std::string> texts;
    std::vector<std::string> messages;
    for (size_t i = first; i < std::min(first + kBatch, options.pods); ++i) {
      const corev1::Pod pod = MakePod(i);
      texts.push_back(ToJson(pod));
      messages.push_back(ToProtobuf(pod));
      json_file.Write(texts.back());
      std::string enveloped;
      AppendProtobufEnvelope(TypeOf<corev1::Pod>(), &pod, enveloped);
      protobuf_file.Write(enveloped);
      sum.json_bytes += texts.back().size();
      sum.protobuf_bytes += messages.back().size();
    }
    Pods pods;
    pods.reserve(kBatch);
    sum.protobuf_decode += TimeDecode(protobuf_reader, messages, pods);
    pods.clear();
    sum.protobuf_shared += TimeDecode(sharing_protobuf_reader, messages, pods);
    pods.clear();
    sum.json_decode += TimeDecode(json_reader, texts, pods);
    std::string out;
    double start = CpuSeconds();
    for (const auto& pod : pods) {
      out.clear();
      AppendJson(TypeOf<corev1::Pod>(), &*pod, out);
    }
    sum.json_encode += CpuSeconds() - start;
    start = CpuSeconds();
    for (const auto& pod : pods) {
      out.clear();
      AppendProtobuf(TypeOf<corev1::Pod>(), &*pod, out);
    }
    sum.protobuf_encode += CpuSeconds() - start;
  }

  const auto count = static_cast<double>(options.pods);
  const auto micros = [&](double seconds) { return seconds / count * 1e6; };
  fmt::print(
      "json_decode_us={:.2f} protobuf_decode_us={:.2f} json_encode_us={:.2f} resident_bytes={:.0f} copy_ns={:.0f} "
      "protobuf_encode_us={:.2f} json_shared_us={:.2f} protobuf_shared_us={:.2f} json_bytes={:.0f} protobuf_bytes={:.0f} "
      "pods={} kernel={}\n",
      micros(sum.json_decode), micros(sum.protobuf_decode), micros(sum.json_encode), static_cast<double>(resident) / count,
      copy * 1e9, micros(sum.protobuf_encode), micros(sum.json_shared), micros(sum.protobuf_shared),
      static_cast<double>(sum.json_bytes) / count, static_cast<double>(sum.protobuf_bytes) / count, options.pods,
      internal::JsonStructure::KernelName());
  return 0;
}

}  // namespace
}  // namespace keelson::bench

int main(int argc, char** argv) { return keelson::bench::Run(keelson::bench::ParseOptions(argc, argv)); }
