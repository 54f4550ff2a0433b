#include "bench/pods.h"

#include <fmt/format.h>

#include <string>

#include "keelson/core/random.h"

namespace keelson::bench {

namespace {

constexpr size_t kNodes = 2000;
constexpr int64_t kSomeDay = 1767225600;  // 2026-01-01T00:00:00Z

std::string Hex(Random& random, size_t digits) {
  std::string text;
  while (text.size() < digits) text += "0123456789abcdef"[random.Uniform(0, 15)];
  return text;
}

std::string Uid(Random& random) {
  return Hex(random, 8) + "-" + Hex(random, 4) + "-4" + Hex(random, 3) + "-a" + Hex(random, 3) + "-" + Hex(random, 12);
}

// What all Pods of one Deployment have in common.
struct Deployment {
  explicit Deployment(size_t number) : random(number * 7919 + 1) {
    name = fmt::format("service-{:04}", number);
    name_space = fmt::format("team-{:02}", number % 40);
    hash = random.Suffix(10);
    replica_set_uid = Uid(random);
    config_checksum = Hex(random, 64);
    image = fmt::format("registry.example.com/{}/{}:v1.{}.{}", name_space, name, number % 90, number % 13);
    image_digest = Hex(random, 64);
    port = 8000 + static_cast<int32_t>(number % 1000);
    created = kSomeDay + static_cast<int64_t>(number) * 3607;
  }

  Random random;
  std::string name, name_space, hash, replica_set_uid, config_checksum, image, image_digest;
  int32_t port;
  int64_t created;
};

metav1::Time At(int64_t seconds) { return metav1::Time::FromUnix(seconds); }

constexpr const char* kSidecarImage = "registry.example.com/platform/envoy:v1.31.2";
constexpr const char* kSidecarDigest = "6f1e4f3b7c5d2a9880cb1ad4e2f09c6bb9d1f7a63c58ee417f0d94b2a8c3e571";

// The set of fields that the ReplicaSet controller wrote.
std::string ControllerFields(const Deployment& deployment) {
  constexpr const char* kApp =
      R"("k:{\"name\":\"app\"}":{".":{},"f:args":{},"f:env":{".":{},"k:{\"name\":\"LOG_LEVEL\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"POD_IP\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},"f:fieldRef":{}}}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":9090,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}})";
  constexpr const char* kProxy =
      R"("k:{\"name\":\"proxy\"}":{".":{},"f:args":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}})";
  return fmt::format(
      R"({{"f:metadata":{{"f:annotations":{{".":{{}},"f:checksum/config":{{}},"f:prometheus.io/scrape":{{}}}},"f:generateName":{{}},"f:labels":{{".":{{}},"f:app.kubernetes.io/name":{{}},"f:pod-template-hash":{{}},"f:team":{{}}}},"f:ownerReferences":{{".":{{}},"k:{{\"uid\":\"{}\"}}":{{}}}}}},"f:spec":{{"f:affinity":{{}},"f:containers":{{{},{}}},"f:dnsPolicy":{{}},"f:enableServiceLinks":{{}},"f:nodeSelector":{{}},"f:restartPolicy":{{}},"f:schedulerName":{{}},"f:securityContext":{{}},"f:serviceAccount":{{}},"f:serviceAccountName":{{}},"f:terminationGracePeriodSeconds":{{}},"f:volumes":{{".":{{}},"k:{{\"name\":\"config\"}}":{{".":{{}},"f:configMap":{{".":{{}},"f:defaultMode":{{}},"f:name":{{}}}},"f:name":{{}}}}}}}}}})",
      deployment.replica_set_uid, kApp, kProxy);
}

// The set of fields that the kubelet wrote; the Pod's address is in it.
std::string KubeletFields(const std::string& pod_ip, const std::string& host_ip) {
  std::string conditions;
  for (const char* type : {"ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"}) {
    conditions += fmt::format(
        R"(,"k:{{\"type\":\"{}\"}}":{{".":{{}},"f:lastProbeTime":{{}},"f:lastTransitionTime":{{}},"f:observedGeneration":{{}},"f:status":{{}},"f:type":{{}}}})",
        type);
  }
  return fmt::format(
      R"({{"f:status":{{"f:conditions":{{".":{{}},"k:{{\"type\":\"PodScheduled\"}}":{{"f:observedGeneration":{{}}}}{}}},"f:containerStatuses":{{}},"f:hostIP":{{}},"f:hostIPs":{{".":{{}},"k:{{\"ip\":\"{}\"}}":{{".":{{}},"f:ip":{{}}}}}},"f:observedGeneration":{{}},"f:phase":{{}},"f:podIP":{{}},"f:podIPs":{{".":{{}},"k:{{\"ip\":\"{}\"}}":{{".":{{}},"f:ip":{{}}}}}},"f:startTime":{{}}}}}})",
      conditions, host_ip, pod_ip);
}

corev1::Probe HttpProbe(const char* path, const char* port, int32_t period) {
  return {.httpGet = corev1::HTTPGetAction{.path = path, .port = port, .scheme = "HTTP"},
          .timeoutSeconds = 2,
          .periodSeconds = period,
          .successThreshold = 1,
          .failureThreshold = 3};
}

List<corev1::VolumeMount> Mounts(const std::string& token_volume) {
  return {{.name = "config", .readOnly = true, .mountPath = "/etc/config"},
          {.name = token_volume, .readOnly = true, .mountPath = "/var/run/secrets/kubernetes.io/serviceaccount"}};
}

corev1::EnvVar FieldVar(const char* name, const char* path) {
  return {.name = name,
          .valueFrom =
              corev1::EnvVarSource{.fieldRef = corev1::ObjectFieldSelector{.apiVersion = "v1", .fieldPath = path}}};
}

corev1::Container AppContainer(const Deployment& deployment, const std::string& token_volume) {
  return {
      .name = "app",
      .image = deployment.image,
      .args = {"--config=/etc/config/service.yaml", fmt::format("--listen=:{}", deployment.port)},
      .ports = {{.name = "http", .containerPort = deployment.port, .protocol = "TCP"},
                {.name = "metrics", .containerPort = 9090, .protocol = "TCP"}},
      .env = {FieldVar("POD_IP", "status.podIP"),
              FieldVar("POD_NAME", "metadata.name"),
              {.name = "LOG_LEVEL", .value = "info"},
              {.name = "SERVICE_NAME", .value = deployment.name},
              {.name = "DATABASE_PASSWORD",
               .valueFrom =
                   corev1::EnvVarSource{.secretKeyRef = corev1::SecretKeySelector{.name = deployment.name + "-database",
                                                                                  .key = "password"}}}},
      .resources = {.limits = {{"memory", "512Mi"}}, .requests = {{"cpu", "250m"}, {"memory", "256Mi"}}},
      .volumeMounts = Mounts(token_volume),
      .livenessProbe = HttpProbe("/healthz", "http", 10),
      .readinessProbe = HttpProbe("/ready", "http", 5),
      .terminationMessagePath = "/dev/termination-log",
      .terminationMessagePolicy = "File",
      .imagePullPolicy = "IfNotPresent",
      .securityContext = corev1::SecurityContext{.capabilities = corev1::Capabilities{.drop = {"ALL"}},
                                                 .readOnlyRootFilesystem = true,
                                                 .allowPrivilegeEscalation = false},
  };
}

corev1::Container ProxyContainer(const std::string& token_volume) {
  return {
      .name = "proxy",
      .image = kSidecarImage,
      .args = {"--mode", "sidecar", "--admin-port", "15000"},
      .ports = {{.name = "proxy-metrics", .containerPort = 15090, .protocol = "TCP"}},
      .env = {FieldVar("POD_IP", "status.podIP"), FieldVar("NODE_NAME", "spec.nodeName")},
      .resources = {.limits = {{"memory", "128Mi"}}, .requests = {{"cpu", "50m"}, {"memory", "64Mi"}}},
      .volumeMounts = Mounts(token_volume),
      .livenessProbe = HttpProbe("/live", "proxy-metrics", 15),
      .terminationMessagePath = "/dev/termination-log",
      .terminationMessagePolicy = "File",
      .imagePullPolicy = "IfNotPresent",
      .securityContext = corev1::SecurityContext{.allowPrivilegeEscalation = false},
  };
}

List<corev1::Volume> Volumes(const Deployment& deployment, const std::string& token_volume) {
  return {
      {.name = "config",
       .configMap = corev1::ConfigMapVolumeSource{.name = deployment.name + "-config", .defaultMode = 420}},
      {.name = token_volume,
       .projected =
           corev1::ProjectedVolumeSource{
               .sources = {{.serviceAccountToken =
                                corev1::ServiceAccountTokenProjection{.expirationSeconds = 3607, .path = "token"}},
                           {.configMap = corev1::ConfigMapProjection{.name = "kube-root-ca.crt",
                                                                     .items = {{.key = "ca.crt", .path = "ca.crt"}}}},
                           {.downwardAPI =
                                corev1::DownwardAPIProjection{
                                    .items = {{.path = "namespace",
                                               .fieldRef =
                                                   corev1::ObjectFieldSelector{.apiVersion = "v1",
                                                                               .fieldPath = "metadata.namespace"}}}}}},
               .defaultMode = 420}},
  };
}

corev1::ContainerStatus Running(Random& random, const char* name, const std::string& image, const std::string& digest,
                                int64_t started) {
  return {.name = name,
          .state = {.running = corev1::ContainerStateRunning{.startedAt = At(started)}},
          .ready = true,
          .restartCount = 0,
          .image = image,
          .imageID = image.substr(0, image.rfind(':')) + "@sha256:" + digest,
          .containerID = "containerd://" + Hex(random, 64),
          .started = true,
          .resources = corev1::ResourceRequirements{.limits = {{"memory", "512Mi"}},
                                                    .requests = {{"cpu", "250m"}, {"memory", "256Mi"}}}};
}

corev1::PodCondition Condition(const char* type, int64_t since) {
  return {.type = type, .observedGeneration = 1, .status = "True", .lastTransitionTime = At(since)};
}

}  // namespace

corev1::Pod MakePod(size_t number) {
  Deployment deployment(number / kReplicas);
  Random random(number + 1);
  const std::string pod_name = fmt::format("{}-{}-{}", deployment.name, deployment.hash, random.Suffix(5));
  const std::string token_volume = "kube-api-access-" + random.Suffix(5);
  const size_t node = random.Uniform(size_t{0}, kNodes - 1);
  const std::string host_ip = fmt::format("10.0.{}.{}", node / 250, node % 250 + 1);
  const std::string pod_ip = fmt::format("10.{}.{}.{}", 64 + number / 65536, number / 256 % 256, number % 256);
  const int64_t created = deployment.created + random.Uniform(int64_t{0}, int64_t{199999});
  const int64_t started = created + 2 + random.Uniform(int64_t{0}, int64_t{19});

  return {
      .metadata = {.name = pod_name,
                   .generateName = deployment.name + "-" + deployment.hash + "-",
                   .namespace_ = deployment.name_space,
                   .uid = Uid(random),
                   .resourceVersion = std::to_string(81234567 + number * 13),
                   .generation = 1,
                   .creationTimestamp = At(created),
                   .labels = {{"app.kubernetes.io/component", "server"},
                              {"app.kubernetes.io/instance", deployment.name},
                              {"app.kubernetes.io/name", deployment.name},
                              {"pod-template-hash", deployment.hash},
                              {"team", deployment.name_space}},
                   .annotations = {{"checksum/config", deployment.config_checksum},
                                   {"prometheus.io/port", "9090"},
                                   {"prometheus.io/scrape", "true"}},
                   .ownerReferences = {{.apiVersion = "apps/v1",
                                        .kind = "ReplicaSet",
                                        .name = deployment.name + "-" + deployment.hash,
                                        .uid = deployment.replica_set_uid,
                                        .controller = true,
                                        .blockOwnerDeletion = true}},
                   .managedFields = {{.manager = "kube-controller-manager",
                                      .operation = "Update",
                                      .apiVersion = "v1",
                                      .time = At(created),
                                      .fieldsType = "FieldsV1",
                                      .fieldsV1 = FieldsV1(ControllerFields(deployment))},
                                     {.manager = "kubelet",
                                      .operation = "Update",
                                      .apiVersion = "v1",
                                      .time = At(started + 9),
                                      .fieldsType = "FieldsV1",
                                      .fieldsV1 = FieldsV1(KubeletFields(pod_ip, host_ip)),
                                      .subresource = "status"}}},
      .spec = {.volumes = Volumes(deployment, token_volume),
               .containers = {AppContainer(deployment, token_volume), ProxyContainer(token_volume)},
               .restartPolicy = "Always",
               .terminationGracePeriodSeconds = 30,
               .dnsPolicy = "ClusterFirst",
               .nodeSelector = {{"kubernetes.io/arch", "amd64"}},
               .serviceAccountName = deployment.name,
               .serviceAccount = deployment.name,
               .nodeName = fmt::format("node-{:04}.example.com", node),
               .securityContext = corev1::PodSecurityContext{.runAsNonRoot = true, .fsGroup = 65532},
               .affinity =
                   corev1::Affinity{.podAntiAffinity =
                                        corev1::PodAntiAffinity{
                                            .preferredDuringSchedulingIgnoredDuringExecution =
                                                {{.weight = 100,
                                                  .podAffinityTerm = {.labelSelector = metav1::LabelSelector{.matchLabels = {{"app.kubernetes.io/name",
                                                                                                                              deployment
                                                                                                                                  .name}}},
                                                                      .topologyKey = "kubernetes.io/hostname"}}}}},
               .schedulerName = "default-scheduler",
               .tolerations = {{.key = "node.kubernetes.io/not-ready",
                                .operator_ = "Exists",
                                .effect = "NoExecute",
                                .tolerationSeconds = 300},
                               {.key = "node.kubernetes.io/unreachable",
                                .operator_ = "Exists",
                                .effect = "NoExecute",
                                .tolerationSeconds = 300}},
               .priority = 0,
               .enableServiceLinks = true,
               .preemptionPolicy = "PreemptLowerPriority"},
      .status = {.observedGeneration = 1,
                 .phase = "Running",
                 .conditions = {Condition("PodReadyToStartContainers", started + 1), Condition("Initialized", created),
                                Condition("Ready", started + 9), Condition("ContainersReady", started + 9),
                                Condition("PodScheduled", created)},
                 .hostIP = host_ip,
                 .hostIPs = {{.ip = host_ip}},
                 .podIP = pod_ip,
                 .podIPs = {{.ip = pod_ip}},
                 .startTime = At(created),
                 .containerStatuses = {Running(random, "app", deployment.image, deployment.image_digest, started),
                                       Running(random, "proxy", kSidecarImage, kSidecarDigest, started + 1)},
                 .qosClass = "Burstable"},
  };
}

}  // namespace keelson::bench
