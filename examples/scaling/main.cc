// The operator as a program: scaling-operator --kubeconfig FILE [--metrics-file FILE | --metrics-url URL] [-v=2].
#include "keelson/runtime/program_flags.h"
#include "scaling_controller.h"

int main(int argc, char** argv) {
  using namespace keelson;
  using namespace std::chrono_literals;
  std::string file;
  std::string url;
  ProgramFlags()
      .Add("metrics-file", &file, "read metrics from this file, {\"namespace/deployment\": {\"cpu\": 85}}")
      .Add("metrics-url", &url, "read such a document from this URL; without either: metrics.k8s.io")
      .Take(argc, argv)
      .OrExit();
  // The metric is read again with every resync, or as --resync says.
  Manager manager = Manager::FromFlags(argc, argv, {.cluster = {.cache = {.resync = 30s}}}).OrExit();
  const std::unique_ptr<scaling::MetricsSource> metrics = !file.empty()  ? scaling::MetricsFromFile(file)
                                                          : !url.empty() ? scaling::MetricsFromUrl(url).OrExit()
                                                                         : scaling::MetricsFromCluster(manager.live());
  scaling::ScalingReconciler reconciler(manager.client(), manager.RecorderFor("scaling-controller"), *metrics);
  scaling::AddScalingController(manager, reconciler).OrExit();
  return manager.Run();
}
