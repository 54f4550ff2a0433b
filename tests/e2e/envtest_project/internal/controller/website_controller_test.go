package controller

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	webv1 "example.com/website-operator/api/v1"
)

var _ = Describe("The controller", func() {
	var (
		namespace string
		site      *webv1.Website
		key       client.ObjectKey
	)
	BeforeEach(func() {
		namespace = newNamespace()
		site = &webv1.Website{
			ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: namespace},
			Spec:       webv1.WebsiteSpec{Hostname: namespace + ".example.com", Pages: map[string]string{"index": "Hello"}},
		}
		key = client.ObjectKeyFromObject(site)
		Expect(k8sClient.Create(ctx, site)).To(Succeed())
	})
	readiness := func() string {
		if err := k8sClient.Get(ctx, key, site); err != nil {
			return err.Error()
		}
		condition := meta.FindStatusCondition(site.Status.Conditions, "Ready")
		if condition == nil || site.Status.ObservedGeneration != site.Generation {
			return "unknown"
		}
		return condition.Reason
	}
	isReady := func() { Eventually(readiness, patience, interval).Should(Equal("Served")) }

	It("makes a Deployment and a ConfigMap that belong to the Website", func() {
		isReady()
		var deployment appsv1.Deployment
		Expect(k8sClient.Get(ctx, key, &deployment)).To(Succeed())
		Expect(metav1.IsControlledBy(&deployment, site)).To(BeTrue())
		Expect(*deployment.Spec.Replicas).To(BeEquivalentTo(1))
		Expect(deployment.Spec.Template.Spec.Containers).To(HaveLen(1))
		Expect(deployment.Spec.Template.Spec.Containers[0].Image).To(Equal("nginx:1.27"))
		Expect(deployment.Spec.Template.Spec.RestartPolicy).To(Equal(corev1.RestartPolicyAlways))

		var pages corev1.ConfigMap
		Expect(k8sClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "shop-pages"}, &pages)).To(Succeed())
		Expect(pages.Data).To(HaveKeyWithValue("index", "Hello"))
		Expect(metav1.IsControlledBy(&pages, site)).To(BeTrue())
	})

	It("reports in the status, which does not count as a change", func() {
		isReady()
		Expect(site.Generation).To(BeEquivalentTo(1))
		Expect(site.Status.URL).To(Equal("https://" + namespace + ".example.com/"))
		Expect(site.Status.Conditions).To(HaveLen(1))
		Expect(site.Status.Conditions[0].LastTransitionTime.IsZero()).To(BeFalse())
	})

	It("follows changes of the Website", func() {
		isReady()
		before := site.DeepCopy()
		site.Spec.Replicas = ptr.To[int32](3)
		site.Spec.Image = "nginx:1.28"
		Expect(k8sClient.Patch(ctx, site, client.MergeFrom(before))).To(Succeed())
		Expect(site.Generation).To(BeEquivalentTo(2))
		Eventually(func(g Gomega) {
			var deployment appsv1.Deployment
			g.Expect(k8sClient.Get(ctx, key, &deployment)).To(Succeed())
			g.Expect(*deployment.Spec.Replicas).To(BeEquivalentTo(3))
			g.Expect(deployment.Spec.Template.Spec.Containers[0].Image).To(Equal("nginx:1.28"))
			g.Expect(deployment.Generation).To(BeEquivalentTo(2))
		}, patience, interval).Should(Succeed())
		isReady()
		Expect(site.Status.Replicas).To(BeEquivalentTo(3))
	})

	It("puts back what others delete", func() {
		isReady()
		pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shop-pages", Namespace: namespace}}
		Expect(k8sClient.Delete(ctx, pages)).To(Succeed())
		Eventually(func() error {
			return k8sClient.Get(ctx, client.ObjectKeyFromObject(pages), pages)
		}, patience, interval).Should(Succeed())
		Expect(pages.Data).To(HaveKeyWithValue("index", "Hello"))
	})

	It("gives the hostname back before a Website goes", func() {
		isReady()
		Expect(controllerutil.ContainsFinalizer(site, webv1.Finalizer)).To(BeTrue())
		Expect(hostnames.Owner(site.Spec.Hostname)).To(Equal(key.String()))
		Expect(k8sClient.Delete(ctx, site)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, key, site))
		}, patience, interval).Should(BeTrue())
		Expect(hostnames.Owner(site.Spec.Hostname)).To(BeEmpty())
	})

	It("says so when a hostname is taken, and goes on when it is free", func() {
		isReady()
		second := &webv1.Website{ObjectMeta: metav1.ObjectMeta{Name: "copycat", Namespace: namespace},
			Spec: webv1.WebsiteSpec{Hostname: site.Spec.Hostname}}
		Expect(k8sClient.Create(ctx, second)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(second), second)).To(Succeed())
			g.Expect(meta.IsStatusConditionFalse(second.Status.Conditions, "Ready")).To(BeTrue())
		}, patience, interval).Should(Succeed())
		Expect(k8sClient.Delete(ctx, site)).To(Succeed())
		Eventually(func() string { return hostnames.Owner(site.Spec.Hostname) }, patience, interval).Should(BeEmpty())
		Expect(k8sClient.Patch(ctx, second, client.RawPatch("application/merge-patch+json",
			[]byte(`{"metadata":{"annotations":{"again":"please"}}}`)))).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(second), second)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(second.Status.Conditions, "Ready")).To(BeTrue())
		}, patience, interval).Should(Succeed())
	})
})
