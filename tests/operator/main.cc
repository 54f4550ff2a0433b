// The operator as a program: mirror-operator --kubeconfig FILE [--leader-elect].
#include "mirror_reconciler.h"

int main(int argc, char** argv) {
  using namespace keelson;
  Manager manager = Manager::FromFlags(argc, argv).OrExit();
  mirror::MirrorReconciler reconciler(manager.client(), manager.live(), manager.RecorderFor("mirror-controller"));
  mirror::AddMirrorController(manager, reconciler, 4).OrExit();
  return manager.Run();
}
