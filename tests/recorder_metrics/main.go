// Records what controller-runtime shows at /metrics and answers at /healthz. The README says how to run it.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	recorders := map[string]func() error{
		"metrics": func() error { return recordMetrics(os.Stdout) },
		"health":  func() error { return recordHealth(os.Stdout) },
	}
	if len(os.Args) != 2 || recorders[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "expected one argument: metrics or health")
		os.Exit(2)
	}
	if err := recorders[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
