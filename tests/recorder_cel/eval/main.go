// Command eval records what expressions evaluate to in the environment of rules of custom resources: the value or the
// error, and the cost. With -random 1000 -seed 7 these are random ones instead of those in cases.go.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

type line struct {
	Expression string  `json:"expression"`
	Value      string  `json:"value,omitempty"`
	Error      string  `json:"error,omitempty"`
	Plan       bool    `json:"plan,omitempty"` // the error came before the first evaluation
	Cost       *uint64 `json:"cost,omitempty"`
}

// What the variables hold: the first line of the recording.
const document = `{
  "self": {
    "name": "web", "replicas": 3, "minReplicas": 1, "maxReplicas": 5, "ratio": 0.5, "rate": 2.5, "enabled": true,
    "nothing": null, "empty": {}, "list": [1, 2, 3], "names": ["a", "bb", "ccc"], "mixed": [1, "a", true, null, 2.5],
    "nested": {"deep": {"er": [{"x": 1}, {"x": 2}]}}, "labels": {"app": "web", "tier": "front"}, "uni": "héllo wörld 日本",
    "long": "the quick brown fox jumps over the lazy dog", "items": [{"name": "x", "port": 80}, {"name": "y", "port": 443}],
    "index": 1, "key": "app", "when": "2024-02-29T12:30:45Z"
  },
  "li": [3, 1, 2], "ls": ["x", "yy", "zzz"], "ms": {"a": "1", "b": "2"}, "mi": {"one": 1, "two": 2},
  "i": 7, "f": 2.5, "s": "hello", "b": true, "d": {"k": [10, 20]}
}`

func variables() (map[string]any, error) {
	decoder := json.NewDecoder(strings.NewReader(document))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil, err
	}
	return numbers(values).(map[string]any), nil
}

// numbers makes integers of JSON numbers that are written as such.
func numbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = numbers(member)
		}
	case []any:
		for i, item := range v {
			v[i] = numbers(item)
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		number, _ := v.Float64()
		return number
	}
	return value
}

func newEnvironment() (*cel.Env, error) {
	extended, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("self", cel.MapType(cel.StringType, cel.DynType)), cel.Variable("li", cel.ListType(cel.IntType)),
			cel.Variable("ls", cel.ListType(cel.StringType)), cel.Variable("ms", cel.MapType(cel.StringType, cel.StringType)),
			cel.Variable("mi", cel.MapType(cel.StringType, cel.IntType)), cel.Variable("i", cel.IntType),
			cel.Variable("f", cel.DoubleType), cel.Variable("s", cel.StringType), cel.Variable("b", cel.BoolType),
			cel.Variable("d", cel.DynType),
		},
	})
	if err != nil {
		return nil, err
	}
	return extended.Env(environment.StoredExpressions)
}

func record(env *cel.Env, expression string, values map[string]any) (line, error) {
	recorded := line{Expression: expression}
	tree, issues := env.Compile(expression)
	if issues.Err() != nil {
		return recorded, issues.Err()
	}
	program, err := env.Program(tree)
	if err != nil {
		recorded.Error, recorded.Plan = err.Error(), true
		return recorded, nil
	}
	value, details, err := program.Eval(values)
	if details != nil {
		recorded.Cost = details.ActualCost()
	}
	if err != nil {
		recorded.Error = err.Error()
		return recorded, nil
	}
	recorded.Value = types.Format(value.(ref.Val))
	return recorded, nil
}

func main() {
	random := flag.Int("random", 0, "how many random expressions to record; 0: those in cases.go")
	seed := flag.Int64("seed", 1, "of the random expressions")
	flag.Parse()
	expressions := cases()
	if *random > 0 {
		expressions = randomCases(*random, *seed)
	}
	env, err := newEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	values, err := variables()
	if err != nil {
		log.Fatal(err)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"variables": values}); err != nil {
		log.Fatal(err)
	}
	seen := map[string]bool{}
	for _, expression := range expressions {
		if seen[expression] {
			continue
		}
		seen[expression] = true
		recorded, err := record(env, expression, values)
		if err != nil && *random > 0 {
			continue // dyn beside another type in a list
		}
		if err != nil {
			log.Fatalf("%s: %v", expression, err)
		}
		// Names of Go types, and panics, are not worth having right.
		if *random > 0 && (strings.Contains(recorded.Error, "invalid qualifier type") || strings.Contains(recorded.Error, "internal error")) {
			continue
		}
		if err := encoder.Encode(recorded); err != nil {
			log.Fatal(err)
		}
	}
}
