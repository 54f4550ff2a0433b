// Package environment is what the recorded expressions are compiled in: Kubernetes' environment for rules of custom
// resources, with variables of every type.
package environment

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"k8s.io/apimachinery/pkg/util/version"
)

func object(name string, fields map[string]*apiservercel.DeclType) *apiservercel.DeclType {
	declared := map[string]*apiservercel.DeclField{}
	for field, fieldType := range fields {
		declared[field] = apiservercel.NewDeclField(field, fieldType, false, nil, nil)
	}
	return apiservercel.NewObjectType(name, declared)
}

// New gives the environment that kube-apiserver v1.36 compiles new rules in.
func New() (*cel.Env, error) {
	text := apiservercel.StringType
	item := object("Item", map[string]*apiservercel.DeclType{
		"name": text, "port": apiservercel.IntType, "tags": apiservercel.NewListType(text, -1),
	})
	self := object("Self", map[string]*apiservercel.DeclType{
		"name": text, "replicas": apiservercel.IntType, "count": apiservercel.UintType, "ratio": apiservercel.DoubleType,
		"enabled": apiservercel.BoolType, "data": apiservercel.BytesType, "created": apiservercel.TimestampType,
		"timeout": apiservercel.DurationType, "any": apiservercel.DynType, "item": item,
		"tags": apiservercel.NewListType(text, -1), "items": apiservercel.NewListType(item, -1),
		"labels": apiservercel.NewMapType(text, text, -1), "byName": apiservercel.NewMapType(text, item, -1),
		"matrix": apiservercel.NewListType(apiservercel.NewListType(apiservercel.IntType, -1), -1),
		"__if__": text, "a__dash__b": text,
	})
	extended, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		DeclTypes:         []*apiservercel.DeclType{self},
		EnvOptions: []cel.EnvOption{
			cel.Variable("self", self.CelType()), cel.Variable("oldSelf", types.NewOptionalType(self.CelType())),
			cel.Variable("b", cel.BoolType), cel.Variable("i", cel.IntType), cel.Variable("u", cel.UintType),
			cel.Variable("f", cel.DoubleType), cel.Variable("s", cel.StringType), cel.Variable("by", cel.BytesType),
			cel.Variable("t", cel.TimestampType), cel.Variable("p", cel.DurationType), cel.Variable("d", cel.DynType),
			cel.Variable("n", cel.NullType), cel.Variable("li", cel.ListType(cel.IntType)),
			cel.Variable("ls", cel.ListType(cel.StringType)), cel.Variable("ld", cel.ListType(cel.DynType)),
			cel.Variable("ms", cel.MapType(cel.StringType, cel.StringType)),
			cel.Variable("mi", cel.MapType(cel.StringType, cel.IntType)),
			cel.Variable("md", cel.MapType(cel.StringType, cel.DynType)),
			cel.Variable("os", types.NewOptionalType(cel.StringType)), cel.Variable("a.b.c", cel.IntType),
			cel.Variable("w", types.NewNullableType(cel.IntType)),
		},
	})
	if err != nil {
		return nil, err
	}
	return extended.Env(environment.NewExpressions)
}
