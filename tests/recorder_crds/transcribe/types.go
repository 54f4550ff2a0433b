package transcribe

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

var basic = map[string]string{"bool": "bool", "string": "std::string", "int32": "int32_t", "int64": "int64_t",
	"float64": "double"}

// values are the types that stand directly in the namespace keelson.
var values = map[string][2]string{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 {"Quantity", "quantity.h"},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               {"IntOrString", "int_or_string.h"},
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  {"RawExtension", "raw.h"},
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": {"Json", "json.h"},
}

// ours are Keelson's own classes: what to write and the header.
var ours = map[string][2]string{"string": {"keelson::String", "string.h"}, "optional": {"keelson::Optional", "optional.h"},
	"vector": {"keelson::List", "list.h"}, "map": {"keelson::Map", "map.h"}}

// class is a class of the standard library, or Keelson's own.
func (t *transcriber) class(name string) string {
	if t.ours {
		t.includes[strconv.Quote("keelson/api/"+ours[name][1])] = true
		return ours[name][0]
	}
	t.std["<"+name+">"] = true
	return "std::" + name
}

func (t *transcriber) typeName(expr ast.Expr) (string, error) {
	switch typ := expr.(type) {
	case *ast.Ident:
		if name, ok := basic[typ.Name]; ok {
			if name == "std::string" {
				return t.class("string"), nil
			} else if strings.HasSuffix(name, "_t") {
				t.std["<cstdint>"] = true
			}
			return name, nil
		}
		if typ.Obj == nil { // declared in another file
			header, ok := t.own.Types[typ.Name]
			if !ok {
				return "", fmt.Errorf("no C++ counterpart of %s", typ.Name)
			}
			t.includes[strconv.Quote(header)] = true
		}
		return typ.Name, nil
	case *ast.SelectorExpr:
		return t.foreign(t.imports[typ.X.(*ast.Ident).Name], typ.Sel.Name)
	case *ast.StarExpr:
		inner, err := t.typeName(typ.X)
		return t.class("optional") + "<" + inner + ">", err
	case *ast.ArrayType:
		if element, ok := typ.Elt.(*ast.Ident); ok && element.Name == "byte" {
			t.includes[`"keelson/api/string.h"`] = true
			return "keelson::Bytes", nil
		}
		inner, err := t.typeName(pointee(typ.Elt))
		if inner == "bool" { // std::vector<bool> has no elements to point to
			t.includes[`"keelson/api/list.h"`] = true
			return "keelson::List<bool>", err
		}
		return t.class("vector") + "<" + inner + ">", err
	case *ast.MapType:
		inner, err := t.typeName(pointee(typ.Value))
		if t.ours {
			return t.class("map") + "<" + inner + ">", err
		}
		return t.class("map") + "<" + t.class("string") + ", " + inner + ">", err
	default:
		return "", fmt.Errorf("no C++ counterpart of %T", expr)
	}
}

// pointee: elements of lists and maps are values in C++.
func pointee(expr ast.Expr) ast.Expr {
	if star, ok := expr.(*ast.StarExpr); ok {
		return star.X
	}
	return expr
}

func (t *transcriber) foreign(path, name string) (string, error) {
	if pkg, ok := t.local[path]; ok {
		return pkg.Namespace + "::" + name, nil
	}
	if value, ok := values[path+"."+name]; ok {
		t.includes[strconv.Quote("keelson/api/"+value[1])] = true
		return "keelson::" + value[0], nil
	}
	group, ok := strings.CutPrefix(path, "k8s.io/api/")
	switch path {
	case "k8s.io/apimachinery/pkg/apis/meta/v1":
		group, ok = "meta/v1", true
	case "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1":
		group, ok = "apiextensions/v1", true
	}
	if !ok {
		return "", fmt.Errorf("no C++ counterpart of %s.%s", path, name)
	}
	t.includes[strconv.Quote("keelson/api/"+group+".h")] = true
	return "keelson::" + strings.ReplaceAll(group, "/", "") + "::" + name, nil
}
