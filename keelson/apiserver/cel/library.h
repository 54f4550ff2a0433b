// The functions that Kubernetes adds to CEL, as a kube-apiserver v1.36 offers them to the rules of custom resources.
//
//   Environment environment{.functions = &KubernetesFunctions(), .variables = …, .types = KubernetesTypes()};
//
// One library a file. Their values are Opaque objects; what they cost at run time is in library_cost.h, what they are
// estimated to cost in cost_estimate.h.
#pragma once

#include <vector>

#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/type.h"

namespace keelson::apiserver::cel {

// The standard functions and all libraries. Made once, kept for good.
const FunctionTable& KubernetesFunctions();
// The types that expressions can name: net.IP, net.CIDR.
const std::vector<Type>& KubernetesTypes();

// Types of the libraries' values.
Type UrlType();       // kubernetes.URL
Type QuantityType();  // kubernetes.Quantity
Type IpType();        // net.IP
Type CidrType();      // net.CIDR
Type SemverType();    // kubernetes.Semver
Type FormatType();    // kubernetes.NamedFormat

void AddStringsLibrary(FunctionTable& table);       // charAt, split, replace …
void AddStringFormatLibrary(FunctionTable& table);  // "%d items".format([…])
void AddListsLibrary(FunctionTable& table);         // isSorted, sum, min, indexOf …
void AddListsExtension(FunctionTable& table);       // slice, flatten, sort, distinct …
void AddSetsLibrary(FunctionTable& table);          // sets.contains …
void AddRegexLibrary(FunctionTable& table);         // find, findAll
void AddUrlsLibrary(FunctionTable& table);
void AddQuantityLibrary(FunctionTable& table);
void AddNetworkLibrary(FunctionTable& table);  // ip, cidr
void AddFormatLibrary(FunctionTable& table);   // format.dns1123Label().validate(…)
void AddSemverLibrary(FunctionTable& table);

}  // namespace keelson::apiserver::cel
