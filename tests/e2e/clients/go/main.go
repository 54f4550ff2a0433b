// client-go against a server: typed informers in protobuf, dynamic and metadata informers, writes and patches.
//
//	go run . -kubeconfig FILE
//
// Prints `PASS what` or `FAIL what` for each check, as tests/e2e/run counts them.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

const (
	namespace = "client-go"
	objects   = 120
	patience  = 20 * time.Second
)

var failed = false

func check(what string, err error) {
	if err == nil {
		fmt.Println("PASS client-go:", what)
		return
	}
	failed = true
	fmt.Printf("FAIL client-go: %s\n     %v\n", what, err)
}

func expect(condition bool, format string, arguments ...any) error {
	if condition {
		return nil
	}
	return fmt.Errorf(format, arguments...)
}

func eventually(condition func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), 10*time.Millisecond, patience, true,
		func(context.Context) (bool, error) {
			last = condition()
			return last == nil, nil
		})
	if err != nil {
		return last
	}
	return nil
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the server")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = "application/vnd.kubernetes.protobuf"
	protobuf.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	typed := kubernetes.NewForConfigOrDie(protobuf)
	ctx := context.Background()

	_, err = typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		metav1.CreateOptions{})
	check("a namespace is created, in protobuf", err)

	typedInformers(ctx, typed)
	dynamicInformers(ctx, dynamic.NewForConfigOrDie(config))
	metadataInformers(ctx, typed, metadata.NewForConfigOrDie(config))
	writes(ctx, typed)
	paging(ctx, typed)
	election(typed)
	_, err = typed.Discovery().ServerPreferredResources()
	check("discovery lists the preferred resources", err)
	if failed {
		os.Exit(1)
	}
}

func configMap(i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%03d", i), Labels: map[string]string{"parity": fmt.Sprint(i % 2)}},
		Data:       map[string]string{"n": fmt.Sprint(i)},
	}
}

func typedInformers(ctx context.Context, client kubernetes.Interface) {
	stop := make(chan struct{})
	defer close(stop)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps()
	updates, deletes := make(chan string, 10*objects), make(chan string, 10*objects)
	informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, now any) { updates <- now.(*corev1.ConfigMap).Name },
		DeleteFunc: func(gone any) { deletes <- gone.(*corev1.ConfigMap).Name },
	})
	maps := client.CoreV1().ConfigMaps(namespace)
	for i := 0; i < objects/2; i++ {
		if _, err := maps.Create(ctx, configMap(i), metav1.CreateOptions{}); err != nil {
			check("configmaps are created", err)
			return
		}
	}
	factory.Start(stop)
	synced := factory.WaitForCacheSync(stop)
	check("a typed informer syncs", expect(len(synced) == 1, "synced: %v", synced))
	for i := objects / 2; i < objects; i++ {
		if _, err := maps.Create(ctx, configMap(i), metav1.CreateOptions{}); err != nil {
			check("configmaps are created", err)
			return
		}
	}
	check("a typed informer sees what comes later", eventually(func() error {
		all, err := informer.Lister().ConfigMaps(namespace).List(labels.Everything())
		if err != nil {
			return err
		}
		return expect(len(all) == objects, "%d of %d objects", len(all), objects)
	}))
	odd, _ := labels.Parse("parity=1")
	some, err := informer.Lister().ConfigMaps(namespace).List(odd)
	check("a lister selects by labels", firstOf(err, expect(len(some) == objects/2, "%d of %d", len(some), objects/2)))
	changed := configMap(7)
	changed.Data["n"] = "changed"
	_, err = maps.Update(ctx, changed, metav1.UpdateOptions{})
	check("an update without a version is taken", err)
	check("an informer tells of updates", expect(within(updates) == "c007", "another object"))
	check("an object is deleted", maps.Delete(ctx, "c007", metav1.DeleteOptions{}))
	check("an informer tells of deletions", expect(within(deletes) == "c007", "another object"))
}

func within(events chan string) string {
	select {
	case name := <-events:
		return name
	case <-time.After(patience):
		return "nothing"
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func dynamicInformers(ctx context.Context, client dynamic.Interface) {
	stop := make(chan struct{})
	defer close(stop)
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	lister := factory.ForResource(deployments).Lister()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web"},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"app": "web"}},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "web", "image": "nginx"}}},
			},
		},
	}}
	created, err := client.Resource(deployments).Namespace(namespace).Create(ctx, object, metav1.CreateOptions{})
	check("a deployment is created dynamically", err)
	if err != nil {
		return
	}
	replicas, _, _ := unstructured.NestedInt64(created.Object, "spec", "replicas")
	check("it has its defaults", expect(replicas == 1, "replicas: %d", replicas))
	check("a dynamic informer sees it", eventually(func() error {
		_, err := lister.ByNamespace(namespace).Get("web")
		return err
	}))
	patched, err := client.Resource(deployments).Namespace(namespace).Patch(ctx, "web", types.MergePatchType,
		[]byte(`{"spec":{"replicas":4}}`), metav1.PatchOptions{})
	if err == nil {
		replicas, _, _ = unstructured.NestedInt64(patched.Object, "spec", "replicas")
		err = expect(replicas == 4 && patched.GetGeneration() == 2, "replicas %d, generation %d", replicas, patched.GetGeneration())
	}
	check("a merge patch changes it", err)
}

func metadataInformers(ctx context.Context, typed kubernetes.Interface, client metadata.Interface) {
	stop := make(chan struct{})
	defer close(stop)
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil)
	lister := factory.ForResource(secrets).Lister()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	_, err := typed.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "key"},
		StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{})
	check("a secret is created", err)
	check("a metadata informer sees it", eventually(func() error {
		_, err := lister.ByNamespace(namespace).Get("key")
		return err
	}))
	secret, err := typed.CoreV1().Secrets(namespace).Get(ctx, "key", metav1.GetOptions{})
	check("its stringData became data", firstOf(err, expect(err != nil || string(secret.Data["a"]) == "b", "data: %v", secret)))
}

func writes(ctx context.Context, client kubernetes.Interface) {
	pods := client.CoreV1().Pods(namespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "pod-"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}}}
	created, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	check("a pod with a generated name is created", err)
	if err != nil {
		return
	}
	check("it is pending and has a quality of service", expect(
		created.Status.Phase == corev1.PodPending && created.Status.QOSClass == corev1.PodQOSBestEffort, "%v", created.Status))
	_, err = pods.Patch(ctx, created.Name, types.StrategicMergePatchType,
		[]byte(`{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}`), metav1.PatchOptions{})
	check("a strategic merge patch changes one container", err)
	_, err = pods.Patch(ctx, created.Name, types.JSONPatchType,
		[]byte(`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`), metav1.PatchOptions{})
	check("a JSON patch adds labels", err)
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := pods.Get(ctx, created.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Status.Phase = corev1.PodRunning
		_, err = pods.UpdateStatus(ctx, current, metav1.UpdateOptions{})
		return err
	})
	check("the status is updated", err)
	_, err = pods.Update(ctx, created, metav1.UpdateOptions{})
	check("an old version conflicts", expect(errors.IsConflict(err), "%v", err))
	_, err = pods.Get(ctx, "missing", metav1.GetOptions{})
	check("a missing pod is not found", expect(errors.IsNotFound(err), "%v", err))
	_, err = client.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "bad"}},
		metav1.CreateOptions{})
	check("an incomplete deployment is invalid", expect(errors.IsInvalid(err), "%v", err))
	scale, err := client.AppsV1().Deployments(namespace).GetScale(ctx, "web", metav1.GetOptions{})
	if err == nil {
		scale.Spec.Replicas = 6
		_, err = client.AppsV1().Deployments(namespace).UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	}
	check("a deployment is scaled", err)
}

func paging(ctx context.Context, client kubernetes.Interface) {
	count, pages := 0, 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		pages++
		return client.CoreV1().ConfigMaps(namespace).List(ctx, options)
	})
	list.PageSize = 25
	err := list.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		count++
		return nil
	})
	check("a list comes in pages", firstOf(err, expect(count == objects-1 && pages == 5, "%d objects in %d pages", count, pages)))
}

func election(client kubernetes.Interface) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	leading := make(chan struct{})
	go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client: client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: "me"}},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leading) },
			OnStoppedLeading: func() {},
		},
	})
	select {
	case <-leading:
		check("a leader is elected", nil)
	case <-ctx.Done():
		check("a leader is elected", ctx.Err())
	}
}
