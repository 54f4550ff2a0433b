// Measures client-go's typed work queue as bench/workqueue_bench.cc measures Keelson's: the same keys, the same shapes.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const (
	keysPerWorker = 1000
	feedAhead     = 10000
	feedKeys      = 64000
)

func keyText(n int) string { return fmt.Sprintf("namespace-%04d/object-%07d", n/1000, n) }

func loop(workers int, length time.Duration) {
	queue := workqueue.NewTyped[string]()
	var end atomic.Bool
	var total atomic.Uint64
	var ready, finished sync.WaitGroup
	start := make(chan struct{})
	for w := 0; w < workers; w++ {
		ready.Add(1)
		finished.Add(1)
		go func() {
			defer finished.Done()
			keys := make([]string, keysPerWorker)
			for i := range keys {
				keys[i] = keyText(w*keysPerWorker + i)
			}
			ready.Done()
			<-start
			var done uint64
			for at := 0; !end.Load(); at = (at + 1) % len(keys) {
				queue.Add(keys[at])
				key, shutdown := queue.Get()
				if shutdown {
					break
				}
				queue.Done(key)
				done++
			}
			total.Add(done)
		}()
	}
	ready.Wait()
	before := time.Now()
	close(start)
	time.Sleep(length)
	end.Store(true)
	queue.ShutDown() // an addition may have been merged, and then one worker waits
	finished.Wait()
	fmt.Printf("go_loop_%d_per_s=%.0f ", workers, float64(total.Load())/time.Since(before).Seconds())
}

func feed(workers int, length time.Duration) {
	queue := workqueue.NewTyped[string]()
	keys := make([]string, feedKeys)
	for i := range keys {
		keys[i] = keyText(i)
	}
	var total atomic.Uint64
	var finished sync.WaitGroup
	for w := 0; w < workers; w++ {
		finished.Add(1)
		go func() {
			defer finished.Done()
			var done uint64
			for {
				key, shutdown := queue.Get()
				if shutdown {
					break
				}
				queue.Done(key)
				done++
			}
			total.Add(done)
		}()
	}
	before := time.Now()
	added := 0
	for at := 0; ; at = (at + 1) % len(keys) {
		if added%256 == 0 {
			if time.Since(before) >= length {
				break
			}
			for queue.Len() > feedAhead {
				runtime.Gosched()
			}
		}
		queue.Add(keys[at])
		added++
	}
	queue.ShutDown()
	finished.Wait()
	fmt.Printf("go_feed_%d_per_s=%.0f ", workers, float64(total.Load())/time.Since(before).Seconds())
}

func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		fmt.Fprintln(os.Stderr, "workqueue:", err)
		os.Exit(1)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "workqueue:", err)
		os.Exit(1)
	}
	return pages * int64(os.Getpagesize())
}

// The keys stand in memory before and after: what is counted is what the queue adds to them.
func delayed(n int) {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = keyText(i)
	}
	queue := workqueue.NewTypedDelayingQueue[string]()
	debug.FreeOSMemory()
	var heapBefore, heapAfter runtime.MemStats
	runtime.ReadMemStats(&heapBefore)
	before := residentBytes()
	for i, key := range keys {
		queue.AddAfter(key, time.Hour+time.Duration((i*7919)%n)*time.Millisecond)
	}
	time.Sleep(2 * time.Second) // its own goroutine takes the keys over from a channel
	debug.FreeOSMemory()
	after := residentBytes()
	runtime.ReadMemStats(&heapAfter)
	fmt.Printf("go_delayed=%d go_delayed_rss_mb=%.1f go_delayed_heap_mb=%.1f ", n, float64(after-before)/1e6,
		float64(heapAfter.HeapAlloc-heapBefore.HeapAlloc)/1e6)
	runtime.KeepAlive(keys)
	queue.ShutDown()
}

func main() {
	seconds := flag.Float64("seconds", 2, "how long each rate is measured")
	n := flag.Int("delayed", 1000000, "delayed keys")
	flag.Parse()
	length := time.Duration(*seconds * float64(time.Second))
	delayed(*n)
	for _, workers := range []int{1, 8, 64} {
		loop(workers, length)
		feed(workers, length)
	}
	fmt.Println()
}
