package manifests

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"keelson.test/recorder_crds/transcribe"
)

// Roles records every case under cases/rbac into the folder out.
func Roles(out string) error {
	return markers("rbac", out, rbac.Generator{RoleName: "manager-role"}, map[string]any{"roleName": "manager-role"})
}

// Webhooks records every case under cases/webhook into the folder out.
func Webhooks(out string) error {
	return markers("webhook", out, webhook.Generator{}, map[string]any{})
}

// markers records cases that are nothing but markers in source files.
func markers(kind, out string, generator genall.Generator, options map[string]any) error {
	names, err := folders("cases/" + kind)
	if err != nil {
		return err
	}
	var list []Case
	for _, name := range names {
		if err := Clear(filepath.Join(out, name)); err != nil {
			return err
		}
		sources, err := sources(kind, name, out)
		if err != nil {
			return err
		}
		dir := filepath.Join(name, "expected")
		files, err := Run(generator, "cases/"+kind+"/"+name, filepath.Join(out, dir))
		if err != nil {
			return err
		}
		for i := range files {
			files[i] = filepath.Join(dir, files[i])
		}
		list = append(list, Case{Name: name, Sources: sources, Options: options, Expected: files})
	}
	return writeCases(list, out)
}

func sources(kind, name, out string) ([]string, error) {
	var written []string
	root := "cases/" + kind
	err := filepath.WalkDir(filepath.Join(root, name), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		header := strings.HasSuffix(path, "_types.go")
		text, err := transcribe.Source(path, header)
		if err != nil {
			return err
		}
		target := strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".go") + ".cc"
		if header {
			target = strings.TrimSuffix(target, ".cc") + ".h"
		}
		if err := os.MkdirAll(filepath.Join(out, filepath.Dir(target)), 0o755); err != nil {
			return err
		}
		written = append(written, target)
		return os.WriteFile(filepath.Join(out, target), []byte(text), 0o644)
	})
	return written, err
}
