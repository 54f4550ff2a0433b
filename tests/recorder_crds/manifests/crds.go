package manifests

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"

	"keelson.test/recorder_crds/transcribe"
)

const module = "keelson.test/recorder_crds/"

// Case is one entry of cases.json; paths are relative to that file.
type Case struct {
	Name     string         `json:"name"`
	Variant  string         `json:"variant,omitempty"`
	Headers  []string       `json:"headers,omitempty"`
	Sources  []string       `json:"sources,omitempty"`
	Options  map[string]any `json:"options"`
	Expected []string       `json:"expected"`
}

type variant struct {
	name    string
	options map[string]any
}

var standard = variant{"default", map[string]any{}}

// variants are the runs of each case; cases that are not named have the standard one.
var variants = map[string][]variant{
	"library": {standard,
		{"max_desc_len_0", map[string]any{"maxDescLen": 0}},
		{"max_desc_len_40", map[string]any{"maxDescLen": 40}}},
	"descriptions": {standard,
		{"max_desc_len_0", map[string]any{"maxDescLen": 0}},
		{"max_desc_len_15", map[string]any{"maxDescLen": 15}},
		{"max_desc_len_40", map[string]any{"maxDescLen": 40}},
		{"max_desc_len_200", map[string]any{"maxDescLen": 200}}},
	"workloads": {standard,
		{"embedded_object_meta", map[string]any{"generateEmbeddedObjectMeta": true}}},
	"telemetry": {{"dangerous_types", map[string]any{"allowDangerousTypes": true}},
		{"dangerous_types_short", map[string]any{"allowDangerousTypes": true, "maxDescLen": 20}}},
}

func generator(options map[string]any) genall.Generator {
	omit := true
	g := crd.Generator{OmitToolVersion: &omit}
	if value, ok := options["maxDescLen"].(int); ok {
		g.MaxDescLen = &value
	}
	if value, ok := options["generateEmbeddedObjectMeta"].(bool); ok {
		g.GenerateEmbeddedObjectMeta = &value
	}
	if value, ok := options["allowDangerousTypes"].(bool); ok {
		g.AllowDangerousTypes = &value
	}
	return g
}

// CRDs records every case under cases/crd into the folder out.
func CRDs(out string) error {
	var list []Case
	names, err := folders("cases/crd")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := Clear(filepath.Join(out, name)); err != nil {
			return err
		}
		headers, err := headers(name, out)
		if err != nil {
			return err
		}
		runs := variants[name]
		if runs == nil {
			runs = []variant{standard}
		}
		for _, run := range runs {
			dir := filepath.Join(name, run.name)
			files, err := Run(generator(run.options), "cases/crd/"+name, filepath.Join(out, dir))
			if err != nil {
				return err
			}
			for i := range files {
				files[i] = filepath.Join(dir, files[i])
			}
			list = append(list, Case{Name: name, Variant: run.name, Headers: headers, Options: run.options, Expected: files})
		}
	}
	return writeCases(list, out)
}

func writeCases(list []Case, out string) error {
	text, err := json.MarshalIndent(map[string]any{"cases": list}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "cases.json"), append(text, '\n'), 0o644)
}

func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// headers writes the C++ side of a case.
func headers(name, out string) ([]string, error) {
	root := filepath.Join("cases/crd", name)
	var files []string
	packages := map[string][]string{}       // folder to header names
	types := map[string]map[string]string{} // folder to the headers of its types
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files = append(files, path)
		dir, header := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".go")+".h"
		packages[dir] = append(packages[dir], header)
		declared, err := transcribe.TypesOf(path)
		for _, name := range declared {
			if types[dir] == nil {
				types[dir] = map[string]string{}
			}
			types[dir][name] = header
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var written []string
	for _, file := range files {
		dir := filepath.Dir(file)
		local := map[string]transcribe.Package{}
		for other, names := range packages {
			relative, err := filepath.Rel(dir, other)
			if err != nil {
				return nil, err
			}
			var headers []string
			for _, header := range names {
				headers = append(headers, filepath.Join(relative, header))
			}
			local[module+other] = transcribe.Package{Namespace: namespace(name, other), Headers: headers}
		}
		own := transcribe.Package{Namespace: namespace(name, dir), Types: types[dir]}
		text, err := transcribe.Header(file, own, local)
		if err != nil {
			return nil, err
		}
		target := strings.TrimSuffix(strings.TrimPrefix(file, "cases/crd/"), ".go") + ".h"
		if err := os.MkdirAll(filepath.Join(out, filepath.Dir(target)), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(out, target), []byte(text), 0o644); err != nil {
			return nil, err
		}
		written = append(written, target)
	}
	return written, nil
}

// namespace of a Go package: the case's name and the folders below api.
func namespace(name, dir string) string {
	below := strings.TrimPrefix(strings.TrimPrefix(dir, filepath.Join("cases/crd", name, "api")), "/")
	return strings.Join(append([]string{name}, strings.Split(below, "/")...), "::")
}
