#include "keelson/codec/internal/fields_cut.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "keelson/api/raw.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace keelson::internal {

namespace {

#if defined(__SSE2__)

// One bit for each of 64 characters, the first one lowest.
struct Block {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t opening = 0;
  uint64_t closing = 0;
  uint64_t commas = 0;
};

Block Classify(const char* text) {
  Block block;
  for (int part = 0; part < 4; ++part) {
    const __m128i characters = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
    const auto find = [&](char wanted) {
      const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(characters, _mm_set1_epi8(wanted)));
      return static_cast<uint64_t>(static_cast<uint32_t>(bits)) << (16 * part);
    };
    block.quotes |= find('"');
    block.backslashes |= find('\\');
    block.opening |= find('{');
    block.closing |= find('}');
    block.commas |= find(',');
  }
  return block;
}

// The characters behind a backslash that is not behind one itself. `carry` goes from block to block.
uint64_t FindEscaped(uint64_t backslashes, uint64_t* carry) {
  uint64_t escaped = *carry;
  *carry = 0;
  backslashes &= ~escaped;
  while (backslashes != 0) {
    const int at = std::countr_zero(backslashes);
    if (at == 63) {
      *carry = 1;
      break;
    }
    escaped |= uint64_t{2} << at;
    backslashes &= ~(uint64_t{3} << at);
  }
  return escaped;
}

// Each bit becomes the parity of itself and those below.
uint64_t Parities(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Of few bits.
int Count(uint64_t bits) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

// False when the text is not JSON in a way that makes the bits differ from what FieldsV1 does.
bool CutByBlocks(std::string_view json, std::vector<size_t>& ends) {
  size_t start = 0;     // of the piece
  int start_depth = 0;  // around it
  int depth = 0;
  uint64_t escape_carry = 0;
  uint64_t inside_carry = 0;
  for (size_t base = 0; base < json.size(); base += 64) {
    char padded[64];
    const char* text = json.data() + base;
    if (json.size() - base < 64) {
      std::memset(padded, ' ', sizeof padded);
      std::memcpy(padded, text, json.size() - base);
      text = padded;
    }
    const Block block = Classify(text);
    const uint64_t escaped = FindEscaped(block.backslashes, &escape_carry);
    const uint64_t inside = Parities(block.quotes & ~escaped) ^ inside_carry;  // of strings
    inside_carry = (inside >> 63) != 0 ? ~uint64_t{0} : 0;
    if ((block.backslashes & ~inside) != 0) return false;
    uint64_t opening = block.opening & ~inside;
    uint64_t closing = block.closing & ~inside;
    const uint64_t empty_objects = opening & (closing >> 1);  // most of them: "f:name":{}
    opening &= ~empty_objects;
    closing &= ~(empty_objects << 1);
    for (uint64_t commas = block.commas & ~inside; commas != 0; commas &= commas - 1) {
      const int at = std::countr_zero(commas);
      const size_t end = base + static_cast<size_t>(at) + 1;
      if (!FieldsV1::EndsPiece(end - start, 0)) continue;  // too short at any depth
      const uint64_t before = (uint64_t{1} << at) - 1;
      depth += Count(opening & before) - Count(closing & before);
      opening &= ~before;
      closing &= ~before;
      if (!FieldsV1::EndsPiece(end - start, depth - start_depth)) continue;
      ends.push_back(end);
      start = end;
      start_depth = depth;
    }
    depth += Count(opening) - Count(closing);
  }
  if (start < json.size()) ends.push_back(json.size());
  return true;
}

#else

bool CutByBlocks(std::string_view, std::vector<size_t>&) { return false; }

#endif

}  // namespace

void CutFields(std::string_view json, std::vector<size_t>& ends) {
  ends.clear();
  if (CutByBlocks(json, ends)) return;
  ends.clear();
  size_t end = 0;
  FieldsV1::ForEachPiece(json, [&](std::string_view piece) { ends.push_back(end += piece.size()); });
}

}  // namespace keelson::internal
