package protobuf

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler fills a Go API object by reflection. Its choices depend only on the seed, and the seed only on the
// type and variant, so that a new type does not change what was recorded for the others.
//
// Only states that survive JSON and protobuf alike are made: no empty but non-nil list or map, no zero time
// behind a pointer, one side of each either-or type.
type filler struct {
	random *rand.Rand
	// How likely an optional thing is present: 1 fills everything.
	density float64
	// How many objects a list gets at most; lists deep inside get one.
	elements int
	// The types being filled, outermost first: a type may stand inside itself only once.
	open []reflect.Type
}

func newFiller(seed string, density float64, elements int) *filler {
	hash := fnv.New64a()
	hash.Write([]byte(seed))
	return &filler{random: rand.New(rand.NewPCG(hash.Sum64(), 0x6b656c73)), density: density, elements: elements}
}

func (f *filler) present() bool { return f.density >= 1 || f.random.Float64() < f.density }

// fill sets v, which is the field called name, or an element of it.
func (f *filler) fill(v reflect.Value, name string) {
	if f.fillKnown(v) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		f.fillStruct(v)
	case reflect.Pointer:
		if f.nesting(v.Type().Elem()) >= 2 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		// A pointer to zero is different from no pointer: sparse objects contain both.
		if f.density < 1 && isScalar(v.Type().Elem()) && f.random.IntN(4) == 0 {
			return
		}
		f.fill(v.Elem(), name)
	case reflect.Slice:
		f.fillSlice(v, name)
	case reflect.Map:
		f.fillMap(v, name)
	case reflect.String:
		v.SetString(f.text(name))
	case reflect.Bool:
		v.SetBool(f.density >= 1 || f.random.IntN(2) == 0)
	case reflect.Int32:
		v.SetInt(pick[int64](f, 1, 7, 80, 300, 8443, 65536, -1, -40, math.MaxInt32, math.MinInt32))
	case reflect.Int64, reflect.Int:
		v.SetInt(pick[int64](f, 1, 30, 127, 128, 16384, 1<<40, -1, -1000, math.MaxInt64, math.MinInt64))
	case reflect.Float64:
		v.SetFloat(pick(f, 0.5, -2.25, 3, 1e21, 1e-7, 12345.678))
	case reflect.Interface:
		v.Set(reflect.ValueOf(pick[any](f, "text", int64(42), 1.5, true)))
	default:
		panic(fmt.Sprintf("no rule to fill %s", v.Type()))
	}
}

func (f *filler) fillStruct(v reflect.Value) {
	f.open = append(f.open, v.Type())
	defer func() { f.open = f.open[:len(f.open)-1] }()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		// Only a root object carries its type; the recorder sets it.
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() || !field.IsExported() {
			continue
		}
		if field.Anonymous || f.present() {
			f.fill(v.Field(i), jsonName(field))
		}
	}
}

func (f *filler) fillSlice(v reflect.Value, name string) {
	element := v.Type().Elem()
	if element.Kind() == reflect.Uint8 {
		v.SetBytes([]byte(pick(f, "bytes", "\x00\x01\xfe\xff", "-----BEGIN-----\n")))
		return
	}
	if f.nesting(element) >= 2 {
		return
	}
	count := 1
	if isScalar(element) {
		count = 2
	} else if len(f.open) <= 4 && f.elements > 1 {
		count += f.random.IntN(f.elements)
	}
	v.Set(reflect.MakeSlice(v.Type(), count, count))
	for i := range count {
		f.fill(v.Index(i), name)
	}
}

func (f *filler) fillMap(v reflect.Value, name string) {
	if f.nesting(v.Type().Elem()) >= 2 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, key := range []string{"example.com/" + name, "b"} {
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value, name)
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), value)
	}
}

// fillKnown sets the types whose JSON or protobuf form is not that of their fields.
func (f *filler) fillKnown(v reflect.Value) bool {
	switch out := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*out = resource.MustParse(pick(f, "100m", "1", "2500m", "64Mi", "1Gi", "5G", "1500", "12e3", "1.5Gi", "100n", "-3", "18446744073709551616"))
	case *metav1.Time:
		out.Time = time.Unix(pick[int64](f, 1, 1136239445, 1700000000, 4102444800, -86400), 0).UTC()
	case *metav1.MicroTime:
		out.Time = time.Unix(pick[int64](f, 1, 1136239445, 1700000000), 1000*pick[int64](f, 0, 1, 120000, 999999)).UTC()
	case *metav1.Duration:
		out.Duration = pick(f, time.Second, 90*time.Second, 1500*time.Millisecond, 36*time.Hour, -time.Minute, time.Nanosecond)
	case *intstr.IntOrString:
		*out = pick(f, intstr.FromInt32(8080), intstr.FromInt32(-1), intstr.FromString("http"), intstr.FromString("25%"))
	case *runtime.RawExtension:
		out.Raw = []byte(pick(f, `{"apiVersion":"example.com/v1","kind":"Thing","spec":{"n":1,"list":[1,2.5,"x",null,true]}}`, `{"data":{"k":"v"}}`))
	case *metav1.FieldsV1:
		out.SetRawBytes([]byte(pick(f, `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}`,
			`{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{}}}}}`)))
	case *apiextensionsv1.JSON:
		out.Raw = []byte(pick(f, `{"a":[1,2,{"b":null}]}`, `"text"`, `7`, `-1.5`, `true`, `[]`))
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		if f.schemaFits() {
			// The JSON reader sets Allows for a schema, so a real object always has both.
			out.Allows, out.Schema = true, f.schema()
		} else {
			out.Allows = f.random.IntN(2) == 0
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if f.random.IntN(2) == 0 {
			out.Schema = f.schema()
		} else {
			out.JSONSchemas = []apiextensionsv1.JSONSchemaProps{*f.schema(), *f.schema()}
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if f.random.IntN(2) == 0 {
			out.Schema = f.schema()
		} else {
			out.Property = []string{"first", "second"}
		}
	default:
		return false
	}
	return true
}

func (f *filler) schemaFits() bool {
	return f.nesting(reflect.TypeFor[apiextensionsv1.JSONSchemaProps]()) < 2
}

// schema makes a schema as deep as the nesting still allows, at least one that says its type.
func (f *filler) schema() *apiextensionsv1.JSONSchemaProps {
	out := &apiextensionsv1.JSONSchemaProps{Type: "string"}
	if f.schemaFits() {
		f.fill(reflect.ValueOf(out).Elem(), "schema")
	}
	return out
}

// nesting counts how often the type, or for a list of it its element, is being filled already.
func (f *filler) nesting(t reflect.Type) int {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	count := 0
	for _, open := range f.open {
		if open == t {
			count++
		}
	}
	return count
}

func (f *filler) text(name string) string {
	text := fmt.Sprintf("%s-%x", name, f.random.IntN(4096))
	if f.random.IntN(16) == 0 {
		text += " \u00e9\u65e5\U0001F600 \"\\\n\t<&>\u2028"
	}
	return text
}

func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return true
	}
	return false
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" {
		return field.Name
	}
	return name
}

func pick[T any](f *filler, choices ...T) T { return choices[f.random.IntN(len(choices))] }
