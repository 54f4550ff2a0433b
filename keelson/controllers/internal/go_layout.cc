// Read off the types of k8s.io/api v0.36.3 and k8s.io/apimachinery v0.36.3 by reflection: all that a
// core/v1.PodTemplateSpec holds.
#include "keelson/controllers/internal/go_layout.h"

#include <algorithm>
#include <iterator>

namespace keelson::controllers::internal {

namespace {

struct GoStruct {
  std::string_view name;
  std::string_view fields;
};

// Sorted by name.
// clang-format off
constexpr GoStruct kStructs[] = {
    {"v1.AWSElasticBlockStoreVolumeSource", "string,FSType=string,int32,bool"},
    {"v1.Affinity", "*v1.NodeAffinity,*v1.PodAffinity,*v1.PodAntiAffinity"},
    {"v1.AppArmorProfile", "v1.AppArmorProfileType,*string"},
    {"v1.AzureDiskVolumeSource", "string,DataDiskURI=string,*v1.AzureDataDiskCachingMode,FSType=*string,*bool,"
     "*v1.AzureDataDiskKind"},
    {"v1.AzureFileVolumeSource", "string,string,bool"},
    {"v1.CSIVolumeSource", "string,*bool,FSType=*string,map[string]string,*v1.LocalObjectReference"},
    {"v1.Capabilities", "[]v1.Capability,[]v1.Capability"},
    {"v1.CephFSVolumeSource", "[]string,string,string,string,*v1.LocalObjectReference,bool"},
    {"v1.CinderVolumeSource", "string,FSType=string,bool,*v1.LocalObjectReference"},
    {"v1.ClusterTrustBundleProjection", "*string,*string,*v1.LabelSelector,*bool,string"},
    {"v1.ConfigMapEnvSource", "+v1.LocalObjectReference,*bool"},
    {"v1.ConfigMapKeySelector", "+v1.LocalObjectReference,string,*bool"},
    {"v1.ConfigMapProjection", "+v1.LocalObjectReference,[]v1.KeyToPath,*bool"},
    {"v1.ConfigMapVolumeSource", "+v1.LocalObjectReference,[]v1.KeyToPath,*int32,*bool"},
    {"v1.Container", "string,string,[]string,[]string,string,[]v1.ContainerPort,[]v1.EnvFromSource,[]v1.EnvVar,"
     "v1.ResourceRequirements,[]v1.ContainerResizePolicy,*v1.ContainerRestartPolicy,[]v1.ContainerRestartRule,"
     "[]v1.VolumeMount,[]v1.VolumeDevice,*v1.Probe,*v1.Probe,*v1.Probe,*v1.Lifecycle,string,"
     "v1.TerminationMessagePolicy,v1.PullPolicy,*v1.SecurityContext,bool,bool,TTY=bool"},
    {"v1.ContainerPort", "string,int32,int32,v1.Protocol,string"},
    {"v1.ContainerResizePolicy", "v1.ResourceName,v1.ResourceResizeRestartPolicy"},
    {"v1.ContainerRestartRule", "v1.ContainerRestartRuleAction,*v1.ContainerRestartRuleOnExitCodes"},
    {"v1.ContainerRestartRuleOnExitCodes", "v1.ContainerRestartRuleOnExitCodesOperator,[]int32"},
    {"v1.DownwardAPIProjection", "[]v1.DownwardAPIVolumeFile"},
    {"v1.DownwardAPIVolumeFile", "string,*v1.ObjectFieldSelector,*v1.ResourceFieldSelector,*int32"},
    {"v1.DownwardAPIVolumeSource", "[]v1.DownwardAPIVolumeFile,*int32"},
    {"v1.EmptyDirVolumeSource", "v1.StorageMedium,*resource.Quantity"},
    {"v1.EnvFromSource", "string,*v1.ConfigMapEnvSource,*v1.SecretEnvSource"},
    {"v1.EnvVar", "string,string,*v1.EnvVarSource"},
    {"v1.EnvVarSource", "*v1.ObjectFieldSelector,*v1.ResourceFieldSelector,*v1.ConfigMapKeySelector,"
     "*v1.SecretKeySelector,*v1.FileKeySelector"},
    {"v1.EphemeralContainer", "+v1.EphemeralContainerCommon,string"},
    {"v1.EphemeralContainerCommon", "string,string,[]string,[]string,string,[]v1.ContainerPort,[]v1.EnvFromSource,"
     "[]v1.EnvVar,v1.ResourceRequirements,[]v1.ContainerResizePolicy,*v1.ContainerRestartPolicy,"
     "[]v1.ContainerRestartRule,[]v1.VolumeMount,[]v1.VolumeDevice,*v1.Probe,*v1.Probe,*v1.Probe,*v1.Lifecycle,"
     "string,v1.TerminationMessagePolicy,v1.PullPolicy,*v1.SecurityContext,bool,bool,TTY=bool"},
    {"v1.EphemeralVolumeSource", "*v1.PersistentVolumeClaimTemplate"},
    {"v1.ExecAction", "[]string"},
    {"v1.FCVolumeSource", "[]string,*int32,FSType=string,bool,WWIDs=[]string"},
    {"v1.FileKeySelector", "string,string,string,*bool"},
    {"v1.FlexVolumeSource", "string,FSType=string,*v1.LocalObjectReference,bool,map[string]string"},
    {"v1.FlockerVolumeSource", "string,string"},
    {"v1.GCEPersistentDiskVolumeSource", "PDName=string,FSType=string,int32,bool"},
    {"v1.GRPCAction", "int32,*string"},
    {"v1.GitRepoVolumeSource", "string,string,string"},
    {"v1.GlusterfsVolumeSource", "EndpointsName=string,string,bool"},
    {"v1.HTTPGetAction", "string,intstr.IntOrString,string,v1.URIScheme,HTTPHeaders=[]v1.HTTPHeader"},
    {"v1.HTTPHeader", "string,string"},
    {"v1.HostAlias", "IP=string,[]string"},
    {"v1.HostPathVolumeSource", "string,*v1.HostPathType"},
    {"v1.ISCSIVolumeSource", "string,IQN=string,int32,ISCSIInterface=string,FSType=string,bool,[]string,"
     "DiscoveryCHAPAuth=bool,SessionCHAPAuth=bool,*v1.LocalObjectReference,*string"},
    {"v1.ImageVolumeSource", "string,v1.PullPolicy"},
    {"v1.KeyToPath", "string,string,*int32"},
    {"v1.LabelSelector", "map[string]string,[]v1.LabelSelectorRequirement"},
    {"v1.LabelSelectorRequirement", "string,v1.LabelSelectorOperator,[]string"},
    {"v1.Lifecycle", "*v1.LifecycleHandler,*v1.LifecycleHandler,*v1.Signal"},
    {"v1.LifecycleHandler", "*v1.ExecAction,HTTPGet=*v1.HTTPGetAction,TCPSocket=*v1.TCPSocketAction,*v1.SleepAction"},
    {"v1.LocalObjectReference", "string"},
    {"v1.ManagedFieldsEntry", "string,v1.ManagedFieldsOperationType,APIVersion=string,*v1.Time,string,*v1.FieldsV1,"
     "string"},
    {"v1.NFSVolumeSource", "string,string,bool"},
    {"v1.NodeAffinity", "*v1.NodeSelector,[]v1.PreferredSchedulingTerm"},
    {"v1.NodeSelector", "[]v1.NodeSelectorTerm"},
    {"v1.NodeSelectorRequirement", "string,v1.NodeSelectorOperator,[]string"},
    {"v1.NodeSelectorTerm", "[]v1.NodeSelectorRequirement,[]v1.NodeSelectorRequirement"},
    {"v1.ObjectFieldSelector", "APIVersion=string,string"},
    {"v1.ObjectMeta", "string,string,string,string,UID=types.UID,string,int64,v1.Time,*v1.Time,*int64,"
     "map[string]string,map[string]string,[]v1.OwnerReference,[]string,[]v1.ManagedFieldsEntry"},
    {"v1.OwnerReference", "APIVersion=string,string,string,UID=types.UID,*bool,*bool"},
    {"v1.PersistentVolumeClaimSpec", "[]v1.PersistentVolumeAccessMode,*v1.LabelSelector,"
     "v1.VolumeResourceRequirements,string,*string,*v1.PersistentVolumeMode,*v1.TypedLocalObjectReference,"
     "*v1.TypedObjectReference,*string"},
    {"v1.PersistentVolumeClaimTemplate", "ObjectMeta=v1.ObjectMeta,v1.PersistentVolumeClaimSpec"},
    {"v1.PersistentVolumeClaimVolumeSource", "string,bool"},
    {"v1.PhotonPersistentDiskVolumeSource", "string,FSType=string"},
    {"v1.PodAffinity", "[]v1.PodAffinityTerm,[]v1.WeightedPodAffinityTerm"},
    {"v1.PodAffinityTerm", "*v1.LabelSelector,[]string,string,*v1.LabelSelector,[]string,[]string"},
    {"v1.PodAntiAffinity", "[]v1.PodAffinityTerm,[]v1.WeightedPodAffinityTerm"},
    {"v1.PodCertificateProjection", "string,string,*int32,string,string,string,map[string]string"},
    {"v1.PodDNSConfig", "[]string,[]string,[]v1.PodDNSConfigOption"},
    {"v1.PodDNSConfigOption", "string,*string"},
    {"v1.PodOS", "v1.OSName"},
    {"v1.PodReadinessGate", "v1.PodConditionType"},
    {"v1.PodResourceClaim", "string,*string,*string"},
    {"v1.PodSchedulingGate", "string"},
    {"v1.PodSchedulingGroup", "*string"},
    {"v1.PodSecurityContext", "SELinuxOptions=*v1.SELinuxOptions,*v1.WindowsSecurityContextOptions,*int64,*int64,"
     "*bool,[]int64,*v1.SupplementalGroupsPolicy,FSGroup=*int64,[]v1.Sysctl,"
     "FSGroupChangePolicy=*v1.PodFSGroupChangePolicy,*v1.SeccompProfile,*v1.AppArmorProfile,"
     "SELinuxChangePolicy=*v1.PodSELinuxChangePolicy"},
    {"v1.PodSpec", "[]v1.Volume,[]v1.Container,[]v1.Container,[]v1.EphemeralContainer,v1.RestartPolicy,*int64,"
     "*int64,DNSPolicy=v1.DNSPolicy,map[string]string,string,DeprecatedServiceAccount=string,*bool,string,bool,"
     "bool,bool,*bool,*v1.PodSecurityContext,[]v1.LocalObjectReference,string,string,*v1.Affinity,string,"
     "[]v1.Toleration,[]v1.HostAlias,string,*int32,DNSConfig=*v1.PodDNSConfig,[]v1.PodReadinessGate,*string,*bool,"
     "*v1.PreemptionPolicy,v1.ResourceList,[]v1.TopologySpreadConstraint,*bool,OS=*v1.PodOS,*bool,"
     "[]v1.PodSchedulingGate,[]v1.PodResourceClaim,*v1.ResourceRequirements,*string,*v1.PodSchedulingGroup"},
    {"v1.PodTemplateSpec", "ObjectMeta=v1.ObjectMeta,v1.PodSpec"},
    {"v1.PortworxVolumeSource", "string,FSType=string,bool"},
    {"v1.PreferredSchedulingTerm", "int32,v1.NodeSelectorTerm"},
    {"v1.Probe", "+v1.ProbeHandler,int32,int32,int32,int32,int32,*int64"},
    {"v1.ProbeHandler", "*v1.ExecAction,HTTPGet=*v1.HTTPGetAction,TCPSocket=*v1.TCPSocketAction,GRPC=*v1.GRPCAction"},
    {"v1.ProjectedVolumeSource", "[]v1.VolumeProjection,*int32"},
    {"v1.QuobyteVolumeSource", "string,string,bool,string,string,string"},
    {"v1.RBDVolumeSource", "CephMonitors=[]string,RBDImage=string,FSType=string,RBDPool=string,RadosUser=string,"
     "string,*v1.LocalObjectReference,bool"},
    {"v1.ResourceClaim", "string,string"},
    {"v1.ResourceFieldSelector", "string,string,resource.Quantity"},
    {"v1.ResourceRequirements", "v1.ResourceList,v1.ResourceList,[]v1.ResourceClaim"},
    {"v1.SELinuxOptions", "string,string,string,string"},
    {"v1.ScaleIOVolumeSource", "string,string,*v1.LocalObjectReference,SSLEnabled=bool,string,string,string,string,"
     "FSType=string,bool"},
    {"v1.SeccompProfile", "v1.SeccompProfileType,*string"},
    {"v1.SecretEnvSource", "+v1.LocalObjectReference,*bool"},
    {"v1.SecretKeySelector", "+v1.LocalObjectReference,string,*bool"},
    {"v1.SecretProjection", "+v1.LocalObjectReference,[]v1.KeyToPath,*bool"},
    {"v1.SecretVolumeSource", "string,[]v1.KeyToPath,*int32,*bool"},
    {"v1.SecurityContext", "*v1.Capabilities,*bool,SELinuxOptions=*v1.SELinuxOptions,"
     "*v1.WindowsSecurityContextOptions,*int64,*int64,*bool,*bool,*bool,*v1.ProcMountType,*v1.SeccompProfile,"
     "*v1.AppArmorProfile"},
    {"v1.ServiceAccountTokenProjection", "string,*int64,string"},
    {"v1.SleepAction", "int64"},
    {"v1.StorageOSVolumeSource", "string,string,FSType=string,bool,*v1.LocalObjectReference"},
    {"v1.Sysctl", "string,string"},
    {"v1.TCPSocketAction", "intstr.IntOrString,string"},
    {"v1.Toleration", "string,v1.TolerationOperator,string,v1.TaintEffect,*int64"},
    {"v1.TopologySpreadConstraint", "int32,string,v1.UnsatisfiableConstraintAction,*v1.LabelSelector,*int32,"
     "*v1.NodeInclusionPolicy,*v1.NodeInclusionPolicy,[]string"},
    {"v1.TypedLocalObjectReference", "APIGroup=*string,string,string"},
    {"v1.TypedObjectReference", "APIGroup=*string,string,string,*string"},
    {"v1.Volume", "string,+v1.VolumeSource"},
    {"v1.VolumeDevice", "string,string"},
    {"v1.VolumeMount", "string,bool,*v1.RecursiveReadOnlyMode,string,string,*v1.MountPropagationMode,string"},
    {"v1.VolumeProjection", "*v1.SecretProjection,*v1.DownwardAPIProjection,*v1.ConfigMapProjection,"
     "*v1.ServiceAccountTokenProjection,*v1.ClusterTrustBundleProjection,*v1.PodCertificateProjection"},
    {"v1.VolumeResourceRequirements", "v1.ResourceList,v1.ResourceList"},
    {"v1.VolumeSource", "*v1.HostPathVolumeSource,*v1.EmptyDirVolumeSource,"
     "GCEPersistentDisk=*v1.GCEPersistentDiskVolumeSource,"
     "AWSElasticBlockStore=*v1.AWSElasticBlockStoreVolumeSource,*v1.GitRepoVolumeSource,*v1.SecretVolumeSource,"
     "NFS=*v1.NFSVolumeSource,ISCSI=*v1.ISCSIVolumeSource,*v1.GlusterfsVolumeSource,"
     "*v1.PersistentVolumeClaimVolumeSource,RBD=*v1.RBDVolumeSource,*v1.FlexVolumeSource,*v1.CinderVolumeSource,"
     "CephFS=*v1.CephFSVolumeSource,*v1.FlockerVolumeSource,*v1.DownwardAPIVolumeSource,FC=*v1.FCVolumeSource,"
     "*v1.AzureFileVolumeSource,*v1.ConfigMapVolumeSource,*v1.VsphereVirtualDiskVolumeSource,"
     "*v1.QuobyteVolumeSource,*v1.AzureDiskVolumeSource,*v1.PhotonPersistentDiskVolumeSource,"
     "*v1.ProjectedVolumeSource,*v1.PortworxVolumeSource,*v1.ScaleIOVolumeSource,"
     "StorageOS=*v1.StorageOSVolumeSource,CSI=*v1.CSIVolumeSource,*v1.EphemeralVolumeSource,*v1.ImageVolumeSource"},
    {"v1.VsphereVirtualDiskVolumeSource", "string,FSType=string,string,string"},
    {"v1.WeightedPodAffinityTerm", "int32,v1.PodAffinityTerm"},
    {"v1.WindowsSecurityContextOptions", "GMSACredentialSpecName=*string,GMSACredentialSpec=*string,*string,*bool"},
};
// clang-format on

static_assert(std::is_sorted(std::begin(kStructs), std::end(kStructs),
                             [](const GoStruct& a, const GoStruct& b) { return a.name < b.name; }));

}  // namespace

std::string_view GoFieldsOf(std::string_view go_type) {
  const auto* found = std::lower_bound(std::begin(kStructs), std::end(kStructs), go_type,
                                       [](const GoStruct& one, std::string_view name) { return one.name < name; });
  return found != std::end(kStructs) && found->name == go_type ? found->fields : std::string_view();
}

}  // namespace keelson::controllers::internal
