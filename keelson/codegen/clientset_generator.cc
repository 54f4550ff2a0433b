#include "keelson/codegen/clientset_generator.h"

#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "keelson/codegen/markers.h"
#include "keelson/codegen/pluralise.h"

namespace keelson::codegen {

namespace {

// "AppServices" of "AppService": the plural's spelling with the kind's capitals, as far as the two agree.
std::string AccessorOf(const std::string& kind) {
  const std::string plural = PluralOf(kind);
  size_t same = 0;
  while (same < kind.size() && same < plural.size() &&
         std::tolower(static_cast<unsigned char>(kind[same])) == plural[same]) {
    ++same;
  }
  return kind.substr(0, same) + plural.substr(same);
}

// Constants of typed_client.h by the names that markers use.
std::string VerbConstant(const std::string& verb) {
  std::string constant = "k" + verb + "Verb";
  constant[1] = static_cast<char>(std::toupper(static_cast<unsigned char>(constant[1])));
  return "keelson::" + constant;
}

std::string Joined(const std::vector<std::string>& verbs) {
  std::string text;
  for (const std::string& verb : verbs) text += (text.empty() ? "" : " | ") + VerbConstant(verb);
  return text;
}

// The second argument of TypedClient; empty: its default.
std::string VerbsOf(const std::vector<ParsedMarker>& markers, const std::string& type) {
  if (FindMarker(markers, "genclient:noVerbs") != nullptr) return "0";
  if (const ParsedMarker* only = FindMarker(markers, "genclient:onlyVerbs")) {
    std::vector<std::string> verbs;
    for (const Json& verb : only->value.list()) verbs.emplace_back(verb.string());
    return Joined(verbs);
  }
  if (FindMarker(markers, "genclient:readonly") != nullptr) return Joined({"get", "list", "watch"});
  std::vector<std::string> skipped;
  if (const ParsedMarker* skip = FindMarker(markers, "genclient:skipVerbs")) {
    for (const Json& verb : skip->value.list()) skipped.emplace_back(verb.string());
  }
  if (FindMarker(markers, "genclient:noStatus") != nullptr) {
    skipped.emplace_back("updateStatus");
    skipped.emplace_back("applyStatus");
  }
  return skipped.empty() ? "" : "keelson::VerbsOf<" + type + ">() & ~(" + Joined(skipped) + ")";
}

// Whether the kind's markers leave it the verbs that an informer needs.
bool CanBeInformed(const std::vector<ParsedMarker>& markers) {
  const auto names = [](const ParsedMarker& marker, std::string_view verb) {
    for (const Json& named : marker.value.list()) {
      if (named.string() == verb) return true;
    }
    return false;
  };
  if (FindMarker(markers, "genclient") == nullptr || FindMarker(markers, "genclient:noVerbs") != nullptr) return false;
  if (const ParsedMarker* only = FindMarker(markers, "genclient:onlyVerbs")) {
    return names(*only, "list") && names(*only, "watch");
  }
  const ParsedMarker* skip = FindMarker(markers, "genclient:skipVerbs");
  return skip == nullptr || (!names(*skip, "list") && !names(*skip, "watch"));
}

// A Go type's C++ counterpart: "k8s.io/api/autoscaling/v1.Scale" is keelson::autoscalingv1::Scale of
// keelson/api/autoscaling/v1.h. Without a package it is a type of this one. Empty when it is neither.
struct CppType {
  std::string name;
  std::string header;
};

CppType CppTypeOf(const std::string& go_type) {
  constexpr std::string_view kRoot = "k8s.io/api/";
  const size_t dot = go_type.rfind('.');
  const size_t slash = go_type.rfind('/');
  if (slash == std::string::npos && dot == std::string::npos) return {go_type, {}};
  if (!go_type.starts_with(kRoot) || dot == std::string::npos || dot < slash) return {};
  const std::string package = go_type.substr(kRoot.size(), dot - kRoot.size());
  std::string name_space = package;
  std::erase(name_space, '/');
  return {"keelson::" + name_space + "::" + go_type.substr(dot + 1), "keelson/api/" + package + ".h"};
}

class Writer {
 public:
  Writer(const CodePackage& package, Diagnostics& problems) : package_(package), problems_(problems) {}

  std::string Text(const std::string& notice) {
    std::string clients;
    std::string accessors;
    for (const CodeRoot& root : package_.roots) {
      const auto markers = ParseMarkers(root.declaration->comment.markers, MarkerTarget::kType, problems_);
      if (FindMarker(markers, "genclient") == nullptr) continue;
      clients += Client(root, markers) + "\n";
      accessors += Accessor(root);
    }
    if (clients.empty()) return {};

    const std::string generated = (package_.directory.empty() ? "" : package_.directory + "/") + "generated.h";
    std::string out = notice + "//\n// Clients of the kinds of " + package_.name + ", as Go's clientsets have them.\n";
    out += "#pragma once\n\n#include <string>\n#include <utility>\n\n#include \"" + generated + "\"\n";
    headers_.insert("keelson/client/typed_client.h");
    for (const std::string& header : headers_) out += "#include \"" + header + "\"\n";
    out += "\n";
    if (!package_.name_space.empty()) out += "namespace " + package_.name_space + " {\n\n";
    out += clients;
    out +=
        "// Cheap to copy; thread-safe.\nclass Clientset {\n public:\n"
        "  explicit Clientset(keelson::Client client) : client_(std::move(client)) {}\n\n";
    out += accessors;
    out += "\n private:\n  keelson::Client client_;\n};\n";
    if (!package_.name_space.empty()) out += "\n}  // namespace " + package_.name_space + "\n";
    return out;
  }

 private:
  std::string Client(const CodeRoot& root, const std::vector<ParsedMarker>& markers) {
    const std::string verbs = VerbsOf(markers, root.spelling);
    const std::string base = "keelson::TypedClient<" + root.spelling + (verbs.empty() ? "" : ", " + verbs) + ">";
    std::string methods;
    for (const ParsedMarker& marker : markers) {
      if (marker.name == "genclient:method") methods += Method(root, marker);
    }
    if (methods.empty()) return "using " + root.kind + "Client = " + base + ";\n";
    return "class " + root.kind + "Client : public " + base + " {\n public:\n  using TypedClient::TypedClient;\n\n" +
           methods + "};\n";
  }

  std::string Method(const CodeRoot& root, const ParsedMarker& marker) {
    const std::string verb = marker.Text("verb");
    const std::string subresource = marker.Text("subresource");
    if (subresource.empty() || (verb != "get" && verb != "create" && verb != "update")) {
      problems_.Add(marker.position,
                    "+genclient:method has verb=get, verb=create or verb=update and a subresource: "
                    "+genclient:method=UpdateScale,verb=update,subresource=scale,"
                    "input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale");
      return {};
    }
    const std::string input = ArgumentType(root, marker, "input");
    const std::string result = ArgumentType(root, marker, "result");
    if (verb != "get" && input != result) {
      problems_.Add(marker.position,
                    "input and result of +genclient:method must be the same type: a server answers a "
                    "write with the object that it wrote");
    }
    const std::string call = std::string(verb == "get"      ? "Get"
                                         : verb == "create" ? "Create"
                                                            : "Update") +
                             "Subresource<" + root.spelling + ", " + result + ">";
    const std::string options = "keelson::" + call.substr(0, call.find("Subresource")) + "Options";
    const bool writes = verb != "get";
    return "  keelson::Result<" + result + "> " + std::string(marker.value.string()) + "(std::string name, " +
           (writes ? "const " + input + "& object, " : "") + "const " + options + "& options = {}) const {\n" +
           "    return client()." + "template " + call + "({.namespace_ = {}, .name = std::move(name)}, \"" +
           subresource + "\", " + (writes ? "object, " : "") + "options);\n  }\n";
  }

  std::string ArgumentType(const CodeRoot& root, const ParsedMarker& marker, const std::string& argument) {
    const std::string given = marker.Text(argument);
    if (given.empty()) return root.spelling;
    const CppType type = CppTypeOf(given);
    if (type.name.empty()) {
      problems_.Add(marker.position, argument + "=" + given +
                                         ": expected a type of this package (Name) or a built-in one "
                                         "(k8s.io/api/autoscaling/v1.Scale)");
      return root.spelling;
    }
    if (!type.header.empty()) headers_.insert(type.header);
    return type.name;
  }

  std::string Accessor(const CodeRoot& root) {
    const std::string client = root.kind + "Client";
    const std::string name = AccessorOf(root.kind);
    if (!root.namespaced) return "  " + client + " " + name + "() const { return " + client + "(client_); }\n";
    return "  // Without a namespace: those of all, to list and watch.\n  " + client + " " + name +
           "(std::string namespace_ = {}) const {\n    return " + client + "(client_, std::move(namespace_));\n  }\n";
  }

  const CodePackage& package_;
  Diagnostics& problems_;
  std::set<std::string> headers_;  // included besides our own
};

}  // namespace

std::string ClientsetText(const CodePackage& package, const std::string& notice, Diagnostics& problems) {
  return Writer(package, problems).Text(notice);
}

std::string InformersText(const CodePackage& package, const std::string& notice) {
  std::string aliases;
  std::string accessors;
  for (const CodeRoot& root : package.roots) {
    Diagnostics told_already;  // by ClientsetText
    const auto markers = ParseMarkers(root.declaration->comment.markers, MarkerTarget::kType, told_already);
    if (!CanBeInformed(markers)) continue;
    aliases += "using " + root.kind + "Informer = keelson::Informer<" + root.spelling + ">;\n" + "using " + root.kind +
               "Lister = keelson::Lister<" + root.spelling + ">;\n\n";
    accessors += "  " + root.kind + "Informer " + AccessorOf(root.kind) +
                 "(std::optional<keelson::Selection> selection = {}) const {\n" + "    return factory_.For<" +
                 root.spelling + ">(std::move(selection));\n  }\n";
  }
  if (aliases.empty()) return {};
  const std::string generated = (package.directory.empty() ? "" : package.directory + "/") + "generated.h";
  std::string out = notice + "//\n// Informers and listers of the kinds of " + package.name + ".\n";
  out += "#pragma once\n\n#include <optional>\n#include <utility>\n\n#include \"" + generated +
         "\"\n#include \"keelson/cache/informer_factory.h\"\n\n";
  if (!package.name_space.empty()) out += "namespace " + package.name_space + " {\n\n";
  out += aliases;
  out +=
      "// Of a factory, which outlives it. Cheap to copy; thread-safe.\nclass Informers {\n public:\n"
      "  explicit Informers(keelson::InformerFactory& factory) : factory_(factory) {}\n\n";
  out += accessors + "\n private:\n  keelson::InformerFactory& factory_;\n};\n";
  if (!package.name_space.empty()) out += "\n}  // namespace " + package.name_space + "\n";
  return out;
}

}  // namespace keelson::codegen
