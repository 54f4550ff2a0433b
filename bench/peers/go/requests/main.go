// Measures requests of client-go against a server: creates ConfigMaps, gets, updates, lists and deletes them.
//
//	requests -kubeconfig FILE [-n 2000] [-workers 16] [-lists 50] [-protobuf]
//
// Prints a line of figures: calls a second, and CPU time of this process a call in microseconds. The first ones, warm_up,
// are gets of one Namespace, ten for each worker. The client is what a
// program gets from client-go without asking: typed, HTTP/2, no rate limit on our side (QPS -1). Only the format is
// said: by itself the typed client of v0.36 uses protobuf for built-in kinds.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measure calls `call` for 0 to n-1 from all workers and prints the figures.
func measure(name string, n, workers int, call func(i int) error) {
	next := make(chan int)
	var wait sync.WaitGroup
	cpuBefore, before := cpu(), time.Now()
	for w := 0; w < workers; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				if err := call(i); err != nil {
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
	passed, used := time.Since(before), cpu()-cpuBefore
	fmt.Printf("go_%s_per_s=%.0f go_%s_cpu_us=%.1f ", name, float64(n)/passed.Seconds(), name,
		float64(used.Microseconds())/float64(n))
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file to read")
	n := flag.Int("n", 2000, "objects")
	workers := flag.Int("workers", 16, "callers at a time")
	lists := flag.Int("lists", 50, "lists of all objects")
	protobuf := flag.Bool("protobuf", false, "protobuf instead of JSON")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	config.ContentType = "application/json"
	if *protobuf {
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	namespace := fmt.Sprintf("bench-go-%d", time.Now().UnixNano())
	if _, err := client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		log.Fatal(err)
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	name := func(i int) string { return fmt.Sprintf("object-%d", i) }

	measure("warm_up", 10**workers, *workers, func(int) error {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return err
	})
	measure("create", *n, *workers, func(i int) error {
		_, err := maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name(i), Labels: map[string]string{"app": "bench"}},
			Data:       map[string]string{"key": "value", "other": "another value"},
		}, metav1.CreateOptions{})
		return err
	})
	measure("get", *n, *workers, func(i int) error {
		_, err := maps.Get(ctx, name(i), metav1.GetOptions{})
		return err
	})
	measure("update", *n, *workers, func(i int) error {
		object, err := maps.Get(ctx, name(i), metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.Data["key"] = "changed"
		_, err = maps.Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
	measure("list", *lists, *workers, func(int) error {
		list, err := maps.List(ctx, metav1.ListOptions{})
		if err == nil && len(list.Items) < *n {
			err = fmt.Errorf("%d items", len(list.Items))
		}
		return err
	})
	fmt.Println()
	if err := client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
}
