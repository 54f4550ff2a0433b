// Package transcribe writes Go API types as the C++ headers that say the same to `keelson generate`.
//
// Comments and markers are copied word for word. What Go says in a struct tag and C++ cannot say with a type becomes a
// marker. The order of declarations stays, so a Go file declares a type before it uses it.
//
// Directives in the Go files, which Go's own tools do not take for documentation:
//
//	//transcribe:style=///     comments of this file in another style: ///, /** or both slashes (the default)
//	//transcribe:types=keelson the classes of Keelson instead of those of the standard library
//	//transcribe:enumclass     above a string type: an enum class whose enumerators are the values of its Enum marker
package transcribe

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Header gives the C++ text of one Go file, which belongs to the package own. local has the packages of the same case by
// import path.
func Header(path string, own Package, local map[string]Package) (text string, err error) {
	namespace := own.Namespace
	t := &transcriber{fset: token.NewFileSet(), own: own, local: local, includes: map[string]bool{}, std: map[string]bool{}}
	if t.file, err = parser.ParseFile(t.fset, path, nil, parser.ParseComments); err != nil {
		return "", err
	}
	t.style = "//"
	for _, group := range t.file.Comments {
		for _, comment := range group.List {
			if style, ok := strings.CutPrefix(comment.Text, "//transcribe:style="); ok {
				t.style = style
			}
			t.ours = t.ours || comment.Text == "//transcribe:types=keelson"
		}
	}
	for _, spec := range t.file.Imports {
		if err := t.addImport(spec); err != nil {
			return "", err
		}
	}
	t.comments(t.file.Package, "")
	top := t.out.String()
	t.out.Reset()
	for _, decl := range t.file.Decls {
		if err := t.decl(decl); err != nil {
			return "", fmt.Errorf("%s: %w", t.fset.Position(decl.Pos()), err)
		}
	}
	t.comments(t.end(), "")
	body := strings.Trim(t.out.String(), "\n")

	var head strings.Builder
	head.WriteString(top)
	if top != "" && !strings.HasSuffix(top, "\n\n") {
		head.WriteString("\n")
	}
	head.WriteString("#pragma once\n\n")
	for _, set := range []map[string]bool{t.std, t.includes} {
		var names []string
		for name := range set {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(&head, "#include %s\n", name)
		}
		if len(names) > 0 {
			head.WriteString("\n")
		}
	}
	if body == "" {
		return strings.TrimRight(head.String(), "\n") + "\n", nil
	}
	fmt.Fprintf(&head, "namespace %s {\n\n%s\n\n}  // namespace %s\n", namespace, body, namespace)
	return head.String(), nil
}

// Source gives the C++ text of a Go file of which only the markers matter: its comments, with empty functions and structs
// between them.
func Source(path string, header bool) (string, error) {
	t := &transcriber{fset: token.NewFileSet(), style: "//"}
	var err error
	if t.file, err = parser.ParseFile(t.fset, path, nil, parser.ParseComments); err != nil {
		return "", err
	}
	t.comments(t.file.Package, "")
	if text := t.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		t.out.WriteString("\n")
	}
	if header {
		t.out.WriteString("#pragma once\n\n")
	}
	for _, decl := range t.file.Decls {
		t.comments(decl.Pos(), "")
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			inner := t.out.Len()
			fmt.Fprintf(&t.out, "void %s() {\n", decl.Name.Name)
			empty := t.out.Len()
			t.comments(decl.End(), "  ")
			text := t.out.String()
			t.out.Reset()
			if len(text) == empty {
				fmt.Fprintf(&t.out, "%svoid %s() {}\n\n", text[:inner], decl.Name.Name)
			} else {
				fmt.Fprintf(&t.out, "%s\n}\n\n", strings.TrimRight(text, "\n"))
			}
		case *ast.GenDecl:
			if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
				fmt.Fprintf(&t.out, "struct %s {};\n\n", spec.Name.Name)
			}
		}
	}
	t.comments(t.end(), "")
	return strings.Trim(t.out.String(), "\n") + "\n", nil
}

// TypesOf lists the types that a Go file declares.
func TypesOf(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			names = append(names, spec.(*ast.TypeSpec).Name.Name)
		}
	}
	return names, nil
}

// Package is a Go package as C++ sees it.
type Package struct {
	Namespace string
	Headers   []string          // as written in an #include
	Types     map[string]string // the header of each type
}

type transcriber struct {
	fset     *token.FileSet
	file     *ast.File
	own      Package
	local    map[string]Package
	imports  map[string]string // Go's name for a package to its path
	includes map[string]bool
	std      map[string]bool
	style    string
	ours     bool // Keelson's own lists, maps, texts
	next     int  // first comment group not yet written
	out      strings.Builder
}

func (t *transcriber) addImport(spec *ast.ImportSpec) error {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return err
	}
	if t.imports == nil {
		t.imports = map[string]string{}
	}
	name := path[strings.LastIndex(path, "/")+1:]
	if spec.Name != nil {
		name = spec.Name.Name
	}
	t.imports[name] = path
	for _, header := range t.local[path].Headers {
		t.includes[strconv.Quote(header)] = true
	}
	return nil
}

// comments writes the comment groups before pos: those that stand alone are followed by a blank line.
func (t *transcriber) comments(pos token.Pos, indent string, drop ...string) {
	t.commentsAnd(nil, pos, indent, drop...)
}

// commentsAnd adds markers to the group right above pos, or makes one.
func (t *transcriber) commentsAnd(markers []string, pos token.Pos, indent string, drop ...string) {
	for ; t.next < len(t.file.Comments) && t.file.Comments[t.next].Pos() < pos; t.next++ {
		group := t.file.Comments[t.next]
		var added []string
		apart := t.fset.Position(group.End()).Line+1 < t.fset.Position(pos).Line
		if !apart {
			added, markers = markers, nil
		}
		if t.group(group, added, indent, drop) && apart {
			t.out.WriteString("\n")
		}
	}
	if len(markers) == 1 && t.style == "/**" {
		t.out.WriteString(indent + "/** " + markers[0] + " */\n")
	} else if len(markers) > 0 {
		t.group(&ast.CommentGroup{}, markers, indent, nil)
	}
}

// group writes a comment group with some markers added and says whether it had any line.
func (t *transcriber) group(group *ast.CommentGroup, added []string, indent string, drop []string) bool {
	var lines []string
	for _, comment := range group.List {
		if strings.HasPrefix(comment.Text, "//transcribe:") || slices.ContainsFunc(drop, func(marker string) bool {
			return strings.HasPrefix(strings.TrimSpace(comment.Text[2:]), marker)
		}) {
			continue
		}
		lines = append(lines, comment.Text)
	}
	for len(lines) < len(group.List) && len(lines) > 0 && lines[len(lines)-1] == "//" { // stood above a directive
		lines = lines[:len(lines)-1]
	}
	for _, marker := range added {
		lines = append(lines, "// "+marker)
	}
	if len(lines) == 0 {
		return false
	}
	if t.style == "/**" && !strings.HasPrefix(lines[0], "/*") {
		t.out.WriteString(indent + "/**\n")
		for _, line := range lines {
			t.out.WriteString(strings.TrimRight(indent+" *"+line[2:], " ") + "\n")
		}
		t.out.WriteString(indent + " */\n")
		return true
	}
	for _, line := range lines {
		if t.style == "///" && strings.HasPrefix(line, "//") {
			line = "/" + line
		}
		if strings.HasPrefix(line, "/*") {
			line = strings.ReplaceAll(line, "\t", "  ")
		}
		t.out.WriteString(indent + line + "\n")
	}
	return true
}

// end is behind the last comment, unlike the end of the last declaration.
func (t *transcriber) end() token.Pos {
	file := t.fset.File(t.file.Package)
	return token.Pos(file.Base() + file.Size())
}

func (t *transcriber) skipComments(end token.Pos) {
	for t.next < len(t.file.Comments) && t.file.Comments[t.next].Pos() < end {
		t.next++
	}
}

func (t *transcriber) decl(decl ast.Decl) error {
	general, ok := decl.(*ast.GenDecl)
	if !ok {
		return fmt.Errorf("only types and constants can be written as C++")
	}
	switch general.Tok {
	case token.IMPORT:
		t.comments(general.Pos(), "")
		return nil
	case token.CONST: // the values of an enum class, which stand in its marker too
		t.skipComments(general.End())
		return nil
	case token.TYPE:
		for _, spec := range general.Specs {
			if err := t.typeSpec(general, spec.(*ast.TypeSpec)); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("unexpected %s", general.Tok)
	}
}

func (t *transcriber) typeSpec(decl *ast.GenDecl, spec *ast.TypeSpec) error {
	doc := spec.Doc
	pos := spec.Pos()
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
		pos = decl.Pos()
	}
	if structType, ok := spec.Type.(*ast.StructType); ok {
		t.comments(pos, "")
		return t.structSpec(spec, structType)
	}
	if values, ok := enumClass(doc); ok {
		t.comments(pos, "", "+kubebuilder:validation:Enum=", "+k8s:enum")
		fmt.Fprintf(&t.out, "enum class %s {\n", spec.Name.Name)
		for _, value := range values {
			name := identifier(value)
			if name != value {
				fmt.Fprintf(&t.out, "  %s +keelson:json=%s\n", t.lineStart(), value)
			}
			fmt.Fprintf(&t.out, "  %s,\n", name)
		}
		t.out.WriteString("};\n\n")
		return nil
	}
	t.comments(pos, "")
	typ, err := t.typeName(spec.Type)
	if err != nil {
		return err
	}
	fmt.Fprintf(&t.out, "using %s = %s;\n\n", spec.Name.Name, typ)
	return nil
}

func (t *transcriber) lineStart() string {
	if t.style == "///" {
		return "///"
	}
	return "//"
}

func enumClass(doc *ast.CommentGroup) (values []string, ok bool) {
	if doc == nil {
		return nil, false
	}
	for _, comment := range doc.List {
		text := strings.TrimSpace(comment.Text[2:])
		if list, found := strings.CutPrefix(text, "transcribe:enumclass="); found {
			values = strings.Split(list, ";")
			ok = true
		} else if list, found := strings.CutPrefix(text, "+kubebuilder:validation:Enum="); found && values == nil {
			values = strings.Split(list, ";")
		}
		ok = ok || text == "transcribe:enumclass"
	}
	return values, ok
}

func (t *transcriber) structSpec(spec *ast.TypeSpec, structType *ast.StructType) error {
	var bases []string
	root := slices.ContainsFunc(structType.Fields.List, func(field *ast.Field) bool { return t.isMeta(field.Type) })
	for _, field := range structType.Fields.List {
		if inlined(field) && !t.isMeta(field.Type) {
			typ := field.Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			base, err := t.typeName(typ)
			if err != nil {
				return err
			}
			bases = append(bases, base)
		}
	}
	fmt.Fprintf(&t.out, "struct %s", spec.Name.Name)
	if len(bases) > 0 {
		fmt.Fprintf(&t.out, " : %s", strings.Join(bases, ", "))
	}
	t.out.WriteString(" {\n")
	above := structType.Fields.Opening // the end of the member before
	for i, field := range structType.Fields.List {
		if inlined(field) {
			if t.isMeta(field.Type) {
				t.comments(field.Pos(), "  ") // may be the markers of what follows
				continue
			}
			t.skipComments(field.Pos())
			above = field.End()
			continue
		}
		if i > 0 && t.fset.Position(structType.Fields.List[i-1].End()).Line+1 < t.fset.Position(firstPos(field)).Line {
			t.out.WriteString("\n")
		}
		if err := t.field(field, above, root); err != nil {
			return err
		}
		above = field.End()
	}
	t.comments(structType.End(), "  ")
	t.out.WriteString("};\n\n")
	return nil
}

func firstPos(field *ast.Field) token.Pos {
	if field.Doc != nil {
		return field.Doc.Pos()
	}
	return field.Pos()
}

func inlined(field *ast.Field) bool {
	name, options := jsonTag(field)
	return name == "" || slices.Contains(options, "inline")
}

func jsonTag(field *ast.Field) (name string, options []string) {
	text, _ := strconv.Unquote(field.Tag.Value)
	parts := strings.Split(reflect.StructTag(text).Get("json"), ",")
	return parts[0], parts[1:]
}

// isMeta tells TypeMeta, which has no member in C++.
func (t *transcriber) isMeta(typ ast.Expr) bool {
	selector, ok := typ.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "TypeMeta"
}

func (t *transcriber) field(field *ast.Field, above token.Pos, root bool) error {
	name, options := jsonTag(field)
	typ, err := t.typeName(field.Type)
	if err != nil {
		return err
	}
	var added []string
	member := identifier(name)
	if name == "-" {
		member = strings.ToLower(field.Names[0].Name[:1]) + field.Names[0].Name[1:]
	}
	_, pointer := field.Type.(*ast.StarExpr)
	omitted := slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
	switch {
	case name == "-" || t.saysPresence(field, above):
	case pointer && !omitted:
		added = append(added, "+required")
	case root && (name == "metadata" || name == "status"): // optional without saying so
	case !pointer && omitted:
		added = append(added, "+optional")
	}
	if member != name && member != name+"_" {
		added = append(added, "+keelson:json="+name)
	}
	t.commentsAnd(added, field.Pos(), "  ")
	fmt.Fprintf(&t.out, "  %s %s%s;\n", typ, member, initialiser(typ))
	return nil
}

var presence = []string{"+optional", "+required", "+k8s:optional", "+k8s:required", "+kubebuilder:validation:Optional",
	"+kubebuilder:validation:Required"}

// saysPresence: the field's markers, also those of the block above its documentation but behind above, say whether it is
// required.
func (t *transcriber) saysPresence(field *ast.Field, above token.Pos) bool {
	first := firstPos(field)
	for i, group := range t.file.Comments {
		closest := group.Pos() > above && group.Pos() < first &&
			(i+1 == len(t.file.Comments) || t.file.Comments[i+1].Pos() >= first)
		if group != field.Doc && !(closest && t.fset.Position(group.End()).Line+2 == t.fset.Position(first).Line) {
			continue
		}
		for _, comment := range group.List {
			if slices.Contains(presence, strings.TrimSpace(comment.Text[2:])) {
				return true
			}
		}
	}
	return false
}

func initialiser(typ string) string {
	switch typ {
	case "bool":
		return " = false"
	case "int32_t", "int64_t", "double":
		return " = 0"
	}
	return ""
}

var keywords = []string{"namespace", "template", "class", "default", "operator", "private", "public", "delete", "new",
	"switch", "case", "static", "export", "register", "volatile", "union", "enum", "struct", "int", "long", "short",
	"signed", "auto", "do", "for", "if", "else", "while", "using", "this", "true", "false"}

// identifier is a C++ name for a JSON name or an enumerator's text: keywords get an underscore, other texts lose what a
// name cannot hold.
func identifier(name string) string {
	if slices.Contains(keywords, name) {
		return name + "_"
	}
	var out strings.Builder
	upper := false
	for i, r := range name {
		switch {
		case r >= '0' && r <= '9' && i == 0:
			out.WriteString("n")
			out.WriteRune(r)
		case r >= 'a' && r <= 'z' && upper:
			out.WriteRune(r - 'a' + 'A')
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			out.WriteRune(r)
		default:
			upper = out.Len() > 0
			continue
		}
		upper = false
	}
	return out.String()
}
