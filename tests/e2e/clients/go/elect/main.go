// A candidate by client-go: tests/e2e/test_election.py runs it beside one by Keelson.
//
//	elect -kubeconfig FILE -namespace N -name N -identity I
//
// Prints `leading`, `leader IDENTITY` and `stopped` when it is so; ends and releases the lease at SIGTERM. With -dump it
// prints the Lease, a JSON document a line, when it leads, when it has renewed, and when it has released.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the server")
	namespace := flag.String("namespace", "default", "of the lease")
	name := flag.String("name", "", "of the lease")
	identity := flag.String("identity", "", "of this candidate")
	dump := flag.Bool("dump", false, "print the lease")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	show := func() {
		if !*dump {
			return
		}
		lease, err := client.CoordinationV1().Leases(*namespace).Get(context.Background(), *name, metav1.GetOptions{})
		if err != nil {
			log.Fatal(err)
		}
		text, _ := json.Marshal(lease)
		fmt.Println(string(text))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: *name, Namespace: *namespace},
			Client: client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: *identity}},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Println("leading")
				show()
				time.Sleep(5 * time.Second)
				show()
				if *dump {
					cancel()
				}
			},
			OnStoppedLeading: func() { fmt.Println("stopped") },
			OnNewLeader:      func(identity string) { fmt.Println("leader", identity) },
		},
	})
	show()
}
