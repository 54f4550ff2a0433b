// Package forms writes rules in every form.
package forms

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=apps,resources=deployments/status,verbs=get
//+kubebuilder:rbac:groups="",resources=pods,verbs=get;list
// +kubebuilder:rbac:groups=core,resources=services;endpoints,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,resourceNames=settings;"other-settings",verbs={get,update}
// +kubebuilder:rbac:groups=batch;extensions,resources={jobs,"cronjobs"},verbs="get";"list"
// +kubebuilder:rbac:urls=/metrics;/healthz,verbs=get
// +kubebuilder:rbac:urls="/debug/*",verbs=get;post
// +kubebuilder:rbac:groups=example.com,resources=*,verbs=*
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=list;*;get
// +kubebuilder:rbac:verbs=impersonate,groups="",resources=users;groups;serviceaccounts
// +kubebuilder:rbac:groups=*,resources=widgets/finalizers,verbs=update

// Reconcile does the work.
func Reconcile() {
}

// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update

// Elect chooses a leader.
func Elect() {
	run := func() {}
	run()
}

// Reconciler reconciles.
type Reconciler struct {
}

// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
