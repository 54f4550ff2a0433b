// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list,namespace=team-b
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=watch,namespace="team-b"
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list,namespace=team-a
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list
// +kubebuilder:rbac:groups="",namespace=team-a,roleName=secret-reader,resources=secrets,verbs=get
// +kubebuilder:rbac:groups="",roleName=node-reader,resources=nodes,verbs=get;list
// +kubebuilder:rbac:groups="",roleName=manager-role,resources=namespaces,verbs=get
// +kubebuilder:rbac:groups="",namespace=team-a,roleName="another",resources=pods,verbs=get

// Run runs.
void Run() {}
