// Command check records what becomes of expressions when they are compiled: type and tree, or the errors.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"keelson.test/recorder_cel/environment"
)

// Longer ones are not recorded.
const longestTree = 3000

type line struct {
	Expression string `json:"expression"`
	Type       string `json:"type,omitempty"`
	Tree       string `json:"tree,omitempty"`
	Error      string `json:"error,omitempty"`
}

// printer writes a tree: every node as what@offset:type, a call with the overloads that it may mean.
type printer struct {
	*ast.AST
	strings.Builder
}

func (p *printer) list(exprs []ast.Expr) {
	for i, e := range exprs {
		if i > 0 {
			p.WriteString(", ")
		}
		p.expr(e)
	}
}

func (p *printer) mark(e ast.Expr) {
	offsets, _ := p.SourceInfo().GetOffsetRange(e.ID())
	fmt.Fprintf(p, "@%d:%s", offsets.Start, checker.FormatCELType(p.GetType(e.ID())))
}

func (p *printer) expr(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			p.WriteString(strconv.QuoteToASCII(string(v)))
		case types.Bytes:
			fmt.Fprintf(p, "%x", []byte(v))
		default:
			fmt.Fprintf(p, "%v", v.Value())
		}
		p.mark(e)
	case ast.IdentKind:
		p.WriteString(e.AsIdent())
		p.mark(e)
	case ast.SelectKind:
		sel := e.AsSelect()
		if sel.IsTestOnly() {
			p.WriteString("has ")
		}
		p.WriteString("." + sel.FieldName())
		p.mark(e)
		p.WriteString("(")
		p.expr(sel.Operand())
		p.WriteString(")")
	case ast.CallKind:
		call := e.AsCall()
		p.WriteString(call.FunctionName())
		p.mark(e)
		p.WriteString("[" + strings.Join(p.GetOverloadIDs(e.ID()), " ") + "](")
		if call.IsMemberFunction() {
			p.expr(call.Target())
			p.WriteString("; ")
		}
		p.list(call.Args())
		p.WriteString(")")
	case ast.ListKind:
		p.WriteString("list")
		p.mark(e)
		fmt.Fprintf(p, "%v(", e.AsList().OptionalIndices())
		p.list(e.AsList().Elements())
		p.WriteString(")")
	case ast.MapKind:
		p.WriteString("map")
		p.mark(e)
		p.WriteString("(")
		for i, entry := range e.AsMap().Entries() {
			if i > 0 {
				p.WriteString(", ")
			}
			if entry.AsMapEntry().IsOptional() {
				p.WriteString("?")
			}
			p.expr(entry.AsMapEntry().Key())
			p.WriteString(" => ")
			p.expr(entry.AsMapEntry().Value())
		}
		p.WriteString(")")
	case ast.StructKind:
		p.WriteString("message " + e.AsStruct().TypeName())
		p.mark(e)
		p.WriteString("(")
		for i, entry := range e.AsStruct().Fields() {
			if i > 0 {
				p.WriteString(", ")
			}
			if entry.AsStructField().IsOptional() {
				p.WriteString("?")
			}
			p.WriteString(entry.AsStructField().Name() + " => ")
			p.expr(entry.AsStructField().Value())
		}
		p.WriteString(")")
	case ast.ComprehensionKind:
		loop := e.AsComprehension()
		p.WriteString("loop")
		p.mark(e)
		fmt.Fprintf(p, "(%s, %s, %s; ", loop.IterVar(), loop.IterVar2(), loop.AccuVar())
		p.list([]ast.Expr{loop.IterRange(), loop.AccuInit(), loop.LoopCondition(), loop.LoopStep(), loop.Result()})
		p.WriteString(")")
	}
}

func main() {
	env, err := environment.New()
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, expression := range expressions() {
		recorded := line{Expression: expression}
		compiled, issues := env.Compile(expression)
		if issues.Err() != nil {
			recorded.Error = issues.String()
		} else {
			p := &printer{AST: compiled.NativeRep()}
			p.expr(compiled.NativeRep().Expr())
			recorded.Type = checker.FormatCELType(compiled.OutputType())
			if p.Len() <= longestTree {
				recorded.Tree = p.String()
			}
		}
		if err := out.Encode(recorded); err != nil {
			log.Fatal(err)
		}
	}
}
