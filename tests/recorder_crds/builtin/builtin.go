// Package builtin records what controller-gen makes of Kubernetes' own types when a custom resource uses them.
package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// packageOf maps the package names of types.json to Go import paths.
var packageOf = map[string]string{
	"api/resource":                 "k8s.io/apimachinery/pkg/api/resource",
	"apidiscovery/v2":              "k8s.io/api/apidiscovery/v2",
	"apiextensions/v1":             "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	"apiregistration/v1":           "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1",
	"clientauthentication/v1":      "k8s.io/client-go/pkg/apis/clientauthentication/v1",
	"clientauthentication/v1beta1": "k8s.io/client-go/pkg/apis/clientauthentication/v1beta1",
	"clientcmd/api/v1":             "k8s.io/client-go/tools/clientcmd/api/v1",
	"meta/v1":                      "k8s.io/apimachinery/pkg/apis/meta/v1",
	"metrics/v1beta1":              "k8s.io/metrics/pkg/apis/metrics/v1beta1",
	"runtime":                      "k8s.io/apimachinery/pkg/runtime",
	"types":                        "k8s.io/apimachinery/pkg/types",
	"util/intstr":                  "k8s.io/apimachinery/pkg/util/intstr",
}

// Path is the Go import path of a package that types.json calls name.
func Path(name string) string {
	if path, ok := packageOf[name]; ok {
		return path
	}
	return "k8s.io/api/" + name
}

// Record writes the schema of every type of the type table, and of those they refer to, to the file out.
func Record(typesFile, out string) error {
	names, err := typeNames(typesFile)
	if err != nil {
		return err
	}
	schemas := map[string]json.RawMessage{}
	var faulty []string
	for _, embedded := range []bool{false, true} {
		r, err := newReader(names, embedded)
		if err != nil {
			return err
		}
		if embedded {
			if schemas["meta/v1.ObjectMeta#embedded"], err = r.schema("meta/v1.ObjectMeta"); err != nil {
				return err
			}
			continue
		}
		for queue := names; len(queue) > 0; queue = queue[1:] {
			name := queue[0]
			if _, done := schemas[name]; done {
				continue
			}
			schema, err := r.schema(name)
			if err != nil {
				fmt.Fprintln(os.Stderr, "not recorded:", err)
				faulty = append(faulty, name)
				continue
			}
			schemas[name] = schema
			queue = append(queue, r.found...)
			r.found = nil
		}
		r.report()
		if schemas["#overrides"], err = json.Marshal(r.overrides()); err != nil {
			return err
		}
	}
	slices.Sort(faulty)
	faulty = slices.Compact(faulty)
	if len(faulty) > 0 {
		if schemas["#unsupported"], err = json.Marshal(faulty); err != nil {
			return err
		}
	}
	return write(out, schemas)
}

func typeNames(typesFile string) ([]string, error) {
	text, err := os.ReadFile(typesFile)
	if err != nil {
		return nil, err
	}
	types := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &types); err != nil {
		return nil, err
	}
	var names []string
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// write gives every type a line of its own.
func write(out string, schemas map[string]json.RawMessage) error {
	var names []string
	for name := range schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	var text bytes.Buffer
	for i, name := range names {
		if i == 0 {
			text.WriteString("{\n")
		} else {
			text.WriteString(",\n")
		}
		fmt.Fprintf(&text, "%q:%s", name, schemas[name])
	}
	text.WriteString("\n}\n")
	return os.WriteFile(out, text.Bytes(), 0o644)
}

type reader struct {
	parser   *crd.Parser
	packages map[string]*loader.Package // by import path, also the indirect ones
	short    map[string]string          // import path to the name in types.json
	found    []string                   // types that the schemas made so far refer to
}

func newReader(names []string, embedded bool) (*reader, error) {
	r := &reader{packages: map[string]*loader.Package{}, short: map[string]string{}}
	var paths []string
	for _, name := range names {
		pkg, _, _ := cut(name)
		if path := Path(pkg); r.short[path] == "" {
			r.short[path] = pkg
			paths = append(paths, path)
		}
	}
	roots, err := loader.LoadRoots(paths...)
	if err != nil {
		return nil, err
	}
	var walk func(pkg *loader.Package)
	walk = func(pkg *loader.Package) {
		if r.packages[pkg.PkgPath] != nil {
			return
		}
		r.packages[pkg.PkgPath] = pkg
		for _, imported := range pkg.Imports() {
			walk(imported)
		}
	}
	for _, root := range roots {
		walk(root)
	}
	registry := &markers.Registry{}
	if err := (crd.Generator{}).RegisterMarkers(registry); err != nil {
		return nil, err
	}
	r.parser = &crd.Parser{
		Collector: &markers.Collector{Registry: registry},
		Checker: &loader.TypeChecker{NodeFilters: []loader.NodeFilter{func(node ast.Node) bool {
			_, isInterface := node.(*ast.InterfaceType)
			return !isInterface
		}}},
		AllowDangerousTypes:        true,
		GenerateEmbeddedObjectMeta: embedded,
	}
	crd.AddKnownTypes(r.parser)
	return r, nil
}

// schema is the schema of one type, not flattened, without descriptions, with references by our names.
func (r *reader) schema(name string) (json.RawMessage, error) {
	short, typ, ok := cut(name)
	if !ok {
		return nil, fmt.Errorf("%s: not a type's name", name)
	}
	pkg := r.packages[Path(short)]
	if pkg == nil {
		return nil, fmt.Errorf("%s: package not loaded", name)
	}
	ident := crd.TypeIdent{Package: pkg, Name: typ}
	r.parser.NeedSchemaFor(ident)
	known, ok := r.parser.Schemata[ident]
	if !ok {
		return nil, fmt.Errorf("%s: controller-gen has no schema", name)
	}
	schema := known.DeepCopy()
	crd.EditSchema(schema, &renamer{r: r, pkg: short})
	return json.Marshal(schema)
}

// report prints what controller-gen complained about; type errors are not complaints, for it checks only parts of a package.
func (r *reader) report() {
	for _, pkg := range r.packages {
		for _, err := range pkg.Errors {
			if err.Kind != packages.TypeError {
				fmt.Fprintln(os.Stderr, "controller-gen:", err)
			}
		}
	}
}

// overrides names the types whose schema controller-gen has by heart instead of reading it off the Go type.
func (r *reader) overrides() []string {
	var names []string
	for path, override := range crd.KnownPackages {
		pkg := r.packages[path]
		if pkg == nil || r.short[path] == "" {
			continue
		}
		// A parser that knows no package but this one holds exactly what the override sets.
		probe := &crd.Parser{Collector: r.parser.Collector, Checker: r.parser.Checker}
		crd.AddKnownTypes(probe)
		override(probe, pkg)
		for ident := range probe.Schemata {
			names = append(names, r.short[path]+"."+ident.Name)
		}
	}
	slices.Sort(names)
	return names
}

// renamer drops descriptions and rewrites references.
type renamer struct {
	r   *reader
	pkg string
}

func (v *renamer) Visit(schema *apiextensionsv1.JSONSchemaProps) crd.SchemaVisitor {
	if schema == nil {
		return v
	}
	schema.Description = ""
	if schema.Ref != nil && strings.HasPrefix(*schema.Ref, "#") { // the walker comes back to a reference that changed
		typ, path, err := crd.RefParts(*schema.Ref)
		if err != nil {
			panic(err)
		}
		name := v.pkg + "." + typ
		if path != "" {
			short, known := v.r.short[path]
			if !known {
				short = path
			}
			name = short + "." + typ
		}
		schema.Ref = &name
		v.r.found = append(v.r.found, name)
	}
	return v
}

func cut(name string) (pkg, typ string, ok bool) {
	i := strings.LastIndex(name, ".")
	if i < 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}
