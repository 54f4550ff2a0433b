// Records how k8s.io/apimachinery answers random patches, where its answer is the same on every try:
//
//	go run . -cases 400 -out ../data
//
// The seed is fixed, so running it again writes the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Go visits the members of a map in a random order; an answer that depends on it is no fact.
const tries = 12

type kind struct {
	name   string
	sample any
	make   func(*generator) object
}

var kinds = []kind{
	{"core/v1.Pod", corev1.Pod{}, (*generator).pod},
	{"core/v1.Pod", corev1.Pod{}, (*generator).pod},
	{"apps/v1.Deployment", appsv1.Deployment{}, (*generator).deployment},
	{"policy/v1.PodDisruptionBudget", policyv1.PodDisruptionBudget{}, (*generator).disruptionBudget},
}

func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(buffer.Bytes())
}

// Puts the answer into `line`, under `name`; false when tries differ. A panic is an error.
func record(line object, name string, ask func() ([]byte, error)) bool {
	var first []byte
	firstOK := false
	for i := range tries {
		answer, ok := attempt(ask)
		if i == 0 {
			first, firstOK = answer, ok
		} else if ok != firstOK || (ok && !bytes.Equal(answer, first)) {
			return false
		}
	}
	line["ok"] = firstOK
	if firstOK {
		line[name] = json.RawMessage(first)
	}
	return true
}

func attempt(ask func() ([]byte, error)) (answer []byte, ok bool) {
	defer func() {
		if recover() != nil {
			answer, ok = nil, false
		}
	}()
	answer, err := ask()
	return answer, err == nil
}

// Writes `count` lines; next makes one, or says that it is no use.
func write(out, name string, count int, next func() (object, bool)) {
	var buffer bytes.Buffer
	errors := 0
	for lines := 0; lines < count; {
		line, good := next()
		if !good {
			continue
		}
		if line["ok"] == false {
			if errors*6 > lines {
				continue // enough of them
			}
			errors++
		}
		buffer.Write(encode(line))
		buffer.WriteByte('\n')
		lines++
	}
	path := filepath.Join(out, name)
	if err := os.WriteFile(path, buffer.Bytes(), 0o644); err != nil {
		panic(err)
	}
	fmt.Printf("%s: %d lines, %d of them errors, %d bytes\n", path, count, errors, buffer.Len())
}

func main() {
	out := flag.String("out", "../data", "folder to write to")
	cases := flag.Int("cases", 400, "lines in each file")
	seed := flag.Int64("seed", 1, "of the random documents")
	flag.Parse()

	random := rand.New(rand.NewSource(*seed))
	document := &generator{random: random}
	patch := &generator{random: random, patch: true}
	pick := func() kind { return kinds[random.Intn(len(kinds))] }

	write(*out, "strategic_merge_more.jsonl", *cases, func() (object, bool) {
		k := pick()
		original, change := encode(k.make(document)), encode(k.make(patch))
		line := object{"type": k.name, "original": json.RawMessage(original), "patch": json.RawMessage(change)}
		good := record(line, "result", func() ([]byte, error) {
			return strategicpatch.StrategicMergePatch(original, change, k.sample)
		})
		return line, good
	})
	write(*out, "strategic_merge_create_more.jsonl", *cases/2, func() (object, bool) {
		k := pick()
		original, modified := encode(k.make(document)), encode(k.make(document))
		line := object{"type": k.name, "original": json.RawMessage(original), "modified": json.RawMessage(modified)}
		good := record(line, "patch", func() ([]byte, error) {
			return strategicpatch.CreateTwoWayMergePatch(original, modified, k.sample)
		})
		return line, good
	})
	write(*out, "strategic_merge_three_way_more.jsonl", *cases/2, func() (object, bool) {
		k := pick()
		original, modified, current := encode(k.make(document)), encode(k.make(document)), encode(k.make(document))
		overwrite := random.Intn(4) > 0
		if random.Intn(4) == 0 {
			current = original
		}
		line := object{"type": k.name, "original": json.RawMessage(original), "modified": json.RawMessage(modified),
			"current": json.RawMessage(current), "overwrite": overwrite}
		schema, err := strategicpatch.NewPatchMetaFromStruct(k.sample)
		if err != nil {
			panic(err)
		}
		good := record(line, "patch", func() ([]byte, error) {
			return strategicpatch.CreateThreeWayMergePatch(original, modified, current, schema, overwrite)
		})
		return line, good
	})
	write(*out, "merge_patch_three_way_more.jsonl", *cases/4, func() (object, bool) {
		documents := [3]any{document.anything(3), document.anything(3), document.anything(3)}
		for _, d := range documents {
			if _, ok := d.(object); !ok {
				return nil, false
			}
		}
		original, modified, current := encode(documents[0]), encode(documents[1]), encode(documents[2])
		line := object{"original": json.RawMessage(original), "modified": json.RawMessage(modified),
			"current": json.RawMessage(current)}
		good := record(line, "patch", func() ([]byte, error) {
			return jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current)
		})
		return line, good
	})
}
