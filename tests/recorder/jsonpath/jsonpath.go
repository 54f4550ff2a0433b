// Package jsonpath records what kubectl's JSONPath templates print.
package jsonpath

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	apijson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	"keelson/tests/recorder/jsonl"
)

// line is one template applied to one of the documents of jsonpath_documents.json.
type line struct {
	Template         string `json:"template"`
	Document         string `json:"document"`
	AllowMissingKeys bool   `json:"allowMissingKeys,omitempty"`
	OK               bool   `json:"ok"`
	Stage            string `json:"stage,omitempty"` // where it failed: "parse" or "execute"
	Error            string `json:"error,omitempty"`
	Out              string `json:"out"`
	// The template walks a map with several keys, and Go does so in random order: Out is its words, sorted.
	Unordered bool `json:"unordered,omitempty"`
}

// Record writes jsonpath.jsonl and the documents it refers to.
func Record(dir string) error {
	texts := jsonl.Create(dir, "jsonpath_documents.json")
	all := map[string]json.RawMessage{}
	parsed := map[string]any{}
	for name, text := range documents {
		all[name] = json.RawMessage(text)
		var document any
		if err := apijson.Unmarshal([]byte(text), &document); err != nil {
			return fmt.Errorf("document %s: %w", name, err)
		}
		parsed[name] = document
	}
	texts.Add(all)
	if err := texts.Close(); err != nil {
		return err
	}
	file := jsonl.Create(dir, "jsonpath.jsonl")
	for _, group := range templates {
		for _, template := range group.templates {
			for _, allowMissing := range []bool{false, true} {
				out, err := describe(template, group.document, parsed[group.document], allowMissing)
				if err != nil {
					return err
				}
				// The second answer is only worth a line where it differs.
				if !allowMissing || !out.OK || !describedOK(template, parsed[group.document]) {
					file.Add(out)
				}
			}
		}
	}
	return file.Close()
}

func describedOK(template string, document any) bool {
	out, _ := describe(template, "", document, false)
	return out.OK
}

func describe(template, name string, document any, allowMissing bool) (line, error) {
	out := line{Template: template, Document: name, AllowMissingKeys: allowMissing}
	seen := map[string]bool{}
	for range 40 {
		text, stage, err := run(template, document, allowMissing)
		if err != nil {
			out.Stage, out.Error = stage, err.Error()
			return out, nil
		}
		out.OK, out.Out = true, text
		seen[text] = true
	}
	if len(seen) > 1 {
		words := strings.Fields(out.Out)
		sort.Strings(words)
		out.Out, out.Unordered = strings.Join(words, " "), true
	}
	return out, nil
}

func run(template string, document any, allowMissing bool) (text, stage string, err error) {
	stage = "parse"
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	path := jsonpath.New("template").AllowMissingKeys(allowMissing)
	if err := path.Parse(template); err != nil {
		return "", stage, err
	}
	stage = "execute"
	var out bytes.Buffer
	if err := path.Execute(&out, document); err != nil {
		return "", stage, err
	}
	return out.String(), stage, nil
}
