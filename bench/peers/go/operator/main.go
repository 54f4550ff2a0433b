// Measures an operator on controller-runtime, as bench/operator_bench.cc measures the same one on Keelson.
//
//	operator -kubeconfig FILE [-n 2000] [-workers 8] [-idle]
//	operator -kubeconfig FILE -noop 200000 [-workers 8]
//
// A Widget gets a ConfigMap of its name with its value, owned by it; then its phase is Ready. When the cache shows N
// Widgets as Ready, a line of figures is printed. With -idle the manager then stays until its input ends. -noop
// reconciles so many requests that are in the queue before the workers start, and does nothing for each.
//
// Times are since the environment's STARTED (seconds since 1970), so that loading the program counts. The manager is
// what a program gets without asking, but for three things: no metrics port, no health port, and the workers.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	benchv1 "keelson/bench/peers/go/operator/v1"
)

var started = startTime()

func startTime() time.Time {
	if seconds, err := strconv.ParseFloat(os.Getenv("STARTED"), 64); err == nil {
		return time.UnixMicro(int64(seconds * 1e6))
	}
	return time.Now()
}

func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// kilobytes is a line of a file of /proc/self: "VmRSS:" of status.
func kilobytes(file, name string) string {
	text, _ := os.ReadFile("/proc/self/" + file)
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			return fields[1]
		}
	}
	return "0"
}

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
	wanted int

	reconciles, errors atomic.Int64
	firstOnce          sync.Once
	first              time.Duration
	ready              sync.Map
	readyCount         atomic.Int64
	converged          chan struct{}
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	r.reconciles.Add(1)
	r.firstOnce.Do(func() { r.first = time.Since(started) })
	err := r.reconcile(ctx, request)
	if err != nil {
		r.errors.Add(1)
	}
	return ctrl.Result{}, err
}

func (r *reconciler) reconcile(ctx context.Context, request ctrl.Request) error {
	var widget benchv1.Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return client.IgnoreNotFound(err)
	}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: widget.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, settings, func() error {
		settings.Data = map[string]string{"value": widget.Spec.Value}
		return controllerutil.SetControllerReference(&widget, settings, r.scheme)
	}); err != nil {
		return err
	}
	if widget.Status.Phase != "Ready" {
		widget.Status.Phase = "Ready"
		return r.Status().Update(ctx, &widget)
	}
	if _, seen := r.ready.LoadOrStore(request.Name, true); !seen && r.readyCount.Add(1) == int64(r.wanted) {
		close(r.converged)
	}
	return nil
}

func newManager() (ctrl.Manager, *runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, nil, err
	}
	if err := benchv1.AddToScheme(scheme); err != nil {
		return nil, nil, err
	}
	restConfig, err := config.GetConfig()
	if err != nil {
		return nil, nil, err
	}
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	return manager, scheme, err
}

func operate(n, workers int, idle bool) error {
	manager, scheme, err := newManager()
	if err != nil {
		return err
	}
	r := &reconciler{Client: manager.GetClient(), scheme: scheme, wanted: n, converged: make(chan struct{})}
	if err := ctrl.NewControllerManagedBy(manager).For(&benchv1.Widget{}).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(r); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-r.converged
		fmt.Printf("converged n=%d wall_s=%.3f cpu_s=%.3f reconciles=%d errors=%d first_reconcile_ms=%.1f rss_kb=%s peak_kb=%s\n",
			n, time.Since(started).Seconds(), cpu().Seconds(), r.reconciles.Load(), r.errors.Load(),
			float64(r.first.Microseconds())/1000, kilobytes("status", "VmRSS:"), kilobytes("status", "VmHWM:"))
		if idle {
			stayIdle()
		}
		stop()
	}()
	return manager.Start(ctx)
}

// stayIdle prints the memory of a manager that has nothing to do, as it is and with what the collector can give back.
func stayIdle() {
	time.Sleep(3 * time.Second)
	fmt.Printf("idle anonymous_kb=%s rss_kb=%s\n", kilobytes("smaps_rollup", "Anonymous:"), kilobytes("status", "VmRSS:"))
	debug.FreeOSMemory()
	fmt.Printf("collected anonymous_kb=%s rss_kb=%s\n", kilobytes("smaps_rollup", "Anonymous:"), kilobytes("status", "VmRSS:"))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func doNothing(n, workers int) error {
	manager, _, err := newManager()
	if err != nil {
		return err
	}
	var done atomic.Int64
	var begin atomic.Int64 // nanoseconds since started
	var cpuBefore time.Duration
	finished := make(chan struct{})
	c, err := controller.New("noop", manager, controller.Options{
		MaxConcurrentReconciles: workers,
		Reconciler: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			switch done.Add(1) {
			case 1:
				begin.Store(int64(time.Since(started)))
			case int64(n):
				close(finished)
			}
			return reconcile.Result{}, nil
		}),
	})
	if err != nil {
		return err
	}
	if err := c.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		for i := 0; i < n; i++ {
			queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("widget-%06d", i)}})
		}
		cpuBefore = cpu()
		return nil
	})); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-finished
		passed, used := time.Since(started)-time.Duration(begin.Load()), cpu()-cpuBefore
		fmt.Printf("noop n=%d workers=%d per_s=%.0f cpu_us=%.2f\n", n, workers, float64(n)/passed.Seconds(),
			float64(used.Nanoseconds())/1000/float64(n))
		stop()
	}()
	return manager.Start(ctx)
}

func main() {
	n := flag.Int("n", 2000, "Widgets")
	workers := flag.Int("workers", 8, "reconciles at a time")
	idle := flag.Bool("idle", false, "stay when all is done, until the input ends")
	noop := flag.Int("noop", 0, "reconcile so many requests without doing anything")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	var err error
	if *noop > 0 {
		err = doNothing(*noop, *workers)
	} else {
		err = operate(*n, *workers, *idle)
	}
	if err != nil {
		log.Fatal(err)
	}
}
