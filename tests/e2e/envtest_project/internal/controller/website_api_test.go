package controller

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	webv1 "example.com/website-operator/api/v1"
)

var _ = Describe("The API of Websites", func() {
	var namespace string
	BeforeEach(func() { namespace = newNamespace() })

	site := func(name string) *webv1.Website {
		return &webv1.Website{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
			Spec: webv1.WebsiteSpec{Hostname: name + "." + namespace + ".example.com"}}
	}
	document := func(name string, spec map[string]any) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		object.SetGroupVersionKind(webv1.GroupVersion.WithKind("Website"))
		object.SetName(name)
		object.SetNamespace(namespace)
		return object
	}

	It("is in discovery", func() {
		resources, err := discovery.NewDiscoveryClientForConfigOrDie(cfg).ServerResourcesForGroupVersion("web.example.com/v1")
		Expect(err).NotTo(HaveOccurred())
		names := map[string]metav1.APIResource{}
		for _, resource := range resources.APIResources {
			names[resource.Name] = resource
		}
		Expect(names).To(HaveLen(3))
		Expect(names["websites"].ShortNames).To(ConsistOf("site"))
		Expect(names["websites"].Categories).To(ConsistOf("all"))
		Expect(names).To(HaveKey("websites/status"))
		Expect(names["websites/scale"].Kind).To(Equal("Scale"))
	})

	It("fills in defaults", func() {
		made := site("defaults")
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		Expect(made.Spec.Image).To(Equal("nginx:1.27"))
		Expect(made.Spec.Replicas).To(gstruct.PointTo(BeEquivalentTo(1)))
		Expect(made.Spec.MaxReplicas).To(BeEquivalentTo(10))
		Expect(made.Spec.Tier).To(Equal("free"))
		Expect(made.Generation).To(BeEquivalentTo(1))
	})

	DescribeTable("refuses", func(change func(*webv1.Website), complaint string) {
		wrong := site("wrong")
		change(wrong)
		err := k8sClient.Create(ctx, wrong)
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring(complaint))
	},
		Entry("a hostname that is none", func(w *webv1.Website) { w.Spec.Hostname = "Not A Name" },
			`spec.hostname: Invalid value: "Not A Name": spec.hostname in body should match`),
		Entry("a tier that nobody offers", func(w *webv1.Website) { w.Spec.Tier = "gold" },
			`spec.tier: Unsupported value: "gold": supported values: "free", "pro"`),
		Entry("fewer replicas than none", func(w *webv1.Website) { w.Spec.Replicas = ptr.To[int32](-1) },
			"spec.replicas in body should be greater than or equal to 0"),
		Entry("more replicas than allowed", func(w *webv1.Website) { w.Spec.Replicas = ptr.To[int32](11) },
			"replicas must not exceed maxReplicas"),
		Entry("a header twice", func(w *webv1.Website) { w.Spec.Headers = []webv1.Header{{Name: "a"}, {Name: "a"}} },
			`spec.headers[1]: Duplicate value: {"name":"a"}`),
		Entry("a header without a name", func(w *webv1.Website) { w.Spec.Headers = []webv1.Header{{Value: "x"}} },
			"spec.headers[0].name in body should be at least 1 chars long"),
	)

	It("does not let the hostname change", func() {
		made := site("steady")
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		err := k8sClient.Patch(ctx, made, client.RawPatch("application/merge-patch+json",
			[]byte(`{"spec":{"hostname":"elsewhere.example.com"}}`)))
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring("hostname is immutable"))
	})

	It("drops fields that it does not know, or refuses them when asked to be strict", func() {
		spec := map[string]any{"hostname": "pruned.example.com", "colour": "blue"}
		Expect(k8sClient.Create(ctx, document("pruned", spec))).To(Succeed())
		stored := document("pruned", nil)
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(stored), stored)).To(Succeed())
		_, there, err := unstructured.NestedString(stored.Object, "spec", "colour")
		Expect(err).NotTo(HaveOccurred())
		Expect(there).To(BeFalse())

		strict := client.WithFieldValidation(k8sClient, metav1.FieldValidationStrict)
		err = strict.Create(ctx, document("strict", spec))
		Expect(apierrors.IsBadRequest(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring(`unknown field "spec.colour"`))
	})

	It("keeps spec and status apart", func() {
		made := site("apart")
		made.Status.URL = "https://made-up/"
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		Expect(made.Status.URL).To(BeEmpty())

		Eventually(func() error {
			if err := k8sClient.Get(ctx, client.ObjectKeyFromObject(made), made); err != nil {
				return err
			}
			made.Spec.Tier = "pro"
			made.Status.Replicas = 7
			return k8sClient.Status().Update(ctx, made)
		}, patience, interval).Should(Succeed())
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(made), made)).To(Succeed())
		Expect(made.Spec.Tier).To(Equal("free"))
		Expect(made.Generation).To(BeEquivalentTo(1))
	})

	It("tells a writer who was too late", func() {
		made := site("busy")
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		stale := made.DeepCopy()
		Eventually(func() error {
			if err := k8sClient.Get(ctx, client.ObjectKeyFromObject(made), made); err != nil {
				return err
			}
			made.Spec.Tier = "pro"
			return k8sClient.Update(ctx, made)
		}, patience, interval).Should(Succeed())
		stale.Spec.Image = "late"
		Expect(apierrors.IsConflict(k8sClient.Update(ctx, stale))).To(BeTrue())
	})

	It("can be scaled", func() {
		made := site("scaled")
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		scale := &autoscalingv1.Scale{}
		Expect(k8sClient.SubResource("scale").Get(ctx, made, scale)).To(Succeed())
		Expect(scale.Spec.Replicas).To(BeEquivalentTo(1))
		Eventually(func() error {
			if err := k8sClient.SubResource("scale").Get(ctx, made, scale); err != nil {
				return err
			}
			scale.Spec.Replicas = 4
			return k8sClient.SubResource("scale").Update(ctx, made, client.WithSubResourceBody(scale))
		}, patience, interval).Should(Succeed())
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(made), made)).To(Succeed())
		Expect(made.Spec.Replicas).To(gstruct.PointTo(BeEquivalentTo(4)))
	})

	It("is listed by labels, by fields and in pages", func() {
		for _, name := range []string{"a", "b", "c"} {
			made := site(name)
			made.Labels = map[string]string{"letter": name}
			if name == "b" {
				made.Spec.Tier = "pro"
			}
			Expect(k8sClient.Create(ctx, made)).To(Succeed())
		}
		names := func(options ...client.ListOption) []string {
			var list webv1.WebsiteList
			Expect(k8sClient.List(ctx, &list, append(options, client.InNamespace(namespace))...)).To(Succeed())
			var found []string
			for _, item := range list.Items {
				found = append(found, item.Name)
			}
			return found
		}
		Expect(names()).To(Equal([]string{"a", "b", "c"}))
		Expect(names(client.MatchingLabels{"letter": "c"})).To(Equal([]string{"c"}))
		Expect(names(client.MatchingFields{"spec.tier": "pro"})).To(Equal([]string{"b"}))

		var page webv1.WebsiteList
		Expect(k8sClient.List(ctx, &page, client.InNamespace(namespace), client.Limit(2))).To(Succeed())
		Expect(page.Items).To(HaveLen(2))
		Expect(page.Continue).NotTo(BeEmpty())
		Expect(k8sClient.List(ctx, &page, client.InNamespace(namespace), client.Continue(page.Continue))).To(Succeed())
		Expect(page.Items).To(HaveLen(1))
	})

	It("is watched, and cached by informers", func() {
		watcher, err := k8sClient.Watch(ctx, &webv1.WebsiteList{}, client.InNamespace(namespace))
		Expect(err).NotTo(HaveOccurred())
		defer watcher.Stop()
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(cfg), time.Hour,
			namespace, nil)
		informer := factory.ForResource(webv1.GroupVersion.WithResource("websites"))
		informer.Informer()
		stop := make(chan struct{})
		defer close(stop)
		factory.Start(stop)
		Expect(cache.WaitForCacheSync(stop, informer.Informer().HasSynced)).To(BeTrue())

		made := site("watched")
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		var event watch.Event
		Eventually(watcher.ResultChan(), patience).Should(Receive(&event))
		Expect(event.Type).To(Equal(watch.Added))
		Expect(event.Object.(*webv1.Website).Name).To(Equal("watched"))
		Eventually(func() error {
			_, err := informer.Lister().ByNamespace(namespace).Get("watched")
			return err
		}, patience, interval).Should(Succeed())

		Expect(k8sClient.DeleteAllOf(ctx, &webv1.Website{}, client.InNamespace(namespace))).To(Succeed())
		Eventually(func() bool {
			_, err := informer.Lister().ByNamespace(namespace).Get("watched")
			return apierrors.IsNotFound(err)
		}, patience, interval).Should(BeTrue())
	})

	It("is applied by several managers, who own what they set", func() {
		apply := func(manager string, spec map[string]any, options ...client.ApplyOption) error {
			return k8sClient.Apply(ctx, client.ApplyConfigurationFromUnstructured(document("applied", spec)),
				append(options, client.FieldOwner(manager))...)
		}
		header := func(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }
		first := map[string]any{"hostname": "applied.example.com", "tier": "pro", "headers": []any{header("x-a", "1")}}
		Expect(apply("alice", first)).To(Succeed())
		Expect(apply("bob", map[string]any{"hostname": "applied.example.com", "headers": []any{header("x-b", "2")}})).
			To(Succeed())

		var stored webv1.Website
		key := client.ObjectKey{Namespace: namespace, Name: "applied"}
		Expect(k8sClient.Get(ctx, key, &stored)).To(Succeed())
		Expect(stored.Spec.Headers).To(Equal([]webv1.Header{{Name: "x-a", Value: "1"}, {Name: "x-b", Value: "2"}}))
		var managers []string
		for _, entry := range stored.ManagedFields {
			if entry.Operation == metav1.ManagedFieldsOperationApply {
				managers = append(managers, entry.Manager)
			}
		}
		Expect(managers).To(ConsistOf("alice", "bob"))

		clash := map[string]any{"hostname": "applied.example.com", "tier": "free"}
		err := apply("bob", clash)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring(`conflict with "alice": .spec.tier`))
		Expect(apply("bob", clash, client.ForceOwnership)).To(Succeed())
		Expect(k8sClient.Get(ctx, key, &stored)).To(Succeed())
		Expect(stored.Spec.Tier).To(Equal("free"))
		// Bob no longer lists his header, so it goes.
		Expect(stored.Spec.Headers).To(Equal([]webv1.Header{{Name: "x-a", Value: "1"}}))
	})

	It("lets users in by certificate, who may nothing until a role says otherwise", func() {
		user, err := testEnv.AddUser(envtest.User{Name: "mallory", Groups: []string{"visitors"}}, cfg)
		Expect(err).NotTo(HaveOccurred())
		stranger, err := client.New(user.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		err = stranger.List(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring(`User "mallory" cannot list resource "configmaps"`))

		admin, err := testEnv.AddUser(envtest.User{Name: "root", Groups: []string{"system:masters"}}, cfg)
		Expect(err).NotTo(HaveOccurred())
		other, err := client.New(admin.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(other.List(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace))).To(Succeed())
	})
})
