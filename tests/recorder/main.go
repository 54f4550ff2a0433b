// Recorder asks Kubernetes' own Go libraries what is right and writes their answers as test data.
package main

import (
	"flag"
	"fmt"
	"os"

	"keelson/tests/recorder/protobuf"
)

func main() {
	out := flag.String("out", "../data", "folder to write the recorded data to")
	types := flag.String("types", "../../data/kubernetes/types.json", "the type table")
	flag.Parse()
	recorders := []func() error{
		func() error { return protobuf.Record(*out, *types) },
	}
	for _, record := range recorders {
		if err := record(); err != nil {
			fmt.Fprintln(os.Stderr, "recorder:", err)
			os.Exit(1)
		}
	}
}
