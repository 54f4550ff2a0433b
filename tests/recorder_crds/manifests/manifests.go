// Package manifests runs controller-gen's generators on the Go packages of the cases.
package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// Run lets one generator read the packages under dir and write to out, and names the files it wrote.
func Run(generator genall.Generator, dir, out string) ([]string, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	roots, err := loader.LoadRoots("./" + dir + "/...")
	if err != nil {
		return nil, err
	}
	forgetDocs(roots)
	runtime, err := genall.Generators{&generator}.ForRoots("./" + dir + "/...")
	if err != nil {
		return nil, err
	}
	runtime.OutputRules.Default = genall.OutputToDirectory(out)
	if runtime.Run() {
		return nil, fmt.Errorf("%s: controller-gen found errors", dir)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	slices.Sort(files)
	return files, nil
}

// forgetDocs makes controller-gen see Kubernetes' own types without documentation, which we have not got.
func forgetDocs(roots []*loader.Package) {
	seen := map[string]bool{}
	var walk func(pkg *loader.Package)
	walk = func(pkg *loader.Package) {
		if seen[pkg.PkgPath] {
			return
		}
		seen[pkg.PkgPath] = true
		if strings.HasPrefix(pkg.PkgPath, "k8s.io/") && !forgotten[pkg.PkgPath] {
			forgotten[pkg.PkgPath] = true
			known, isKnown := crd.KnownPackages[pkg.PkgPath]
			crd.KnownPackages[pkg.PkgPath] = func(p *crd.Parser, pkg *loader.Package) {
				if isKnown {
					known(p, pkg)
				} else {
					p.AddPackage(pkg)
				}
				for ident, info := range p.Types {
					if ident.Package != pkg {
						continue
					}
					info.Doc = ""
					for i := range info.Fields {
						info.Fields[i].Doc = ""
					}
				}
			}
		}
		for _, imported := range pkg.Imports() {
			walk(imported)
		}
	}
	for _, root := range roots {
		walk(root)
	}
}

var forgotten = map[string]bool{}

// Clear empties a folder that holds nothing but recorded files.
func Clear(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Clean(dir), 0o755)
}
