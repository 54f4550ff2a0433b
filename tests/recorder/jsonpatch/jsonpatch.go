// Package jsonpatch records JSON patches (RFC 6902, with the pointers of RFC 6901) and merge patches (RFC 7386):
// what the standard says, and what the library that Kubernetes uses makes of it.
package jsonpatch

import (
	"bytes"
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"keelson/tests/recorder/jsonl"
)

// patchCase states by hand what the standard demands: the result, or "" for an error.
type patchCase struct {
	name, original, patch, rfc string
}

type line struct {
	Name             string          `json:"name"`
	Original         json.RawMessage `json:"original"`
	Patch            json.RawMessage `json:"patch"`
	RFCOK            bool            `json:"rfc_ok"`
	RFCResult        json.RawMessage `json:"rfc_result,omitempty"`
	KubernetesOK     bool            `json:"kubernetes_ok"`
	KubernetesResult json.RawMessage `json:"kubernetes_result,omitempty"`
	KubernetesError  string          `json:"kubernetes_error,omitempty"`
	Differs          bool            `json:"differs,omitempty"`
}

// Record writes json_patch.jsonl and merge_patch.jsonl.
func Record(dir string) error {
	file := jsonl.Create(dir, "json_patch.jsonl")
	for _, c := range patchCases {
		file.Add(describe(c, applyPatch))
	}
	if err := file.Close(); err != nil {
		return err
	}
	merges := jsonl.Create(dir, "merge_patch.jsonl")
	for _, c := range mergeCases {
		merges.Add(describe(c, jsonpatch.MergePatch))
	}
	return merges.Close()
}

func applyPatch(original, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return operations.Apply(original)
}

func describe(c patchCase, apply func(original, patch []byte) ([]byte, error)) line {
	out := line{Name: c.name, Original: raw(c.name, c.original), Patch: raw(c.name, c.patch), RFCOK: c.rfc != ""}
	if out.RFCOK {
		out.RFCResult = raw(c.name, c.rfc)
	}
	result, err := protect(apply, []byte(c.original), []byte(c.patch))
	if err != nil {
		out.KubernetesError = err.Error()
	} else {
		out.KubernetesOK, out.KubernetesResult = true, raw(c.name, string(result))
	}
	out.Differs = out.RFCOK != out.KubernetesOK || !sameJSON(out.RFCResult, out.KubernetesResult)
	return out
}

// protect turns a panic of the library into an error.
func protect(apply func(original, patch []byte) ([]byte, error), original, patch []byte) (result []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return apply(original, patch)
}

func sameJSON(a, b json.RawMessage) bool { return bytes.Equal(sorted(a), sorted(b)) }

// sorted writes the value again, so that only the order of keys and white space is lost.
func sorted(text json.RawMessage) []byte {
	if text == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return out
}

func raw(name, text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		panic(fmt.Sprintf("%s: not JSON: %q", name, text))
	}
	return json.RawMessage(text)
}
