// Measures an informer of client-go: lists and watches Pods, then takes N updates, as bench-informer does with Keelson.
//
//	informer -server URL [-events N] [-protobuf] [-reads get|lister|list]
//
// The informer is what a program gets from client-go's shared informer factory: typed, with the namespace index. Lists by
// a watch are tried first and refused by the replay server. Prints "synced objects=… wall_s=… cpu_s=… rss_kb=… peak_kb=…" and,
// after N updates have come to a handler, "events=…" with the same figures of that phase.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// kilobytes of a line of /proc/self/status.
func kilobytes(name string) string {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), name) {
			return strings.Fields(lines.Text())[1]
		}
	}
	return "0"
}

type phase struct {
	started time.Time
	cpu     float64
}

func (p *phase) print(what string, count int) {
	fmt.Printf("%s=%d wall_s=%.2f cpu_s=%.2f rss_kb=%s peak_kb=%s\n", what, count, time.Since(p.started).Seconds(),
		cpu()-p.cpu, kilobytes("VmRSS:"), kilobytes("VmHWM:"))
	*p = phase{time.Now(), cpu()}
}

// owner is the name up to its last two dashes: what Pods of one Deployment share.
func owner(namespace, name string) string {
	last := strings.LastIndexByte(name, '-')
	return namespace + "/" + name[:strings.LastIndexByte(name[:last], '-')]
}

// read gets objects, or lists those of an owner and looks at each, from eight goroutines until stop is closed. A get is by
// the lister, with namespace and name, or right from the indexer, with a key that was put together before. Keys come in a
// mixed order and lie in memory in that order, as a worker has its key at hand.
func read(indexer cache.Indexer, lister listers.PodLister, what string, stop chan struct{}) func() {
	const threads = 8
	keys := indexer.ListKeys()
	rand.New(rand.NewSource(1)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i, key := range keys {
		keys[i] = strings.Clone(key)
	}
	owners := make([]string, len(keys))
	names := make([]types.NamespacedName, len(keys))
	for i, key := range keys {
		namespace, name, _ := strings.Cut(key, "/")
		owners[i] = owner(namespace, name)
		names[i] = types.NamespacedName{Namespace: namespace, Name: name}
	}
	get := func(at int) int64 {
		object, exists, err := indexer.GetByKey(keys[at])
		if err != nil || !exists {
			return 0
		}
		return object.(*corev1.Pod).Generation
	}
	byLister := func(at int) int64 {
		pod, err := lister.Pods(names[at].Namespace).Get(names[at].Name)
		if err != nil {
			return 0
		}
		return pod.Generation
	}
	list := func(at int) (sum int64) {
		objects, err := indexer.ByIndex("owner", owners[at])
		if err != nil {
			log.Fatal(err)
		}
		for _, object := range objects {
			sum += object.(*corev1.Pod).Generation
		}
		return sum
	}
	var count, sum atomic.Int64
	var wait sync.WaitGroup
	started := time.Now()
	for i := range threads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			at := len(keys) / threads * i
			done, seen := int64(0), int64(0)
			for {
				select {
				case <-stop:
					count.Add(done)
					sum.Add(seen)
					return
				default:
				}
				for range 100 {
					switch what {
					case "list":
						seen += list(at)
					case "lister":
						seen += byLister(at)
					default:
						seen += get(at)
					}
					done++
					if at++; at == len(keys) {
						at = 0
					}
				}
			}
		}()
	}
	return func() {
		wait.Wait()
		fmt.Printf("reads threads=%d %s_per_s=%.0f\n", threads, what, float64(count.Load())/time.Since(started).Seconds())
	}
}

func main() {
	server := flag.String("server", "", "where the replay server is")
	events := flag.Int64("events", 0, "updates to take")
	protobuf := flag.Bool("protobuf", false, "ask for protobuf")
	reads := flag.String("reads", "", "read the cache while the updates come: get, lister or list")
	flag.Parse()

	p := phase{time.Now(), cpu()}
	config := &rest.Config{Host: *server, QPS: -1}
	if *protobuf {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	} else {
		config.ContentType = "application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	if *reads != "" {
		if err := informer.AddIndexers(cache.Indexers{"owner": func(object any) ([]string, error) {
			pod := object.(*corev1.Pod)
			return []string{owner(pod.Namespace, pod.Name)}, nil
		}}); err != nil {
			log.Fatal(err)
		}
	}
	var updates atomic.Int64
	all := make(chan struct{})
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(any, any) {
			if updates.Add(1) == *events {
				close(all)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	never := make(chan struct{})
	factory.Start(never)
	if !cache.WaitForCacheSync(never, registration.HasSynced) {
		log.Fatal("stopped")
	}
	p.print("synced objects", len(informer.GetStore().ListKeys()))
	if *events == 0 {
		return
	}
	stop := make(chan struct{})
	printReads := func() {}
	if *reads != "" {
		printReads = read(informer.GetIndexer(), factory.Core().V1().Pods().Lister(), *reads, stop)
	}
	answer, err := http.Get(*server + "/replay/updates")
	if err != nil {
		log.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	<-all
	close(stop)
	printReads()
	p.print("events", int(updates.Load()))
}
