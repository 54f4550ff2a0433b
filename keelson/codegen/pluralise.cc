#include "keelson/codegen/pluralise.h"

#include <algorithm>
#include <cctype>

#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

struct Inflection {
  std::string_view singular;
  std::string_view plural;
};

// Irregular as a word of their own, not as the end of a longer one ("box" is no "ox").
constexpr Inflection kWholeWords[] = {
    {"alias", "aliases"},
    {"axis", "axes"},
    {"die", "dice"},
    {"ox", "oxen"},
};

// Irregular also where they end a longer word: "WorkerPerson". A plural stays as it is.
constexpr Inflection kWords[] = {
    {"agenda", "agendas"},
    {"aircraft", "aircraft"},
    {"apex", "apices"},
    {"appendix", "appendices"},
    {"basis", "bases"},
    {"bureau", "bureaus"},
    {"chassis", "chassis"},
    {"child", "children"},
    {"codex", "codices"},
    {"corpus", "corpora"},
    {"crisis", "crises"},
    {"criterion", "criteria"},
    {"curriculum", "curriculums"},
    {"deer", "deer"},
    {"ellipsis", "ellipses"},
    {"equipment", "equipment"},
    {"fish", "fish"},
    {"focus", "foci"},
    {"foot", "feet"},
    {"formula", "formulas"},
    {"genesis", "geneses"},
    {"genus", "genera"},
    {"goose", "geese"},
    {"graffiti", "graffiti"},
    {"helix", "helices"},
    {"human", "humans"},
    {"index", "indices"},
    {"information", "information"},
    {"lexicon", "lexica"},
    {"locus", "loci"},
    {"man", "men"},
    {"medium", "media"},
    {"money", "money"},
    {"mouse", "mice"},
    {"nucleus", "nuclei"},
    {"oasis", "oases"},
    {"person", "people"},
    {"phenomenon", "phenomena"},
    {"police", "police"},
    {"potato", "potatoes"},
    {"quota", "quotas"},
    {"radius", "radii"},
    {"radix", "radices"},
    {"rice", "rice"},
    {"salmon", "salmon"},
    {"sheep", "sheep"},
    {"stadium", "stadiums"},
    {"syllabus", "syllabi"},
    {"taxon", "taxa"},
    {"thesis", "theses"},
    {"thief", "thieves"},
    {"tomato", "tomatoes"},
    {"tooth", "teeth"},
    {"topaz", "topazes"},
    {"tuna", "tuna"},
    {"vertex", "vertices"},
    {"vita", "vitae"},
    {"vortex", "vortices"},
    {"woman", "women"},
    {"you", "you"},
};

// Latin: -um becomes -a behind these. What ends in that -a counts as a plural: "Lambda", "Area".
constexpr std::string_view kLatinStems[] = {
    "ant", "at", "br", "cr", "ct", "d",  "e",  "el",  "ent", "ern", "et", "gn", "i",  "il",
    "im",  "it", "ll", "o",  "ol", "ot", "ov", "ser", "ter", "tr",  "ul", "ut", "yl",
};

// The longer of two that fit is meant.
constexpr Inflection kEndings[] = {
    {"afe", "aves"},    {"arf", "arves"},   {"eaf", "eaves"},    {"fe", "ves"},          {"lf", "lves"},
    {"oaf", "oaves"},   {"rf", "rves"},  // f
    {"ay", "ays"},      {"ey", "eys"},      {"oy", "oys"},       {"quy", "quies"},       {"uy", "uys"},
    {"y", "ies"},  // y
    {"iasis", "iases"}, {"mesis", "meses"}, {"resis", "reses"},  {"kinesis", "kineses"}, {"gnosis", "gnoses"},
    {"opsis", "opses"}, {"ysis", "yses"},   {"us", "uses"},      {"ss", "sses"},         {"S", "Ses"},  // s
    {"ano", "anos"},    {"io", "ios"},      {"lo", "los"},       {"oo", "oos"},          {"to", "tos"},
    {"o", "oes"},                                                                 // o
    {"ch", "ches"},     {"sh", "shes"},     {"trix", "trices"},  {"x", "xes"},    // h, x
    {"ez", "ezzes"},    {"iz", "izzes"},    {"tz", "tzes"},      {"zz", "zzes"},  // z
    {"bula", "bulae"},  {"eau", "eaux"},    {"hedron", "hedra"}, {"seum", "seums"},
};

bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// "Service" of "AppService", "DNSRecord" of "MyDNSRecord".
std::string_view LastWord(std::string_view kind) {
  for (size_t i = kind.size(); i-- > 1;) {
    if (IsUpper(kind[i]) && !IsUpper(kind[i - 1])) return kind.substr(i);
  }
  return kind;
}

// The kind with its last characters replaced.
std::string Replace(std::string_view kind, size_t count, std::string_view by) {
  return AsciiLower(kind.substr(0, kind.size() - count)) + AsciiLower(by);
}

}  // namespace

std::string PluralOf(std::string_view kind) {
  const std::string_view word = LastWord(kind);
  const std::string lower = AsciiLower(word);
  for (const Inflection& whole : kWholeWords) {
    if (lower == whole.plural) return AsciiLower(kind);
    if (lower == whole.singular) return Replace(kind, word.size(), whole.plural);
  }
  for (const Inflection& irregular : kWords) {
    if (lower == irregular.plural) return AsciiLower(kind);
    if (lower == irregular.singular) return Replace(kind, word.size(), irregular.plural);
  }

  // Endings are told apart from capitals: "DNS" is not "Virus".
  std::string_view best;
  std::string plural;
  const auto consider = [&](std::string_view ending, std::string replacement) {
    if (!word.ends_with(ending) || ending.size() <= best.size()) return;
    best = ending;
    plural = std::move(replacement);
  };
  for (const Inflection& irregular : kWords) {
    consider(irregular.plural, std::string(irregular.plural));
    consider(irregular.singular, std::string(irregular.plural));
  }
  if (best.empty()) {
    for (const std::string_view stem : kLatinStems) {
      const std::string latin_plural = std::string(stem) + "a";
      if (word.ends_with(latin_plural)) return AsciiLower(kind);
      if (word.ends_with(std::string(stem) + "um") && !word.ends_with("seum")) {
        return Replace(kind, stem.size() + 2, latin_plural);
      }
    }
    for (const Inflection& ending : kEndings) {
      consider(ending.plural, std::string(ending.plural));
      consider(ending.singular, std::string(ending.plural));
    }
  }
  if (!best.empty()) return Replace(kind, best.size(), plural);
  return lower.ends_with('s') ? AsciiLower(kind) : AsciiLower(kind) + "s";
}

}  // namespace keelson::codegen
