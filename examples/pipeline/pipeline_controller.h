// Keeps the parts of every Pipeline: a PersistentVolume and a claim for its models, a Deployment and a Service for each
// of its steps. What they are stands in pipeline_parts.h, what is said of them in pipeline_status.h.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/v1beta1/generated.h"
#include "keelson/runtime/builder.h"
#include "keelson/runtime/finalizer_registry.h"
#include "pipeline_status.h"

namespace pipeline {

inline constexpr std::string_view kFinalizer = "distri-infer.ndsl.cn/cleanup";

class PipelineReconciler {
 public:
  // The client outlives it.
  PipelineReconciler(const keelson::ObjectClient& client, keelson::EventRecorder events);

  keelson::Result<keelson::Outcome> Reconcile(keelson::Context& context, const keelson::Request& request);

 private:
  // Makes the parts as they should be and gives them as they are.
  keelson::Result<Observed> Sync(const v1beta1::Pipeline& pipeline) const;
  keelson::Result<void> EnsureNamespace() const;
  // Nothing where neither the claim nor the volume is being deleted.
  keelson::Result<std::optional<Observed>> EndingStorage(const v1beta1::Pipeline& pipeline) const;
  keelson::Result<std::set<std::string>> Locations() const;
  // Writes the status where it differs from before, and tells of it.
  keelson::Result<void> Report(const v1beta1::Pipeline& pipeline, v1beta1::PipelineStatus status) const;

  // What owner references cannot do: they delete all parts at once, this one after another, so that no step that still
  // answers loses its models; and the Pipeline stays until it is done.
  keelson::Result<keelson::Outcome> CleanUp(v1beta1::Pipeline& pipeline) const;
  // Deletes what is to go next: the steps, then the claim, then the volume. True when nothing is left.
  keelson::Result<bool> TakeDown(const v1beta1::Pipeline& pipeline) const;
  // Of steps whose model is not among those to keep. The number that is still there.
  template <class Part>
  keelson::Result<size_t> DeleteSteps(const v1beta1::Pipeline& pipeline, const std::set<std::string>& keep) const;

  // Made, for a Pipeline that lives, or mended by a function of pipeline_parts.h. What is not the Pipeline's stays as
  // it is.
  template <class Part, class Fill>
  keelson::Result<Part> Ensure(const v1beta1::Pipeline& pipeline, const keelson::ObjectKey& key, Fill fill) const;
  // True when there is none that is the Pipeline's.
  template <class Part>
  keelson::Result<bool> Delete(const v1beta1::Pipeline& pipeline, const keelson::ObjectKey& key) const;

  const keelson::ObjectClient& client_;
  const keelson::EventRecorder events_;
  keelson::FinalizerRegistry<v1beta1::Pipeline> finalizers_;
};

// Has the manager run it. The reconciler outlives the manager's Run.
keelson::Result<void> AddPipelineController(keelson::Manager& manager, PipelineReconciler& reconciler);

}  // namespace pipeline
