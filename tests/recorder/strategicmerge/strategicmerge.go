// Package strategicmerge records what strategic merge patches do to typed objects, and which patches are made
// from two or three versions of an object.
package strategicmerge

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"keelson/tests/recorder/jsonl"
)

// types maps the names of the type table to the Go types that carry the merge keys.
var types = map[string]any{
	"core/v1.Pod":            corev1.Pod{},
	"core/v1.Service":        corev1.Service{},
	"core/v1.ServiceAccount": corev1.ServiceAccount{},
	"core/v1.Node":           corev1.Node{},
	"core/v1.ConfigMap":      corev1.ConfigMap{},
	"core/v1.Namespace":      corev1.Namespace{},
	"apps/v1.Deployment":     appsv1.Deployment{},
	"apps/v1.StatefulSet":    appsv1.StatefulSet{},
	"networking/v1.Ingress":  networkingv1.Ingress{},
	"rbac/v1.ClusterRole":    rbacv1.ClusterRole{},
}

type applyCase struct {
	name, kind, original, patch string
}

type createCase struct {
	name, kind, original, modified string
}

type threeWayCase struct {
	name, kind, original, modified, current string
	overwrite                               bool
}

type line struct {
	Name      string          `json:"name"`
	Type      string          `json:"type"`
	Original  json.RawMessage `json:"original,omitempty"`
	Modified  json.RawMessage `json:"modified,omitempty"`
	Current   json.RawMessage `json:"current,omitempty"`
	Overwrite *bool           `json:"overwrite,omitempty"`
	Patch     json.RawMessage `json:"patch,omitempty"`
	OK        bool            `json:"ok"`
	Error     string          `json:"error,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// Record writes strategic_merge.jsonl, strategic_merge_create.jsonl and strategic_merge_three_way.jsonl.
func Record(dir string) error {
	if err := recordApply(dir); err != nil {
		return err
	}
	if err := recordCreate(dir); err != nil {
		return err
	}
	return recordThreeWay(dir)
}

func recordApply(dir string) error {
	file := jsonl.Create(dir, "strategic_merge.jsonl")
	for _, c := range applyCases {
		out := line{Name: c.name, Type: c.kind, Original: raw(c.name, c.original), Patch: raw(c.name, c.patch)}
		result, err := apply(c.original, c.patch, c.kind)
		if err != nil {
			out.Error = err.Error()
		} else {
			out.OK, out.Result = true, result
		}
		file.Add(out)
	}
	return file.Close()
}

// apply turns a panic of the Go library, which a few wrong patches cause, into an error.
func apply(original, patch, kind string) (result []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return strategicpatch.StrategicMergePatch([]byte(original), []byte(patch), typeOf(kind))
}

// recordCreate records the patch between two objects, and what applying it to the first one gives.
func recordCreate(dir string) error {
	file := jsonl.Create(dir, "strategic_merge_create.jsonl")
	for _, c := range createCases {
		out := line{Name: c.name, Type: c.kind, Original: raw(c.name, c.original), Modified: raw(c.name, c.modified)}
		patch, err := strategicpatch.CreateTwoWayMergePatch([]byte(c.original), []byte(c.modified), typeOf(c.kind))
		if err != nil {
			out.Error = err.Error()
		} else {
			out.OK, out.Patch = true, patch
			if out.Result, err = strategicpatch.StrategicMergePatch([]byte(c.original), patch, typeOf(c.kind)); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		file.Add(out)
	}
	return file.Close()
}

func recordThreeWay(dir string) error {
	file := jsonl.Create(dir, "strategic_merge_three_way.jsonl")
	for _, c := range threeWayCases {
		out := line{
			Name: c.name, Type: c.kind, Original: raw(c.name, c.original), Modified: raw(c.name, c.modified),
			Current: raw(c.name, c.current), Overwrite: &c.overwrite,
		}
		meta, err := strategicpatch.NewPatchMetaFromStruct(typeOf(c.kind))
		if err != nil {
			return err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch([]byte(c.original), []byte(c.modified), []byte(c.current), meta, c.overwrite)
		if err != nil {
			out.Error = err.Error()
		} else {
			out.OK, out.Patch = true, patch
			if out.Result, err = strategicpatch.StrategicMergePatch([]byte(c.current), patch, typeOf(c.kind)); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		file.Add(out)
	}
	return file.Close()
}

func typeOf(kind string) any {
	object, ok := types[kind]
	if !ok {
		panic("no Go type for " + kind)
	}
	return object
}

func raw(name, text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		panic(fmt.Sprintf("%s: not JSON: %s", name, text))
	}
	return json.RawMessage(text)
}
