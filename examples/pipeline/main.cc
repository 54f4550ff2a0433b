// The operator as a program: pipeline-operator --kubeconfig FILE (--help lists the other flags).
#include "pipeline_controller.h"

int main(int argc, char** argv) {
  keelson::Manager manager = keelson::Manager::FromFlags(argc, argv).OrExit();
  pipeline::PipelineReconciler reconciler(manager.client(), manager.RecorderFor("pipeline-controller"));
  pipeline::AddPipelineController(manager, reconciler).OrExit();
  return manager.Run();
}
