// Recorder asks Kubernetes' own Go libraries what is right and writes their answers as test data.
package main

import (
	"flag"
	"fmt"
	"os"

	"keelson/tests/recorder/jsonpatch"
	"keelson/tests/recorder/jsonpath"
	"keelson/tests/recorder/protobuf"
	"keelson/tests/recorder/selectors"
	"keelson/tests/recorder/strategicmerge"
	"keelson/tests/recorder/values"
)

func main() {
	out := flag.String("out", "../data", "folder to write the recorded data to")
	types := flag.String("types", "../../data/kubernetes/types.json", "the type table")
	flag.Parse()
	recorders := []func() error{
		func() error { return protobuf.Record(*out, *types) },
		func() error { return values.RecordQuantity(*out) },
		func() error { return values.RecordTime(*out) },
		func() error { return values.RecordDuration(*out) },
		func() error { return selectors.RecordLabels(*out) },
		func() error { return selectors.RecordFields(*out) },
		func() error { return strategicmerge.Record(*out) },
		func() error { return jsonpath.Record(*out) },
		func() error { return jsonpatch.Record(*out) },
	}
	for _, record := range recorders {
		if err := record(); err != nil {
			fmt.Fprintln(os.Stderr, "recorder:", err)
			os.Exit(1)
		}
	}
}
