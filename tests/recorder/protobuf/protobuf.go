// Package protobuf records API objects in both of their encodings: JSON and protobuf.
package protobuf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	clientauthenticationv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	clientauthenticationv1beta1 "k8s.io/client-go/pkg/apis/clientauthentication/v1beta1"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"

	"keelson/tests/recorder/jsonl"
)

// root is one object type that can stand alone: it has an apiVersion and a kind.
type root struct {
	key string // the name in types.json, such as "core/v1.Pod"
	gvk schema.GroupVersionKind
	typ reflect.Type
}

// line is what is recorded of one object.
type line struct {
	Type       string          `json:"type"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Variant    string          `json:"variant"`
	JSON       json.RawMessage `json:"json"`
	// The message without the envelope; null where the Go type has no protobuf form.
	Protobuf []byte `json:"protobuf"`
}

// message is what the generated protobuf code of an API type offers.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Record writes dir/protobuf/<group>_<version>.jsonl for every root type of the type table, and the envelopes.
func Record(dir, typesFile string) error {
	roots, err := readRoots(typesFile)
	if err != nil {
		return err
	}
	files := map[string]*jsonl.File{}
	for _, r := range roots {
		groupVersion, _, _ := strings.Cut(r.key, ".")
		name := strings.ReplaceAll(groupVersion, "/", "_") + ".jsonl"
		if files[name] == nil {
			files[name] = jsonl.Create(filepath.Join(dir, "protobuf"), name)
		}
		for _, v := range variantsOf(r) {
			recorded, err := recordObject(r, v)
			if err != nil {
				return fmt.Errorf("%s (%s): %w", r.key, v.name, err)
			}
			files[name].Add(recorded)
		}
	}
	for _, name := range sortedKeys(files) {
		if err := files[name].Close(); err != nil {
			return err
		}
	}
	return recordEnvelopes(dir)
}

type variant struct {
	name     string
	seed     string
	density  float64
	elements int
}

// variantsOf fills everything once; list types, whose items are recorded on their own, stay smaller.
func variantsOf(r root) []variant {
	items, isList := r.typ.FieldByName("Items")
	if isList && items.Type.Elem().Kind() == reflect.Struct {
		return []variant{{"full", "1", 1, 1}, {"empty", "", 0, 0}, {"sparse", "1", 0.3, 2}}
	}
	return []variant{{"full", "1", 1, 2}, {"empty", "", 0, 0}, {"sparse", "1", 0.25, 2}, {"sparse", "2", 0.5, 2}}
}

func recordObject(r root, v variant) (line, error) {
	object := reflect.New(r.typ)
	if v.density > 0 {
		f := newFiller(r.key+"/"+v.name+"/"+v.seed, v.density, v.elements)
		f.fill(object.Elem(), "")
		if items := object.Elem().FieldByName("Items"); items.IsValid() && items.IsNil() {
			f.fill(items, "items")
		}
	}
	setType(object, r.gvk)
	encoded, err := json.Marshal(object.Interface())
	if err != nil {
		return line{}, err
	}
	out := line{Type: r.key, APIVersion: r.gvk.GroupVersion().String(), Kind: r.gvk.Kind, Variant: v.name, JSON: encoded}
	if m, ok := object.Interface().(message); ok && hasProtobuf(r.typ) {
		if out.Protobuf, err = m.Marshal(); err != nil {
			return line{}, err
		}
		if out.Protobuf == nil {
			out.Protobuf = []byte{}
		}
	}
	return out, checkBothWays(r, out)
}

// hasProtobuf tells whether the type has a protobuf form of its own: a struct without one still inherits the
// methods of its embedded TypeMeta.
func hasProtobuf(t reflect.Type) bool {
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("protobuf"); t.Field(i).Type != reflect.TypeFor[metav1.TypeMeta]() && tag != "" && tag != "-" {
			return true
		}
	}
	return false
}

// setType fills apiVersion and kind, in an embedded TypeMeta or, in a kubeconfig, as plain fields.
func setType(object reflect.Value, gvk schema.GroupVersionKind) {
	apiVersion, kind := object.Elem().FieldByName("APIVersion"), object.Elem().FieldByName("Kind")
	if apiVersion.IsValid() && kind.IsValid() {
		apiVersion.SetString(gvk.GroupVersion().String())
		kind.SetString(gvk.Kind)
	}
}

// checkBothWays makes sure that the recorded JSON and protobuf say the same: each, decoded by Kubernetes'
// own code, encodes to the other.
func checkBothWays(r root, recorded line) error {
	fromJSON := reflect.New(r.typ).Interface()
	if err := json.Unmarshal(recorded.JSON, fromJSON); err != nil {
		return err
	}
	again, err := json.Marshal(fromJSON)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, recorded.JSON) {
		return fmt.Errorf("the JSON changes when it is read and written again:\n%s\n%s", recorded.JSON, again)
	}
	if recorded.Protobuf == nil {
		return nil
	}
	encoded, err := fromJSON.(message).Marshal()
	if err != nil {
		return err
	}
	if !bytes.Equal(encoded, recorded.Protobuf) {
		return fmt.Errorf("the protobuf made from the JSON differs")
	}
	fromProtobuf := reflect.New(r.typ)
	if err := fromProtobuf.Interface().(message).Unmarshal(recorded.Protobuf); err != nil {
		return err
	}
	setType(fromProtobuf, r.gvk)
	again, err = json.Marshal(fromProtobuf.Interface())
	if err != nil {
		return err
	}
	if !bytes.Equal(again, recorded.JSON) {
		return fmt.Errorf("the JSON made from the protobuf differs:\n%s\n%s", recorded.JSON, again)
	}
	return nil
}

// metaRoots are the types of meta/v1 that stand alone in requests and answers.
var metaRoots = map[string]any{
	"v1/Status":                                metav1.Status{},
	"v1/APIGroup":                              metav1.APIGroup{},
	"v1/APIGroupList":                          metav1.APIGroupList{},
	"v1/APIResourceList":                       metav1.APIResourceList{},
	"v1/APIVersions":                           metav1.APIVersions{},
	"v1/WatchEvent":                            metav1.WatchEvent{},
	"meta.k8s.io/v1/ApplyOptions":              metav1.ApplyOptions{},
	"meta.k8s.io/v1/CreateOptions":             metav1.CreateOptions{},
	"meta.k8s.io/v1/DeleteOptions":             metav1.DeleteOptions{},
	"meta.k8s.io/v1/GetOptions":                metav1.GetOptions{},
	"meta.k8s.io/v1/ListOptions":               metav1.ListOptions{},
	"meta.k8s.io/v1/PatchOptions":              metav1.PatchOptions{},
	"meta.k8s.io/v1/UpdateOptions":             metav1.UpdateOptions{},
	"meta.k8s.io/v1/PartialObjectMetadata":     metav1.PartialObjectMetadata{},
	"meta.k8s.io/v1/PartialObjectMetadataList": metav1.PartialObjectMetadataList{},
	"meta.k8s.io/v1/Table":                     metav1.Table{},
}

// readRoots finds the Go type of every entry of the type table that has a gvk.
func readRoots(typesFile string) ([]root, error) {
	data, err := os.ReadFile(typesFile)
	if err != nil {
		return nil, err
	}
	var table map[string]struct {
		GVK []string `json:"gvk"`
	}
	if err := json.Unmarshal(data, &table); err != nil {
		return nil, err
	}
	known := knownTypes()
	var roots []root
	for _, key := range sortedKeys(table) {
		for _, gvk := range table[key].GVK {
			group, rest, _ := strings.Cut(gvk, "/")
			version, kind, _ := strings.Cut(rest, "/")
			r := root{key: key, gvk: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}}
			if key == "clientcmd/api/v1.Config" {
				r.typ = reflect.TypeFor[clientcmdv1.Config]()
			} else if object, err := known.New(r.gvk); err == nil {
				r.typ = reflect.TypeOf(object).Elem()
			} else {
				return nil, err
			}
			roots = append(roots, r)
		}
	}
	for _, name := range sortedKeys(metaRoots) {
		slash := strings.LastIndex(name, "/")
		gv, err := schema.ParseGroupVersion(name[:slash])
		if err != nil {
			return nil, err
		}
		roots = append(roots, root{"meta/v1." + name[slash+1:], gv.WithKind(name[slash+1:]), reflect.TypeOf(metaRoots[name])})
	}
	return roots, nil
}

func knownTypes() *runtime.Scheme {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(admissionv1.AddToScheme(known))
	utilruntime.Must(apidiscoveryv2.AddToScheme(known))
	utilruntime.Must(apiextensionsv1.AddToScheme(known))
	utilruntime.Must(apiregistrationv1.AddToScheme(known))
	utilruntime.Must(metricsv1beta1.AddToScheme(known))
	utilruntime.Must(clientauthenticationv1.AddToScheme(known))
	utilruntime.Must(clientauthenticationv1beta1.AddToScheme(known))
	return known
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
