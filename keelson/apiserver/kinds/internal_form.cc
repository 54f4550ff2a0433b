#include "keelson/apiserver/kinds/internal_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/json.h"
#include "keelson/api/raw.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

struct GoName {
  std::string_view type;  // empty: in every struct
  std::string_view json;
  std::string_view go;
};

// Names that are not the JSON name with a capital first letter.
constexpr GoName kGoNames[] = {
    {"", "dnsPolicy", "DNSPolicy"},
    {"", "dnsConfig", "DNSConfig"},
    {"core/v1.PodSpec", "os", "OS"},
    {"", "gcePersistentDisk", "GCEPersistentDisk"},
    {"", "awsElasticBlockStore", "AWSElasticBlockStore"},
    {"", "nfs", "NFS"},
    {"", "iscsi", "ISCSI"},
    {"", "rbd", "RBD"},
    {"", "cephfs", "CephFS"},
    {"", "fc", "FC"},
    {"", "storageos", "StorageOS"},
    {"", "csi", "CSI"},
    {"", "tty", "TTY"},
    {"", "seLinuxOptions", "SELinuxOptions"},
    {"", "seLinuxChangePolicy", "SELinuxChangePolicy"},
    {"", "fsGroup", "FSGroup"},
    {"", "fsGroupChangePolicy", "FSGroupChangePolicy"},
    {"", "ip", "IP"},
    {"", "apiGroup", "APIGroup"},
    {"", "apiVersion", "APIVersion"},
    {"", "pdName", "PDName"},
    {"", "fsType", "FSType"},
    {"", "iqn", "IQN"},
    {"", "iscsiInterface", "ISCSIInterface"},
    {"", "chapAuthDiscovery", "DiscoveryCHAPAuth"},
    {"", "chapAuthSession", "SessionCHAPAuth"},
    {"core/v1.GlusterfsVolumeSource", "endpoints", "EndpointsName"},
    {"core/v1.RBDVolumeSource", "monitors", "CephMonitors"},
    {"core/v1.RBDVolumeSource", "image", "RBDImage"},
    {"core/v1.RBDVolumeSource", "pool", "RBDPool"},
    {"core/v1.RBDVolumeSource", "user", "RadosUser"},
    {"", "wwids", "WWIDs"},
    {"", "diskURI", "DataDiskURI"},
    {"", "sslEnabled", "SSLEnabled"},
    {"", "httpGet", "HTTPGet"},
    {"", "tcpSocket", "TCPSocket"},
    {"", "grpc", "GRPC"},
    {"", "httpHeaders", "HTTPHeaders"},
    {"", "gmsaCredentialSpecName", "GMSACredentialSpecName"},
    {"", "gmsaCredentialSpec", "GMSACredentialSpec"},
    {"", "cidrs", "CIDRs"},
    {"", "uid", "UID"},
    {"", "apiGroups", "APIGroups"},
    {"", "apiVersions", "APIVersions"},
    {"", "nonResourceURLs", "NonResourceURLs"},
    {"", "jsonPath", "JSONPath"},
    {"", "jsonSchemas", "JSONSchemas"},
    {"", "url", "URL"},
    {"apiextensions/v1.JSONSchemaProps", "id", "ID"},
    {"apiextensions/v1.JSONSchemaProps", "$schema", "Schema"},
    {"apiextensions/v1.JSONSchemaProps", "$ref", "Ref"},
    {"", "x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"},
    {"", "x-kubernetes-embedded-resource", "XEmbeddedResource"},
    {"", "x-kubernetes-int-or-string", "XIntOrString"},
    {"", "x-kubernetes-list-map-keys", "XListMapKeys"},
    {"", "x-kubernetes-list-type", "XListType"},
    {"", "x-kubernetes-map-type", "XMapType"},
    {"", "x-kubernetes-validations", "XValidations"},
};

// Where the internal struct orders its fields otherwise, or has others.
struct FieldOrder {
  std::string_view type;
  std::span<const std::string_view> fields;  // JSON names
};

constexpr std::string_view kPodSpecOrder[] = {
    "volumes",
    "initContainers",
    "containers",
    "ephemeralContainers",
    "restartPolicy",
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
    "dnsPolicy",
    "nodeSelector",
    "serviceAccountName",
    "automountServiceAccountToken",
    "nodeName",
    "securityContext",
    "imagePullSecrets",
    "hostname",
    "subdomain",
    "setHostnameAsFQDN",
    "affinity",
    "schedulerName",
    "tolerations",
    "hostAliases",
    "priorityClassName",
    "priority",
    "preemptionPolicy",
    "dnsConfig",
    "readinessGates",
    "runtimeClassName",
    "overhead",
    "enableServiceLinks",
    "topologySpreadConstraints",
    "os",
    "schedulingGates",
    "resourceClaims",
    "resources",
    "hostnameOverride",
    "schedulingGroup",
};
// Of the pod spec, shown in front of the fields of its security context.
constexpr std::string_view kPodSpecSecurity[] = {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace",
                                                 "hostUsers"};
constexpr std::string_view kPodSecurityOrder[] = {
    "seLinuxOptions",
    "windowsOptions",
    "runAsUser",
    "runAsGroup",
    "runAsNonRoot",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "seccompProfile",
    "appArmorProfile",
    "seLinuxChangePolicy",
};
constexpr std::string_view kVolumeOrder[] = {
    "name",
    "hostPath",
    "emptyDir",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "persistentVolumeClaim",
    "rbd",
    "quobyte",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "downwardAPI",
    "fc",
    "azureFile",
    "configMap",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
    "projected",
    "portworxVolume",
    "scaleIO",
    "storageos",
    "csi",
    "ephemeral",
    "image",
};
constexpr std::string_view kSchemaOrder[] = {
    "id",
    "$schema",
    "$ref",
    "description",
    "type",
    "nullable",
    "format",
    "title",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "required",
    "items",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "properties",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "externalDocs",
    "example",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
};
constexpr FieldOrder kOrders[] = {
    {"apiextensions/v1.JSONSchemaProps", kSchemaOrder},
    {"core/v1.PodSpec", kPodSpecOrder},
    {"core/v1.PodSecurityContext", kPodSecurityOrder},
    {"core/v1.Volume", kVolumeOrder},
};

std::string NameInGo(std::string_view type, std::string_view json) {
  for (const GoName& one : kGoNames) {
    if (one.json == json && (one.type.empty() || one.type == type)) return std::string(one.go);
  }
  std::string name(json);
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

class Writer {
 public:
  explicit Writer(bool indented) : indented_(indented) {}

  void Value(const Type& type, const void* value) {
    switch (type.kind) {
      case Kind::kOptional:
        if (const void* element = ReadOptional(type, value)) {
          Value(*type.element, element);
        } else {
          out_ += "null";
        }
        return;
      case Kind::kList: List(type, value); return;
      case Kind::kMap: Map(type, value); return;
      case Kind::kStruct:
      case Kind::kUnion: Struct(type, value); return;
      case Kind::kRawExtension: Document(*static_cast<const RawExtension*>(value)); return;
      default: Scalar(type, value); return;
    }
  }

  std::string out_;

 private:
  void Scalar(const Type& type, const void* value) {
    std::string text;
    AppendJson(type, value, text);
    // As Go writes text that may end up in a web page.
    for (const char c : text) {
      if (c == '<' || c == '>' || c == '&') {
        out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      } else {
        out_ += c;
      }
    }
  }

  // As Go writes a document that it has read: without blanks, the members of objects in order.
  void Document(const RawExtension& raw) {
    const Result<Json> document = ParseJson(raw.empty() ? std::string_view("null") : raw.raw().view());
    if (document) {
      Scalar(TypeOf<Json>(), *document);
    } else {
      Scalar(TypeOf<RawExtension>(), static_cast<const void*>(&raw));
    }
  }

  void Open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void Next() {
    if (!first_) out_ += ',';
    first_ = false;
    NewLine();
  }
  void Close(char bracket) {
    --depth_;
    if (!first_) NewLine();
    first_ = false;
    out_ += bracket;
  }
  void NewLine() {
    if (!indented_) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(depth_), ' ');
  }
  void Key(std::string_view name) {
    Next();
    Scalar(TypeOf<Json>(), Json(name));
    out_ += indented_ ? ": " : ":";
  }
  // A Json of its own, since Scalar wants an address.
  void Scalar(const Type& type, const Json& value) { Scalar(type, static_cast<const void*>(&value)); }

  void List(const Type& type, const void* value) {
    const size_t size = Length(type, value);
    if (size == 0) {
      out_ += "null";
      return;
    }
    Open('[');
    for (size_t i = 0; i < size; ++i) {
      Next();
      Value(*type.element, ReadElement(type, value, i));
    }
    Close(']');
  }

  void Map(const Type& type, const void* value) {
    if (Length(type, value) == 0) {
      out_ += "null";
      return;
    }
    Open('{');
    ForEachEntry(type, value, [&](std::string_view key, const void* element) {
      Key(key);
      Value(*type.element, element);
      return true;
    });
    Close('}');
  }

  void Struct(const Type& type, const void* value) {
    Open('{');
    if (&type == &TypeOf<corev1::PodSecurityContext>() && spec_ != nullptr) {
      for (const std::string_view name : kPodSpecSecurity) Member(TypeOf<corev1::PodSpec>(), spec_, name);
    }
    if (&type == &TypeOf<corev1::PodSpec>()) spec_ = value;
    Members(type, value);
    Close('}');
  }

  void Members(const Type& type, const void* value) {
    for (const FieldOrder& order : kOrders) {
      if (order.type != type.name) continue;
      for (const std::string_view name : order.fields) Member(type, value, name);
      return;
    }
    // The types of meta/v1 are the same inside.
    const bool tagged = type.name.starts_with("meta/v1.");
    for (const Field& field : type.fields) {
      // What a client sent beyond the type is kept without a name.
      if (field.name.empty()) continue;
      const void* member = ReadField(field, value);
      if (field.type == &TypeOf<metav1::ObjectMeta>()) {
        Members(*field.type, member);
      } else if (!tagged) {
        Member(type, value, field.name);
      } else if (!((field.omit_empty && IsEmpty(*field.type, member)) ||
                   (field.omit_zero && IsZero(*field.type, member)))) {
        Key(field.name);
        Value(*field.type, member);
      }
    }
  }

  void Member(const Type& type, const void* value, std::string_view json_name) {
    const Field* field = type.FindField(json_name);
    if (field == nullptr) return;
    Key(NameInGo(type.name, json_name));
    Value(*field->type, ReadField(*field, value));
  }

  const bool indented_;
  int depth_ = 0;
  bool first_ = true;
  const void* spec_ = nullptr;  // the pod spec around a security context
};

// Longest runs of equal lines, then the same on both sides of each: what Python's difflib and its ports do, with their
// rule that lines which fill more than a hundredth of a long text do not start a run.
class LineMatcher {
 public:
  struct Block {
    size_t a;
    size_t b;
    size_t size;
    friend bool operator<(const Block& x, const Block& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); }
  };

  LineMatcher(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) : a_(a), b_(b) {
    for (size_t i = 0; i < b.size(); ++i) places_[b[i]].push_back(i);
    if (b.size() >= 200) {
      const size_t limit = b.size() / 100 + 1;
      std::erase_if(places_, [limit](const auto& entry) { return entry.second.size() > limit; });
    }
  }

  // In order; ends with an empty one at the ends of both.
  std::vector<Block> Blocks() const {
    struct Part {
      size_t a_low, a_high, b_low, b_high;
    };
    std::vector<Part> parts = {{0, a_.size(), 0, b_.size()}};
    std::vector<Block> blocks;
    while (!parts.empty()) {
      const Part part = parts.back();
      parts.pop_back();
      const Block longest = Longest(part.a_low, part.a_high, part.b_low, part.b_high);
      if (longest.size == 0) continue;
      blocks.push_back(longest);
      if (part.a_low < longest.a && part.b_low < longest.b) {
        parts.push_back({part.a_low, longest.a, part.b_low, longest.b});
      }
      if (longest.a + longest.size < part.a_high && longest.b + longest.size < part.b_high) {
        parts.push_back({longest.a + longest.size, part.a_high, longest.b + longest.size, part.b_high});
      }
    }
    std::sort(blocks.begin(), blocks.end());
    std::vector<Block> joined;
    for (const Block& block : blocks) {
      if (!joined.empty() && joined.back().a + joined.back().size == block.a &&
          joined.back().b + joined.back().size == block.b) {
        joined.back().size += block.size;
      } else {
        joined.push_back(block);
      }
    }
    joined.push_back({a_.size(), b_.size(), 0});
    return joined;
  }

 private:
  Block Longest(size_t a_low, size_t a_high, size_t b_low, size_t b_high) const {
    Block best = {a_low, b_low, 0};
    // Length of the run that ends at the line before, by its place in b.
    std::unordered_map<size_t, size_t> runs;
    for (size_t i = a_low; i < a_high; ++i) {
      std::unordered_map<size_t, size_t> next;
      const auto found = places_.find(a_[i]);
      if (found != places_.end()) {
        for (const size_t j : found->second) {
          if (j < b_low) continue;
          if (j >= b_high) break;
          const auto before = j == 0 ? runs.end() : runs.find(j - 1);
          const size_t size = (before == runs.end() ? 0 : before->second) + 1;
          next[j] = size;
          if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
        }
      }
      runs = std::move(next);
    }
    while (best.a > a_low && best.b > b_low && a_[best.a - 1] == b_[best.b - 1]) {
      best = {best.a - 1, best.b - 1, best.size + 1};
    }
    while (best.a + best.size < a_high && best.b + best.size < b_high &&
           a_[best.a + best.size] == b_[best.b + best.size]) {
      ++best.size;
    }
    return best;
  }

  const std::vector<std::string_view>& a_;
  const std::vector<std::string_view>& b_;
  std::unordered_map<std::string_view, std::vector<size_t>> places_;
};

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string Range(size_t start, size_t end) {
  const size_t length = end - start;
  if (length == 1) return std::to_string(start + 1);
  return fmt::format("{},{}", length == 0 ? start : start + 1, length);
}

struct Change {
  bool equal;
  size_t a_start, a_end, b_start, b_end;
};

constexpr size_t kContext = 3;

}  // namespace

std::string InternalForm(const Type& type, const void* value, bool indented) {
  Writer writer(indented);
  writer.Value(type, value);
  return std::move(writer.out_);
}

std::string UnifiedDiff(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = Lines(before);
  const std::vector<std::string_view> b = Lines(after);
  std::vector<Change> changes;
  size_t i = 0;
  size_t j = 0;
  for (const LineMatcher::Block& block : LineMatcher(a, b).Blocks()) {
    if (i < block.a || j < block.b) changes.push_back({false, i, block.a, j, block.b});
    if (block.size > 0) changes.push_back({true, block.a, block.a + block.size, block.b, block.b + block.size});
    i = block.a + block.size;
    j = block.b + block.size;
  }
  if (changes.empty()) return {};

  std::vector<std::vector<Change>> groups(1);
  for (size_t k = 0; k < changes.size(); ++k) {
    Change change = changes[k];
    if (change.equal && k == 0) {
      change.a_start = std::max(change.a_start, change.a_end - std::min(change.a_end, kContext));
      change.b_start = std::max(change.b_start, change.b_end - std::min(change.b_end, kContext));
    }
    if (change.equal && k + 1 == changes.size()) {
      change.a_end = std::min(change.a_end, change.a_start + kContext);
      change.b_end = std::min(change.b_end, change.b_start + kContext);
    }
    if (change.equal && change.a_end - change.a_start > 2 * kContext) {
      groups.back().push_back(
          {true, change.a_start, change.a_start + kContext, change.b_start, change.b_start + kContext});
      groups.emplace_back();
      change.a_start = change.a_end - kContext;
      change.b_start = change.b_end - kContext;
    }
    groups.back().push_back(change);
  }

  std::string out;
  for (const std::vector<Change>& group : groups) {
    if (group.empty() || (group.size() == 1 && group[0].equal)) continue;
    out += fmt::format("@@ -{} +{} @@\n", Range(group.front().a_start, group.back().a_end),
                       Range(group.front().b_start, group.back().b_end));
    for (const Change& change : group) {
      for (size_t line = change.a_start; line < change.a_end; ++line) {
        out.append(change.equal ? " " : "-").append(a[line]).append("\n");
      }
      if (change.equal) continue;
      for (size_t line = change.b_start; line < change.b_end; ++line) out.append("+").append(b[line]).append("\n");
    }
  }
  return out;
}

}  // namespace keelson::apiserver
