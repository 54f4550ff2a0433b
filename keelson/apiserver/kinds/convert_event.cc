#include "keelson/apiserver/kinds/convert_event.h"

namespace keelson::apiserver {

corev1::Event ToCoreEvent(const eventsv1::Event& event) {
  corev1::Event core;
  core.metadata = event.metadata;
  core.involvedObject = event.regarding;
  core.reason = event.reason;
  core.message = event.note;
  core.source = event.deprecatedSource;
  core.firstTimestamp = event.deprecatedFirstTimestamp;
  core.lastTimestamp = event.deprecatedLastTimestamp;
  core.count = event.deprecatedCount;
  core.type = event.type;
  core.eventTime = event.eventTime;
  if (event.series) {
    core.series = corev1::EventSeries{.count = event.series->count, .lastObservedTime = event.series->lastObservedTime};
  }
  core.action = event.action;
  core.related = event.related;
  core.reportingComponent = event.reportingController;
  core.reportingInstance = event.reportingInstance;
  return core;
}

eventsv1::Event ToEventsEvent(const corev1::Event& event) {
  eventsv1::Event converted;
  converted.metadata = event.metadata;
  converted.regarding = event.involvedObject;
  converted.reason = event.reason;
  converted.note = event.message;
  converted.deprecatedSource = event.source;
  converted.deprecatedFirstTimestamp = event.firstTimestamp;
  converted.deprecatedLastTimestamp = event.lastTimestamp;
  converted.deprecatedCount = event.count;
  converted.type = event.type;
  converted.eventTime = event.eventTime;
  if (event.series) {
    converted.series =
        eventsv1::EventSeries{.count = event.series->count, .lastObservedTime = event.series->lastObservedTime};
  }
  converted.action = event.action;
  converted.related = event.related;
  converted.reportingController = event.reportingComponent;
  converted.reportingInstance = event.reportingInstance;
  return converted;
}

}  // namespace keelson::apiserver
