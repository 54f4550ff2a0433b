#include "keelson/codec/internal/json_scan.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "keelson/codec/internal/json_block.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define KEELSON_TARGET_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt,pclmul")]]
#define KEELSON_TARGET_AVX512 [[gnu::target("avx512f,avx512bw,avx2,bmi,bmi2,popcnt,pclmul")]]
#endif

namespace keelson::internal {

namespace {

// ---- What all kernels share: in line, so that it is compiled for each kernel's machine ----

[[gnu::always_inline]] inline void DropEscapedQuotes(JsonScanState& state, JsonBlock& block, int size) {
  if (block.backslashes == 0 && !state.escaped) return;
  block.quotes &= ~FindEscaped(block.backslashes, size, state.escaped);
}

// Counts the brackets outside of `strings`, which has a bit for every byte between quotes. The number of bytes up to
// the container's end, or 0 when it does not end in this block; then the depth is more than `max_depth` if it was so
// anywhere.
template <class CountBitsFunction>
[[gnu::always_inline]] inline int CountBrackets(JsonScanState& state, const JsonBlock& block, uint64_t strings,
                                                size_t max_depth, CountBitsFunction count) {
  const uint64_t opens = block.opens & ~strings;
  const uint64_t closes = block.closes & ~strings;
  const auto open_count = static_cast<size_t>(count(opens)), close_count = static_cast<size_t>(count(closes));
  if (state.depth > close_count && state.depth + open_count <= max_depth) [[likely]] {
    state.depth += open_count - close_count;
    return 0;
  }
  // It may end here, or become too deep: one by one.
  for (uint64_t brackets = opens | closes; brackets != 0; brackets &= brackets - 1) {
    if ((opens & brackets & (0 - brackets)) != 0) {
      if (++state.depth > max_depth) return 0;
    } else if (state.depth <= 1) {
      state = {};  // what it says of the block's end is nothing to the next container
      return __builtin_ctzll(brackets) + 1;
    } else {
      --state.depth;
    }
  }
  return 0;
}

// ---- The machine's baseline ----

const char* FindEnd(JsonScanState& state, const char* at, const char* end, size_t max_depth) {
  while (at != end) {
    JsonBlock block;
    int size = JsonBlock::kSize;
    if (end - at >= size) [[likely]] {
      block = ClassifyJsonBlock(at);
    } else {
      size = static_cast<int>(end - at);
      char padded[JsonBlock::kSize] = {};
      std::memcpy(padded, at, static_cast<size_t>(size));
      block = ClassifyJsonBlock(padded);
    }
    DropEscapedQuotes(state, block, size);
    const uint64_t strings = PrefixXor(block.quotes) ^ (state.in_string ? ~uint64_t{0} : 0);
    state.in_string = (strings >> (size - 1) & 1) != 0;
    if (const int behind = CountBrackets(state, block, strings, max_depth, CountBits); behind > 0) return at + behind;
    if (state.depth > max_depth) return nullptr;
    at += size;
  }
  return nullptr;
}

#if defined(__x86_64__)

struct BuiltinCount {
  [[gnu::always_inline]] int operator()(uint64_t bits) const { return __builtin_popcountll(bits); }
};

// ---- AVX2 ----

KEELSON_TARGET_AVX2 [[gnu::always_inline]] inline JsonBlock ClassifyAvx2(const char* bytes) {
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32));
  const __m256i fold = _mm256_set1_epi8(0x20);
  const __m256i low_folded = _mm256_or_si256(low, fold), high_folded = _mm256_or_si256(high, fold);
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}');
#define KEELSON_MASK(a, b, c)                                             \
  (static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, c))) | \
   static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, c)))) << 32)
  return {KEELSON_MASK(low, high, quote), KEELSON_MASK(low, high, backslash),
          KEELSON_MASK(low_folded, high_folded, open), KEELSON_MASK(low_folded, high_folded, close)};
#undef KEELSON_MASK
}

KEELSON_TARGET_AVX2 [[gnu::always_inline]] inline uint64_t PrefixXorByProduct(uint64_t bits) {
  const __m128i product =
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8(static_cast<char>(0xff)), 0);
  return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
}

KEELSON_TARGET_AVX2 const char* FindEndAvx2(JsonScanState& state, const char* at, const char* end, size_t max_depth) {
  JsonScanState now = state;
  while (at != end) {
    JsonBlock block;
    int size = JsonBlock::kSize;
    if (end - at >= size) [[likely]] {
      block = ClassifyAvx2(at);
    } else {
      size = static_cast<int>(end - at);
      char padded[JsonBlock::kSize] = {};
      std::memcpy(padded, at, static_cast<size_t>(size));
      block = ClassifyAvx2(padded);
    }
    DropEscapedQuotes(now, block, size);
    const uint64_t strings = PrefixXorByProduct(block.quotes) ^ (now.in_string ? ~uint64_t{0} : 0);
    now.in_string = (strings >> (size - 1) & 1) != 0;
    const int behind = CountBrackets(now, block, strings, max_depth, BuiltinCount());
    if (behind > 0 || now.depth > max_depth) {
      state = now;
      return behind > 0 ? at + behind : nullptr;
    }
    at += size;
  }
  state = now;
  return nullptr;
}

KEELSON_TARGET_AVX2 size_t FindLooseBraceAvx2(std::string_view text) {
  const __m256i close = _mm256_set1_epi8('}'), open = _mm256_set1_epi8('{'), most_space = _mm256_set1_epi8(' ' + 1);
  for (size_t at = 0; text.size() - at > 32; at += 32) {
    const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + at));
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + at + 1));
    // Bytes are compared as signed: those outside ASCII count as white space too.
    const __m256i loose = _mm256_or_si256(_mm256_cmpeq_epi8(next, open), _mm256_cmpgt_epi8(most_space, next));
    const auto found =
        static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_and_si256(_mm256_cmpeq_epi8(part, close), loose)));
    if (found != 0) return at + static_cast<size_t>(__builtin_ctz(found));
  }
  return text.size();
}

// ---- AVX-512 ----

KEELSON_TARGET_AVX512 [[gnu::always_inline]] inline JsonBlock ClassifyAvx512(__m512i bytes) {
  const __m512i folded = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
  return {_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')), _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\')),
          _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('{')), _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('}'))};
}

KEELSON_TARGET_AVX512 const char* FindEndAvx512(JsonScanState& state, const char* at, const char* end,
                                                size_t max_depth) {
  JsonScanState now = state;
  while (at != end) {
    const int size = static_cast<int>(std::min<ptrdiff_t>(end - at, JsonBlock::kSize));
    JsonBlock block = ClassifyAvx512(_mm512_maskz_loadu_epi8(~uint64_t{0} >> (JsonBlock::kSize - size), at));
    DropEscapedQuotes(now, block, size);
    const uint64_t strings = PrefixXorByProduct(block.quotes) ^ (now.in_string ? ~uint64_t{0} : 0);
    now.in_string = (strings >> (size - 1) & 1) != 0;
    const int behind = CountBrackets(now, block, strings, max_depth, BuiltinCount());
    if (behind > 0 || now.depth > max_depth) {
      state = now;
      return behind > 0 ? at + behind : nullptr;
    }
    at += size;
  }
  state = now;
  return nullptr;
}

KEELSON_TARGET_AVX512 size_t FindLooseBraceAvx512(std::string_view text) {
  const __m512i close = _mm512_set1_epi8('}'), open = _mm512_set1_epi8('{'), space = _mm512_set1_epi8(' ');
  for (size_t at = 0; text.size() - at > 64; at += 64) {
    const __m512i next = _mm512_loadu_si512(text.data() + at + 1);
    const uint64_t closes = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text.data() + at), close);
    const uint64_t found = closes & (_mm512_cmpeq_epi8_mask(next, open) | _mm512_cmple_epi8_mask(next, space));
    if (found != 0) return at + static_cast<size_t>(__builtin_ctzll(found));
  }
  return text.size();
}

#endif

std::vector<JsonScanKernel> FindKernels() {
  std::vector<JsonScanKernel> kernels;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("pclmul");
  // Processors before those with VBMI2 slow down when they use vectors that wide.
  if (has_avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2")) {
    kernels.push_back({"avx512", FindEndAvx512, FindLooseBraceAvx512});
  }
  if (has_avx2) kernels.push_back({"avx2", FindEndAvx2, FindLooseBraceAvx2});
#endif
  kernels.push_back({"baseline", FindEnd, FindLooseBrace});
  return kernels;
}

}  // namespace

std::span<const JsonScanKernel> JsonScanKernels() {
  static const std::vector<JsonScanKernel> kernels = FindKernels();
  return kernels;
}

const JsonScanKernel& JsonScanner() {
  static const JsonScanKernel& best = JsonScanKernels().front();
  return best;
}

}  // namespace keelson::internal
