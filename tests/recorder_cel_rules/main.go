// Records what a kube-apiserver makes of the rules of custom resources: for every case a schema with rules, what is
// wrong with the rules, what they cost, and what they say of objects.
//
//	go run . > ../data/cel/rules.jsonl
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
)

type write struct {
	Object   json.RawMessage `json:"object"`
	Old      json.RawMessage `json:"old,omitempty"`
	Errors   [][3]string     `json:"errors"` // field, reason, message; sorted
	Warnings []string        `json:"warnings,omitempty"`
	Left     int64           `json:"left"` // of the budget
}

type compiledRule struct {
	Error       string `json:"error,omitempty"`
	Cost        uint64 `json:"cost"`
	OldSelf     bool   `json:"oldSelf,omitempty"`
	MessageCost uint64 `json:"messageCost,omitempty"`
}

type testCase struct {
	Schema     json.RawMessage `json:"schema"`
	Rules      []compiledRule  `json:"rules,omitempty"`      // of the root
	Definition [][3]string     `json:"definition,omitempty"` // what is wrong with a definition of that schema
	Writes     []write         `json:"writes,omitempty"`
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func flatten(errs field.ErrorList) [][3]string {
	flat := [][3]string{}
	for _, e := range errs {
		flat = append(flat, [3]string{e.Field, string(e.Type), e.ErrorBody()})
	}
	return flat
}

func decode(raw json.RawMessage) map[string]interface{} {
	if raw == nil {
		return nil
	}
	var object map[string]interface{}
	if err := json.Unmarshal(raw, &object); err != nil {
		panic(err)
	}
	return numbers(object).(map[string]interface{})
}

// Whole numbers as the server's decoder gives them.
func numbers(value interface{}) interface{} {
	switch v := value.(type) {
	case map[string]interface{}:
		for k := range v {
			v[k] = numbers(v[k])
		}
	case []interface{}:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}

func record(c *testCase) {
	var external v1.JSONSchemaProps
	if err := json.Unmarshal(c.Schema, &external); err != nil {
		panic(fmt.Sprintf("%v: %s", err, c.Schema))
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		panic(err)
	}
	structural := must(schema.NewStructural(&internal))
	declared := model.SchemaDeclType(structural, true)
	set := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	for _, result := range must(schemacel.Compile(structural, declared, celconfig.PerCallLimit, set, schemacel.NewExpressionsEnvLoader())) {
		rule := compiledRule{Cost: result.MaxCost, OldSelf: result.UsesOldSelf, MessageCost: result.MessageExpressionMaxCost}
		if result.Error != nil {
			rule.Error = result.Error.Detail
		} else if result.MessageExpressionError != nil {
			rule.Error = result.MessageExpressionError.Detail
		}
		c.Rules = append(c.Rules, rule)
	}
	ctx := context.Background()
	definition := &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.com", Version: "v1", Scope: apiextensions.NamespaceScoped,
			Names:      apiextensions.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
			Versions:   []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			Validation: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &internal},
			Conversion: &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
		},
		Status: apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	keep := false
	definition.Spec.PreserveUnknownFields = &keep
	c.Definition = flatten(validation.ValidateCustomResourceDefinition(ctx, definition))
	validator := schemacel.NewValidator(structural, true, celconfig.PerCallLimit)
	for i := range c.Writes {
		w := &c.Writes[i]
		recorder := &warnings{}
		object, old := decode(w.Object), decode(w.Old)
		var oldValue interface{}
		var options []schemacel.Option
		if old != nil {
			oldValue = old
			options = append(options, schemacel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})))
		}
		errs, left := validator.Validate(warning.WithWarningRecorder(ctx, recorder), nil, structural, object, oldValue, celconfig.RuntimeCELCostBudget, options...)
		w.Errors, w.Left, w.Warnings = flatten(errs), left, recorder.texts
		sort.SliceStable(w.Errors, func(a, b int) bool { return w.Errors[a][0] < w.Errors[b][0] })
	}
}

// Types are named by the time at which they were made.
var typeName = regexp.MustCompile(`selfType[0-9]+`)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, c := range cases() {
		record(&c)
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(c); err != nil {
			panic(err)
		}
		out.Write(typeName.ReplaceAll(line.Bytes(), []byte("selfType")))
	}
}
