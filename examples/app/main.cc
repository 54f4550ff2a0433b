// The operator as a program: app-operator --kubeconfig FILE (--help lists the other flags).
#include "app_controller.h"

int main(int argc, char** argv) {
  keelson::Manager manager = keelson::Manager::FromFlags(argc, argv).OrExit();
  app::AppReconciler reconciler(manager.client(), manager.RecorderFor("app-controller"));
  app::AddAppController(manager, reconciler).OrExit();
  return manager.Run();
}
