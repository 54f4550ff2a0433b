#include "keelson/apiserver/tables/printers.h"

#include "keelson/apiserver/tables/cells.h"

namespace keelson::apiserver {

const Printer* FindPrinter(const Type& type) {
  static const tables::Printers kPrinters = [] {
    tables::Printers printers;
    tables::AddCorePrinters(printers);
    tables::AddPodPrinters(printers);
    tables::AddWorkloadPrinters(printers);
    tables::AddNetworkPrinters(printers);
    tables::AddStoragePrinters(printers);
    tables::AddPolicyPrinters(printers);
    tables::AddExtensionPrinters(printers);
    return printers;
  }();
  const auto found = kPrinters.find(&type);
  return found == kPrinters.end() ? nullptr : &found->second;
}

List<Json> DefaultCells(const metav1::ObjectMeta& metadata) {
  return {metadata.name, metadata.creationTimestamp.ToString()};
}

}  // namespace keelson::apiserver
