#include "keelson/controllers/pod_template_hash.h"

#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"

namespace keelson::controllers {
namespace {

struct RecordedHash {
  const char* json;
  const char* hash;
};

// What kube-controller-manager v1.36.3 makes of templates as its server sends them.
const RecordedHash kRecorded[] = {
    {R"({"metadata":{"labels":{"app":"web"}},"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30)"
     R"(,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","containers":[{"nam)"
     R"(e":"main","image":"nginx:1.14.2","resources":{},"terminationMessagePath":"/dev/termination-log","termina)"
     R"(tionMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}]}})",
     "c46c58887"},
    {R"({"metadata":{"labels":{"app":"web","tier":"front"},"annotations":{"kubectl.kubernetes.io/restartedAt":"2)"
     R"(026-01-02T03:04:05Z"}},"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":")"
     R"(ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","containers":[{"name":"main","ima)"
     R"(ge":"nginx:1.14.2","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePol)"
     R"(icy":"File","imagePullPolicy":"IfNotPresent","ports":[{"containerPort":80,"protocol":"TCP"}]}]}})",
     "645587ccf5"},
    {R"({"metadata":{"labels":{"app":"web"}},"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30)"
     R"(,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","containers":[{"nam)"
     R"(e":"main","image":"nginx:1.14.2","resources":{"requests":{"cpu":"500m","memory":"128Mi"},"limits":{"cpu")"
     R"(:"2","memory":"1Gi","example.com/gpu":"1"}},"terminationMessagePath":"/dev/termination-log","termination)"
     R"(MessagePolicy":"File","imagePullPolicy":"IfNotPresent"}]}})",
     "64d4897cd4"},
    {R"({"metadata":{"labels":{"app":"web"}},"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30)"
     R"(,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","containers":[{"nam)"
     R"(e":"main","image":"nginx:1.14.2","resources":{"requests":{"cpu":"100m","memory":"8Mi","a":"1e3","b":"0",)"
     R"("c":"1500","d":"1000","e":"100Ti","f":"2000000Gi","g":"1.125"}},"terminationMessagePath":"/dev/terminati)"
     R"(on-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}]}})",
     "56fb4b5c97"},
    {R"({"metadata":{"labels":{"app":"web"}},"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30)"
     R"(,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","containers":[{"nam)"
     R"(e":"main","image":"nginx:1.14.2","resources":{},"terminationMessagePath":"/dev/termination-log","termina)"
     R"(tionMessagePolicy":"File","imagePullPolicy":"IfNotPresent","livenessProbe":{"httpGet":{"path":"/healthz")"
     R"(,"port":"http","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThres)"
     R"(hold":3},"readinessProbe":{"tcpSocket":{"port":8080},"timeoutSeconds":1,"periodSeconds":10,"successThres)"
     R"(hold":1,"failureThreshold":3},"env":[{"name":"A","value":"b"},{"name":"P","valueFrom":{"fieldRef":{"apiV)"
     R"(ersion":"v1","fieldPath":"metadata.name"}}},{"name":"S","valueFrom":{"secretKeyRef":{"name":"s","key":"k)"
     R"(","optional":true}}}],"envFrom":[{"configMapRef":{"name":"c"}}],"command":["sh","-c"],"args":["a b"]}]}})",
     "5587cf6549"},
    {R"({"metadata":{"labels":{"app":"web"}},"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30)"
     R"(,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","containers":[{"nam)"
     R"(e":"main","image":"nginx:1.14.2","resources":{},"terminationMessagePath":"/dev/termination-log","termina)"
     R"(tionMessagePolicy":"File","imagePullPolicy":"IfNotPresent","volumeMounts":[{"name":"v","mountPath":"/v"})"
     R"(],"securityContext":{"capabilities":{"add":["NET_ADMIN"]},"runAsNonRoot":true,"runAsUser":1000}}],"initC)"
     R"(ontainers":[{"name":"side","image":"nginx:1.14.2","resources":{},"terminationMessagePath":"/dev/terminat)"
     R"(ion-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","restartPolicy":"Always"}],")"
     R"(volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}},{"name":"c","configMap":{"name":"cm","defaultMode")"
     R"(:420}},{"name":"p","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"toke)"
     R"(n"}}],"defaultMode":420}},{"name":"e","ephemeral":{"volumeClaimTemplate":{"metadata":{"labels":{"x":"y"})"
     R"(},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"10Gi"}},"volumeMode":"File)"
     R"(system"}}}}],"nodeSelector":{"disk":"ssd"},"serviceAccountName":"sa","serviceAccount":"sa","automountSer)"
     R"(viceAccountToken":false,"tolerations":[{"key":"k","operator":"Exists","effect":"NoSchedule"}],"affinity")"
     R"(:{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{)"
     R"("app":"web"},"matchExpressions":[{"key":"t","operator":"In","values":["a","b"]}]},"topologyKey":"kuberne)"
     R"(tes.io/hostname"}]}},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":)"
     R"("ScheduleAnyway"}],"hostAliases":[{"ip":"10.0.0.1","hostnames":["h"]}],"imagePullSecrets":[{"name":"pull)"
     R"("}]}})",
     "7cb4fb8bc4"},
};

TEST(PodTemplateHash, IsTheOneOfKubeControllerManager) {
  for (const RecordedHash& recorded : kRecorded) {
    const auto pod_template = FromJson<corev1::PodTemplateSpec>(recorded.json);
    ASSERT_TRUE(pod_template) << pod_template.error().message();
    EXPECT_EQ(PodTemplateHash(*pod_template, {}), recorded.hash) << internal::GoTextOf(*pod_template);
  }
}

TEST(PodTemplateHash, CollisionsChangeIt) {
  const corev1::PodTemplateSpec pod_template = *FromJson<corev1::PodTemplateSpec>(kRecorded[0].json);
  EXPECT_NE(PodTemplateHash(pod_template, 1), kRecorded[0].hash);
  EXPECT_NE(PodTemplateHash(pod_template, 1), PodTemplateHash(pod_template, 2));
  // No count and a count of none are different texts, as they are there.
  EXPECT_NE(PodTemplateHash(pod_template, 0), kRecorded[0].hash);
}

}  // namespace
}  // namespace keelson::controllers
