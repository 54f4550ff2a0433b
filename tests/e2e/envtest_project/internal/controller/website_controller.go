// Package controller makes what Websites ask for.
package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	webv1 "example.com/website-operator/api/v1"
)

// Hostnames are given to one Website at a time. The real thing would be a DNS provider.
type Hostnames interface {
	Claim(hostname, owner string) error
	GiveBack(hostname string)
}

// WebsiteReconciler keeps a ConfigMap with the pages and a Deployment for each Website.
type WebsiteReconciler struct {
	client.Client
	Scheme    *runtime.Scheme
	Hostnames Hostnames
}

// +kubebuilder:rbac:groups=web.example.com,resources=websites,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=web.example.com,resources=websites/status,verbs=update;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update

func (r *WebsiteReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var site webv1.Website
	if err := r.Get(ctx, request.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, &site)
	}
	if controllerutil.AddFinalizer(&site, webv1.Finalizer) {
		if err := r.Update(ctx, &site); err != nil {
			return ctrl.Result{}, err
		}
	}

	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Served", Message: "All is in place.",
		ObservedGeneration: site.Generation}
	if err := r.Hostnames.Claim(site.Spec.Hostname, request.String()); err != nil {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, "HostnameTaken", err.Error()
	} else {
		if err := r.pages(ctx, &site); err != nil {
			return ctrl.Result{}, err
		}
		if err := r.deployment(ctx, &site); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.report(ctx, &site, ready)
}

func (r *WebsiteReconciler) finalize(ctx context.Context, site *webv1.Website) error {
	if !controllerutil.ContainsFinalizer(site, webv1.Finalizer) {
		return nil
	}
	r.Hostnames.GiveBack(site.Spec.Hostname)
	controllerutil.RemoveFinalizer(site, webv1.Finalizer)
	return client.IgnoreNotFound(r.Update(ctx, site))
}

func labels(site *webv1.Website) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "website", "web.example.com/website": site.Name}
}

func (r *WebsiteReconciler) pages(ctx context.Context, site *webv1.Website) error {
	pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: site.Name + "-pages", Namespace: site.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, pages, func() error {
		pages.Labels = labels(site)
		pages.Data = site.Spec.Pages
		return controllerutil.SetControllerReference(site, pages, r.Scheme)
	})
	return err
}

func (r *WebsiteReconciler) deployment(ctx context.Context, site *webv1.Website) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		deployment.Labels = labels(site)
		deployment.Spec.Replicas = site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels(site)}
		deployment.Spec.Template.Labels = labels(site)
		containers := &deployment.Spec.Template.Spec.Containers
		if len(*containers) == 0 {
			*containers = []corev1.Container{{Name: "web"}}
		}
		(*containers)[0].Image = site.Spec.Image
		return controllerutil.SetControllerReference(site, deployment, r.Scheme)
	})
	return err
}

func (r *WebsiteReconciler) report(ctx context.Context, site *webv1.Website, ready metav1.Condition) error {
	before := site.DeepCopy()
	site.Status.ObservedGeneration = site.Generation
	site.Status.URL = fmt.Sprintf("https://%s/", site.Spec.Hostname)
	if site.Spec.Replicas != nil {
		site.Status.Replicas = *site.Spec.Replicas
	}
	site.Status.Selector = "web.example.com/website=" + site.Name
	meta.SetStatusCondition(&site.Status.Conditions, ready)
	if equality.Semantic.DeepEqual(before.Status, site.Status) {
		return nil
	}
	return r.Status().Patch(ctx, site, client.MergeFrom(before))
}

func (r *WebsiteReconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&webv1.Website{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}).
		Complete(r)
}
