// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;get
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=watch;watch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=watch;list;get
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list
// +kubebuilder:rbac:groups=other.example.com,resources=jobs,verbs=list;get
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get
// +kubebuilder:rbac:groups=core,resources=secrets,verbs=list
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=one,verbs=delete
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=two,verbs=delete
// +kubebuilder:rbac:groups="",resources=configmaps,resourceNames=one,verbs=delete
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=b;a;b,verbs=patch
// +kubebuilder:rbac:urls=/metrics,verbs=get
// +kubebuilder:rbac:urls=/logs,verbs=get
// +kubebuilder:rbac:urls=/metrics,verbs=post
// +kubebuilder:rbac:groups=z.example.com;a.example.com,resources=things;stuff,verbs=update;create
// +kubebuilder:rbac:groups=a.example.com,resources=stuff,verbs=create;update
// +kubebuilder:rbac:groups=apps,resources=daemonsets,verbs=*
// +kubebuilder:rbac:groups=apps,resources=daemonsets,verbs=get
// +kubebuilder:rbac:groups=apps,resources=replicasets,verbs=get;*

// Run runs.
void Run() {}
