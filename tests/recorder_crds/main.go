// Records what controller-gen says; see README.md.
package main

import (
	"flag"
	"log"

	"keelson.test/recorder_crds/builtin"
	"keelson.test/recorder_crds/manifests"
)

func main() {
	root := flag.String("root", "../..", "the project's folder")
	flag.Parse()
	for _, part := range flag.Args() {
		switch part {
		case "builtin":
			if err := builtin.Record(*root+"/data/kubernetes/types.json", *root+"/data/kubernetes/crd_schemas.json"); err != nil {
				log.Fatal(err)
			}
		case "crd":
			if err := manifests.CRDs(*root + "/tests/data/crd"); err != nil {
				log.Fatal(err)
			}
		default:
			log.Fatalf("unknown part %q", part)
		}
	}
}
