// A façade over the typed client in the manner of Go's clientsets, for the kinds marked +genclient.
//
//   #include "api/v1alpha1/clientset.h"
//
//   app_service::v1alpha1::Clientset clientset(client);
//   KEELSON_TRY(service, clientset.AppServices("default").Get("web"));
//
// and one over a factory of informers, in a header of its own, so that those who only want clients need no cache:
//
//   #include "api/v1alpha1/informers.h"
//
//   AppServiceInformer services = app_service::v1alpha1::Informers(factory).AppServices();
//   AppServiceLister lister = services.lister();
//
// The other genclient markers say which verbs a kind's client has, and which methods of subresources.
#pragma once

#include <string>

#include "keelson/codegen/code_model.h"

namespace keelson::codegen {

// The text of `clientset.h`; empty when no kind of the package is marked. `notice` is its first line.
std::string ClientsetText(const CodePackage& package, const std::string& notice, Diagnostics& problems);
// The text of `informers.h`; empty when no marked kind can be listed and watched.
std::string InformersText(const CodePackage& package, const std::string& notice);

}  // namespace keelson::codegen
