package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// generator makes well-typed expressions. None depends on the order in which Go runs through a map.
type generator struct {
	*rand.Rand
	locals map[string][]string // names of loop variables by type
	names  int
}

func (g *generator) pick(choices ...string) string { return choices[g.Intn(len(choices))] }

// with is expr within the scope of a new variable of a type.
func (g *generator) with(variableType string, body func(name string) string) string {
	g.names++
	name := fmt.Sprintf("v%d", g.names)
	before := g.locals[variableType]
	g.locals[variableType] = append(append([]string{}, before...), name)
	text := body(name)
	g.locals[variableType] = before
	return text
}

func (g *generator) leaf(kind string) string {
	if locals := g.locals[kind]; len(locals) > 0 && g.Intn(2) == 0 {
		return g.pick(locals...)
	}
	switch kind {
	case "int":
		return g.pick("0", "1", "2", "7", "-3", "i", "li[0]", "li[1]", "mi.one", "mi['two']", "9223372036854775807", "int(f)",
			"li[9]", "size(ls)", "d.k[0]")
	case "double":
		return g.pick("0.0", "1.5", "f", "-2.25", "double(i)", "self.ratio")
	case "string":
		return g.pick("''", "'a'", "'hello'", "s", "ls[0]", "ls[2]", "ms.a", "ms['b']", "'日本'", "self.name", "self.labels.app",
			"ms['none']", "self.long")
	case "bool":
		return g.pick("true", "false", "b", "has(self.name)", "has(self.nope)", "has(self.nested.deep.x)", "self.enabled")
	case "uint":
		return g.pick("0u", "1u", "7u", "uint(i)", "18446744073709551615u")
	case "bytes":
		return g.pick("b''", "b'ab'", "bytes(s)", "b'\\xff'")
	case "duration":
		return g.pick("duration('0s')", "duration('1h30m')", "duration('-1.5s')", "duration(string(i) + 'm')", "duration('2562047h')")
	case "timestamp":
		return g.pick("timestamp('2024-02-29T12:30:45.25Z')", "timestamp(0)", "timestamp(self.when)", "timestamp(i * 1000000)",
			"timestamp('9999-12-31T23:00:00Z')", "timestamp('1999-12-31T23:59:59-08:00')")
	case "map(int)":
		return g.pick("{'a': 1}", "{s: i}", "{}", "{'k': li[0]}")
	case "list(int)":
		return g.pick("li", "[]", "[1, 2, 3]", "[i]", "self.list", "d.k", "[i, 0]")
	case "list(string)":
		return g.pick("ls", "['a', 'b']", "[s]", "self.names", "self.long.split(' ')")
	case "optional(int)":
		return g.pick("optional.of(i)", "li[?1]", "li[?9]", "mi[?'one']", "mi.?three", "self.?replicas", "self.?nested.?none")
	default: // dyn
		return g.pick("dyn(duration('1s'))", "dyn(timestamp(1))", "dyn(b'a')", "dyn({'a': 1})", "self.mixed[0]", "self.mixed[1]", "self.mixed[3]", "dyn(1)", "dyn('a')", "dyn(2.5)", "dyn(li)", "dyn(ms)",
			"self.nested.deep.er[0]", "self.nothing", "self.nope", "dyn(3u)", "dyn(true)", "self.items[1].name")
	}
}

func (g *generator) expr(kind string, depth int) string {
	if depth <= 0 || g.Intn(6) == 0 {
		return g.leaf(kind)
	}
	sub := func(k string) string { return g.expr(k, depth-1-g.Intn(2)) }
	scalar := func() string {
		return g.pick("int", "string", "bool", "double", "int", "string", "uint", "bytes", "duration", "timestamp")
	}
	if g.Intn(8) == 0 {
		return fmt.Sprintf("(%s ? %s : %s)", sub("bool"), sub(kind), sub(kind))
	}
	switch kind {
	case "int":
		switch g.Intn(12) {
		case 9:
			part := g.pick("getFullYear", "getMonth", "getDayOfYear", "getDate", "getDayOfWeek", "getHours", "getMilliseconds")
			return fmt.Sprintf("%s.%s(%s)", sub("timestamp"), part, g.pick("", "'Asia/Tokyo'", "'-03:30'", "'America/Sao_Paulo'"))
		case 10:
			return fmt.Sprintf("%s.%s()", sub("duration"), g.pick("getHours", "getMinutes", "getSeconds", "getMilliseconds"))
		case 11:
			return fmt.Sprintf("%s[%s]", sub("map(int)"), sub("string"))
		case 0, 1, 2:
			return fmt.Sprintf("(%s %s %s)", sub("int"), g.pick("+", "-", "*", "/", "%"), sub("int"))
		case 3:
			return fmt.Sprintf("size(%s)", sub(g.pick("string", "list(int)", "list(string)")))
		case 4:
			return fmt.Sprintf("%s[%s]", sub("list(int)"), sub("int"))
		case 5:
			return fmt.Sprintf("%s.orValue(%s)", sub("optional(int)"), sub("int"))
		case 6:
			return fmt.Sprintf("int(%s)", sub(g.pick("string", "double", "int")))
		case 7:
			return fmt.Sprintf("%s.sum()", sub("list(int)"))
		default:
			return fmt.Sprintf("(-%s)", sub("int"))
		}
	case "uint":
		return fmt.Sprintf("(%s %s %s)", sub("uint"), g.pick("+", "-", "*", "/", "%"), sub("uint"))
	case "bytes":
		return fmt.Sprintf("(%s + %s)", sub("bytes"), sub("bytes"))
	case "duration":
		if g.Intn(3) == 0 {
			return fmt.Sprintf("(%s - %s)", sub("timestamp"), sub("timestamp"))
		}
		return fmt.Sprintf("(%s %s %s)", sub("duration"), g.pick("+", "-"), sub("duration"))
	case "timestamp":
		return fmt.Sprintf("(%s %s %s)", sub("timestamp"), g.pick("+", "-"), sub("duration"))
	case "map(int)":
		switch g.Intn(3) {
		case 0:
			return fmt.Sprintf("{%s: %s}", sub("string"), sub("int"))
		case 1:
			from := sub("map(int)")
			return g.with("string", func(key string) string {
				return g.with("int", func(value string) string {
					return fmt.Sprintf("%s.transformMap(%s, %s, %s)", from, key, value, sub("int"))
				})
			})
		default:
			list := sub("list(string)")
			return g.with("int", func(index string) string {
				return g.with("string", func(value string) string {
					return fmt.Sprintf("%s.transformMapEntry(%s, %s, {%s: %s})", list, index, value, sub("string"), sub("int"))
				})
			})
		}
	case "double":
		return fmt.Sprintf("(%s %s %s)", sub("double"), g.pick("+", "-", "*", "/"), sub("double"))
	case "string":
		switch g.Intn(8) {
		case 0, 1:
			return fmt.Sprintf("(%s + %s)", sub("string"), sub("string"))
		case 2:
			return fmt.Sprintf("string(%s)", sub(scalar()))
		case 6:
			return fmt.Sprintf("%s.substring(%s)", sub("string"), sub("int"))
		case 7:
			return fmt.Sprintf("%s.replace(%s, %s)", sub("string"), sub("string"), sub("string"))
		case 3:
			return fmt.Sprintf("%s[%s]", sub("list(string)"), sub("int"))
		case 4:
			return fmt.Sprintf("%s.join(%s)", sub("list(string)"), sub("string"))
		default:
			return fmt.Sprintf("%s.%s", sub("string"), g.pick("lowerAscii()", "trim()", "replace('l', 'L')", "charAt(1)"))
		}
	case "bool":
		switch g.Intn(17) {
		case 14:
			return fmt.Sprintf("(%s in %s)", sub("string"), sub("map(int)"))
		case 15:
			return fmt.Sprintf("(%s == %s)", sub("map(int)"), sub("map(int)"))
		case 16:
			k := g.pick("list(int)", "list(string)")
			return fmt.Sprintf("sets.%s(%s, %s)", g.pick("contains", "equivalent", "intersects"), sub(k), sub(k))
		case 0, 1:
			return fmt.Sprintf("(%s %s %s)", sub("bool"), g.pick("&&", "||"), sub("bool"))
		case 2:
			return "!" + sub("bool")
		case 3, 4:
			k := scalar()
			return fmt.Sprintf("(%s %s %s)", sub(k), g.pick("<", "<=", ">", ">=", "==", "!="), sub(k))
		case 5:
			return fmt.Sprintf("(%s %s %s)", sub("int"), g.pick("<", ">="), sub("double"))
		case 6:
			k := g.pick("int", "string")
			return fmt.Sprintf("(%s in %s)", sub(k), sub("list("+k+")"))
		case 7:
			return fmt.Sprintf("%s.%s(%s)", sub("string"), g.pick("contains", "startsWith", "endsWith"), sub("string"))
		case 8:
			return fmt.Sprintf("%s.matches(%s)", sub("string"), g.pick("'^h'", "'l+'", "'[a-z]*o'", "s", sub("string")))
		case 9, 10:
			k := g.pick("int", "string")
			list := sub("list(" + k + ")")
			return g.with(k, func(name string) string {
				return fmt.Sprintf("%s.%s(%s, %s)", list, g.pick("all", "exists", "exists_one"), name, sub("bool"))
			})
		case 11:
			return fmt.Sprintf("(%s %s %s)", sub("dyn"), g.pick("==", "!=", "<", ">="), sub("dyn"))
		case 12:
			k := g.pick("list(int)", "list(string)", "optional(int)")
			return fmt.Sprintf("(%s == %s)", sub(k), sub(k))
		default:
			return fmt.Sprintf("%s.hasValue()", sub("optional(int)"))
		}
	case "list(int)", "list(string)":
		k := strings.TrimSuffix(strings.TrimPrefix(kind, "list("), ")")
		switch g.Intn(8) {
		case 6:
			return fmt.Sprintf("%s.%s()", sub(kind), g.pick("sort", "distinct", "reverse"))
		case 7:
			return fmt.Sprintf("%s.slice(%s, %s)", sub(kind), g.pick("0", "1", sub("int")), g.pick("1", "2", sub("int")))
		case 0:
			return fmt.Sprintf("(%s + %s)", sub(kind), sub(kind))
		case 1:
			return fmt.Sprintf("[%s, %s]", sub(k), sub(k))
		case 2:
			list := sub(kind)
			return g.with(k, func(name string) string { return fmt.Sprintf("%s.filter(%s, %s)", list, name, sub("bool")) })
		case 3:
			from := g.pick("int", "string")
			list := sub("list(" + from + ")")
			return g.with(from, func(name string) string { return fmt.Sprintf("%s.map(%s, %s)", list, name, sub(k)) })
		case 4:
			list := sub(kind)
			return g.with(k, func(name string) string {
				return fmt.Sprintf("%s.map(%s, %s, %s)", list, name, sub("bool"), sub(k))
			})
		default:
			list := sub(kind)
			return g.with("int", func(index string) string {
				return g.with(k, func(name string) string {
					return fmt.Sprintf("%s.transformList(%s, %s, %s)", list, index, name, sub(k))
				})
			})
		}
	case "optional(int)":
		switch g.Intn(4) {
		case 0:
			return fmt.Sprintf("%s[?%s]", sub("list(int)"), sub("int"))
		case 1:
			return fmt.Sprintf("%s.or(%s)", sub(kind), sub(kind))
		case 2:
			optional := sub(kind)
			return g.with("int", func(name string) string { return fmt.Sprintf("%s.optMap(%s, %s)", optional, name, sub("int")) })
		default:
			return fmt.Sprintf("optional.ofNonZeroValue(%s)", sub("int"))
		}
	default:
		switch g.Intn(4) {
		case 0:
			return fmt.Sprintf("dyn(%s)", sub(g.pick("int", "string", "bool", "double", "list(int)")))
		case 1:
			return fmt.Sprintf("(%s %s %s)", sub("dyn"), g.pick("+", "-", "*", "/"), sub("dyn"))
		case 2:
			return fmt.Sprintf("%s[%s]", sub("dyn"), sub(g.pick("dyn", "int", "string")))
		default:
			return fmt.Sprintf("{'a': %s, 'b': %s}.%s", sub("dyn"), sub("dyn"), g.pick("a", "b", "c"))
		}
	}
}

// randomCases gives so many expressions, the same for the same seed.
func randomCases(count int, seed int64) []string {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), locals: map[string][]string{}}
	var all []string
	for len(all) < count {
		g.names = 0
		kind := g.pick("bool", "bool", "bool", "int", "string", "list(int)", "list(string)", "optional(int)", "dyn", "timestamp", "map(int)", "duration")
		if text := g.expr(kind, 2+g.Intn(3)); len(text) > 12 && len(text) < 160 {
			all = append(all, text)
		}
	}
	return all
}
