// Measures a Kubernetes API server with clients of client-go: creates, gets, updates, lists and deletes ConfigMaps,
// watches them from many clients while they change, and applies Deployments on the server's side.
//
//	server -kubeconfig FILE -pids 1,2 [-n 5000] [-workers 16] [-lists 20] [-watchers 1000] [-events 1000]
//
// Prints a line of figures: calls a second, and calls a second of CPU time of the processes that are the server.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	namespace     = "bench-server"
	ticksASecond  = 100 // of /proc/PID/stat, on every Linux there is
	watchPatience = 5 * time.Minute
)

var pids []int

// serverCPU is what the server's processes have used, in seconds.
func serverCPU() float64 {
	ticks := 0
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			log.Fatal(err)
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, field := range fields[11:13] {
			used, err := strconv.Atoi(field)
			if err != nil {
				log.Fatal(err)
			}
			ticks += used
		}
	}
	return float64(ticks) / ticksASecond
}

func report(name string, calls int, before time.Time, cpuBefore float64) {
	passed, used := time.Since(before).Seconds(), serverCPU()-cpuBefore
	fmt.Printf("%s_per_s=%.0f %s_per_cpu_s=%.0f ", name, float64(calls)/passed, name, float64(calls)/used)
}

// measure calls `call` for 0 to n-1 from all workers, each with a client of its own.
func measure(name string, n int, clients []kubernetes.Interface, call func(client kubernetes.Interface, i int) error) {
	next := make(chan int)
	var wait sync.WaitGroup
	cpuBefore, before := serverCPU(), time.Now()
	for _, client := range clients {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				if err := call(client, i); err != nil {
					log.Fatalf("%s %d: %v", name, i, err)
				}
			}
		}()
	}
	for i := 0; i < n; i++ {
		next <- i
	}
	close(next)
	wait.Wait()
	report(name, n, before, cpuBefore)
}

func configMap(i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("map-%06d", i), Labels: map[string]string{"app": "bench"}},
		Data:       map[string]string{"key": strings.Repeat("v", 100), "number": strconv.Itoa(i)},
	}
}

// deployment is what a tool applies; only the image and the replicas change from one time to the next.
func deployment(i, round int) []byte {
	return []byte(fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-%06d","labels":{"app":"web"}},
"spec":{"replicas":%d,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
"containers":[{"name":"main","image":"web:%d","ports":[{"containerPort":80,"name":"http"},{"containerPort":443,"name":"https"}],
"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"}},
"volumeMounts":[{"name":"data","mountPath":"/data"}]},{"name":"side","image":"side:1"}],
"volumes":[{"name":"data","emptyDir":{}}]}}}}`, i, 1+round, round))
}

func applied(ctx context.Context, clients []kubernetes.Interface, n int) {
	for round, name := range []string{"apply_create", "apply_change"} {
		measure(name, n, clients, func(client kubernetes.Interface, i int) error {
			_, err := client.AppsV1().Deployments(namespace).Patch(ctx, fmt.Sprintf("web-%06d", i), types.ApplyPatchType,
				deployment(i, round), metav1.PatchOptions{FieldManager: "bench"})
			return err
		})
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the server")
	ids := flag.String("pids", "", "of the server's processes")
	n := flag.Int("n", 5000, "objects")
	workers := flag.Int("workers", 16, "clients at a time")
	lists := flag.Int("lists", 20, "lists of all objects")
	watchers := flag.Int("watchers", 1000, "watches at a time")
	events := flag.Int("events", 1000, "changes that each of them sees")
	flag.Parse()
	for _, id := range strings.Split(*ids, ",") {
		pid, err := strconv.Atoi(id)
		if err != nil {
			log.Fatal(err)
		}
		pids = append(pids, pid)
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	var clients []kubernetes.Interface
	for i := 0; i < *workers; i++ {
		clients = append(clients, kubernetes.NewForConfigOrDie(rest.CopyConfig(config)))
	}
	ctx := context.Background()
	core := clients[0].CoreV1()
	if _, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		metav1.CreateOptions{}); err != nil {
		log.Fatal(err)
	}
	maps := func(client kubernetes.Interface) interface {
		Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
		Get(context.Context, string, metav1.GetOptions) (*corev1.ConfigMap, error)
		Update(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
		Delete(context.Context, string, metav1.DeleteOptions) error
		List(context.Context, metav1.ListOptions) (*corev1.ConfigMapList, error)
	} {
		return client.CoreV1().ConfigMaps(namespace)
	}

	measure("create", *n, clients, func(client kubernetes.Interface, i int) error {
		_, err := maps(client).Create(ctx, configMap(i), metav1.CreateOptions{})
		return err
	})
	measure("get", *n, clients, func(client kubernetes.Interface, i int) error {
		_, err := maps(client).Get(ctx, configMap(i).Name, metav1.GetOptions{})
		return err
	})
	measure("get_update", *n, clients, func(client kubernetes.Interface, i int) error {
		object, err := maps(client).Get(ctx, configMap(i).Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.Data["number"] = "changed"
		_, err = maps(client).Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
	measure("list", *lists, clients, func(client kubernetes.Interface, i int) error {
		list, err := maps(client).List(ctx, metav1.ListOptions{})
		if err == nil && len(list.Items) < *n {
			err = fmt.Errorf("%d objects", len(list.Items))
		}
		return err
	})
	watched(ctx, clients, *watchers, *events)
	applied(ctx, clients, *n)
	measure("delete", *n, clients, func(client kubernetes.Interface, i int) error {
		return maps(client).Delete(ctx, configMap(i).Name, metav1.DeleteOptions{})
	})
	fmt.Println()
}

// watched opens the watches, changes one object after another and waits until each watch has seen all changes, in order.
func watched(ctx context.Context, clients []kubernetes.Interface, watchers, events int) {
	list, err := clients[0].CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	var wait sync.WaitGroup
	var seen atomic.Int64
	for w := 0; w < watchers; w++ {
		stream, err := clients[w%len(clients)].CoreV1().ConfigMaps(namespace).Watch(ctx,
			metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			log.Fatal(err)
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer stream.Stop()
			last, count := int64(0), 0
			timeout := time.After(watchPatience)
			for count < events {
				select {
				case event, open := <-stream.ResultChan():
					if !open || event.Type != watch.Modified {
						log.Fatalf("watch: open %v, event %v", open, event.Type)
					}
					version, err := strconv.ParseInt(event.Object.(*corev1.ConfigMap).ResourceVersion, 10, 64)
					if err != nil || version <= last {
						log.Fatalf("watch: version %d behind %d", version, last)
					}
					last = version
					count++
					seen.Add(1)
				case <-timeout:
					log.Fatalf("watch: %d of %d events", count, events)
				}
			}
		}()
	}
	cpuBefore, before := serverCPU(), time.Now()
	for i := 0; i < events; i++ {
		object := configMap(i % 100)
		object.Data["number"] = fmt.Sprint("watched ", i)
		if _, err := clients[0].CoreV1().ConfigMaps(namespace).Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	wait.Wait()
	report("watch_events", int(seen.Load()), before, cpuBefore)
}
