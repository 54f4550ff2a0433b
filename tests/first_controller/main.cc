#include "greeting_reconciler.h"

int main(int argc, char** argv) {
  keelson::Manager manager = keelson::Manager::FromFlags(argc, argv).OrExit();
  hello::GreetingReconciler reconciler(manager.client(), manager.RecorderFor("greeting-controller"));
  hello::AddGreetingController(manager, reconciler).OrExit();
  return manager.Run();
}
