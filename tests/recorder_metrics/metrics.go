package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type family struct {
	Name    string    `json:"name"`
	Type    string    `json:"type"`
	Labels  []string  `json:"labels"`
	Buckets []float64 `json:"buckets,omitempty"`
}

// Runs a manager with a controller that meets every outcome, and writes what its registry then holds.
func recordMetrics(out io.Writer) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:          true,
		LeaderElectionID:        "recorder",
		LeaderElectionNamespace: "default",
		Metrics:                 metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	seen := make(chan string, 1000)
	reconciler := reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
		defer func() { seen <- request.Name }()
		switch request.Name {
		case "fails":
			return reconcile.Result{}, errors.New("on purpose")
		case "terminal":
			return reconcile.Result{}, reconcile.TerminalError(errors.New("on purpose"))
		case "panics":
			panic("on purpose")
		case "later":
			return reconcile.Result{RequeueAfter: time.Hour}, nil
		}
		return reconcile.Result{}, nil
	})
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Named("recorded").Complete(reconciler); err != nil {
		return err
	}
	names := []string{"fails", "terminal", "panics", "later", "succeeds"}
	for _, name := range names {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		if err := manager.GetClient().Create(context.Background(), object); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	missing := slices.Clone(names)
	for deadline := time.After(time.Minute); len(missing) > 0; {
		select {
		case name := <-seen:
			missing = slices.DeleteFunc(missing, func(other string) bool { return other == name })
		case err := <-ended:
			return fmt.Errorf("the manager ended: %w", err)
		case <-deadline:
			return fmt.Errorf("not reconciled: %v", missing)
		}
	}
	time.Sleep(2 * time.Second) // the ages of work are brought up to date twice a second
	gathered, err := metrics.Registry.Gather()
	if err != nil {
		return err
	}
	stop()
	<-ended
	encoder := json.NewEncoder(out)
	for _, each := range gathered {
		if strings.HasPrefix(each.GetName(), "go_") {
			continue
		}
		if err := encoder.Encode(describe(each)); err != nil {
			return err
		}
	}
	return nil
}

func describe(gathered *dto.MetricFamily) family {
	described := family{
		Name:   gathered.GetName(),
		Type:   strings.ToLower(gathered.GetType().String()),
		Labels: []string{},
	}
	for _, metric := range gathered.GetMetric() {
		for _, label := range metric.GetLabel() {
			if !slices.Contains(described.Labels, label.GetName()) {
				described.Labels = append(described.Labels, label.GetName())
			}
		}
		if described.Buckets == nil {
			for _, bucket := range metric.GetHistogram().GetBucket() {
				described.Buckets = append(described.Buckets, bucket.GetUpperBound())
			}
		}
	}
	slices.Sort(described.Labels)
	return described
}
