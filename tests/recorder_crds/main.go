// Records what controller-gen says; see README.md.
package main

import (
	"flag"
	"fmt"
	"log"

	"keelson.test/recorder_crds/builtin"
	"keelson.test/recorder_crds/manifests"
)

func main() {
	root := flag.String("root", "../..", "the project's folder")
	flag.Parse()
	parts := flag.Args()
	if len(parts) == 0 {
		parts = []string{"builtin", "crd", "plurals", "rbac", "webhook"}
	}
	for _, part := range parts {
		var err error
		switch part {
		case "builtin":
			err = builtin.Record(*root+"/data/kubernetes/types.json", *root+"/data/kubernetes/crd_schemas.json")
		case "plurals":
			err = manifests.Plurals(*root + "/tests/data/crd/plurals.json")
		case "rbac":
			err = manifests.Roles(*root + "/tests/data/rbac")
		case "webhook":
			err = manifests.Webhooks(*root + "/tests/data/webhook")
		case "crd":
			err = manifests.CRDs(*root + "/tests/data/crd")
		default:
			err = fmt.Errorf("unknown part %q", part)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
