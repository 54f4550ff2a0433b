// count-operator --kubeconfig FILE [-v=2]: it may be started before Counts are defined.
#include "count_controller.h"
#include "keelson/runtime/manager.h"

// For --leader-elect:
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update

int main(int argc, char** argv) {
  using namespace keelson;
  Manager manager = Manager::FromFlags(argc, argv).OrExit();
  count::CountController controller(manager.cache(), manager.live(), manager.RecorderFor("count-controller"));
  manager.AddReadyCheck("counts", [&] { return controller.CheckSynced(); }).OrExit();
  manager.Add("count controller", [&](const RunScope& scope) { return controller.Run(2, scope); }).OrExit();
  return manager.Run();
}
