package controller

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	webv1 "example.com/website-operator/api/v1"
)

const (
	patience = 10 * time.Second
	interval = 20 * time.Millisecond
)

var (
	ctx       context.Context
	cancel    context.CancelFunc
	stopped   = make(chan struct{})
	testEnv   *envtest.Environment
	cfg       *rest.Config
	k8sClient client.WithWatch
	manager   ctrl.Manager
	hostnames = newLedger()
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Website operator")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	ctx, cancel = context.WithCancel(context.Background())
	Expect(webv1.AddToScheme(scheme.Scheme)).To(Succeed())

	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	started := time.Now()
	var err error
	cfg, err = testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	fmt.Fprintf(os.Stderr, "envtest: started in %.3f s\n", time.Since(started).Seconds())

	k8sClient, err = client.NewWithWatch(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())

	manager, err = ctrl.NewManager(cfg, ctrl.Options{Scheme: scheme.Scheme,
		Metrics: metricsserver.Options{BindAddress: "0"}})
	Expect(err).NotTo(HaveOccurred())
	Expect((&WebsiteReconciler{Client: manager.GetClient(), Scheme: manager.GetScheme(), Hostnames: hostnames}).
		SetupWithManager(manager)).To(Succeed())
	go func() {
		defer GinkgoRecover()
		defer close(stopped)
		Expect(manager.Start(ctx)).To(Succeed())
	}()
})

var _ = AfterSuite(func() {
	cancel()
	Eventually(stopped, patience).Should(BeClosed())
	stopping := time.Now()
	Expect(testEnv.Stop()).To(Succeed())
	fmt.Fprintf(os.Stderr, "envtest: stopped in %.3f s\n", time.Since(stopping).Seconds())
})

// newNamespace is one of its own for each spec: namespaces are not deleted, since no controller would empty them.
func newNamespace() string {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}
