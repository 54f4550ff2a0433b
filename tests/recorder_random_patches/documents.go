package main

import "math/rand"

// A random document, or a random patch for one: few names and few values, so that the two often meet.
type generator struct {
	random *rand.Rand
	patch  bool // with nulls and directives
}

type object = map[string]any

func (g *generator) chance(percent int) bool { return g.random.Intn(100) < percent }

func (g *generator) word(words ...string) string { return words[g.random.Intn(len(words))] }

// Puts a member in most of the time; in a patch sometimes as null.
func (g *generator) put(to object, name string, percent int, value func() any) {
	if !g.chance(percent) {
		return
	}
	if g.patch && g.chance(8) {
		to[name] = nil
		return
	}
	to[name] = value()
}

func (g *generator) scalar() any {
	switch g.random.Intn(5) {
	case 0:
		return int64(g.random.Intn(3))
	case 1:
		return g.chance(50)
	case 2:
		return 1.5
	default:
		return g.word("x", "y", "z")
	}
}

func (g *generator) texts(words ...string) any {
	list := []any{}
	for _, i := range g.random.Perm(len(words)) {
		if g.chance(45) {
			list = append(list, words[i])
		}
	}
	if len(list) > 0 && g.chance(4) {
		list = append(list, list[0])
	}
	return list
}

func (g *generator) textMap() any {
	labels := object{}
	for _, key := range []string{"a", "b", "c"} {
		g.put(labels, key, 50, func() any { return g.word("1", "2") })
	}
	return g.directive(labels)
}

// Sometimes makes the object of a patch one that replaces or deletes.
func (g *generator) directive(value object) object {
	if g.patch && g.chance(4) {
		value["$patch"] = g.word("replace", "delete", "replace", "delete", "merge")
	}
	return value
}

// A list of objects told apart by `key`, with directives in a patch.
func (g *generator) elements(key string, keys []any, fill func(element object)) any {
	list := []any{}
	for _, i := range g.random.Perm(len(keys)) {
		if !g.chance(50) {
			continue
		}
		element := object{key: keys[i]}
		if g.patch && g.chance(12) {
			element["$patch"] = g.word("delete", "delete", "delete", "replace", "merge")
		} else {
			fill(element)
		}
		if g.chance(1) {
			delete(element, key)
		}
		list = append(list, element)
	}
	if g.patch && g.chance(3) {
		list = append(list, object{"$patch": "replace"})
	}
	return list
}

// Adds the directives that stand beside a merged list.
func (g *generator) beside(parent object, name, key string, keys []any) {
	if !g.patch {
		return
	}
	if g.chance(25) {
		parent["$setElementOrder/"+name] = g.order(parent[name], key, keys)
	}
	if key == "" && g.chance(25) {
		parent["$deleteFromPrimitiveList/"+name] = g.texts("f1", "f2", "f3", "f4")
	}
}

// Mostly an order that fits the patch's own list, with others mixed in.
func (g *generator) order(list any, key string, keys []any) any {
	order := []any{}
	named := map[any]bool{}
	add := func(identity any) {
		if named[identity] {
			return
		}
		named[identity] = true
		if key == "" {
			order = append(order, identity)
		} else {
			order = append(order, object{key: identity})
		}
	}
	mix := func() {
		if g.chance(40) {
			add(keys[g.random.Intn(len(keys))])
		}
	}
	elements, _ := list.([]any)
	for _, element := range elements {
		mix()
		identity := element
		if fields, ok := element.(object); ok {
			if fields["$patch"] != nil {
				continue
			}
			identity = fields[key]
		}
		if identity != nil && !g.chance(3) {
			add(identity)
		}
	}
	mix()
	return order
}

func (g *generator) retainKeys(value object) object {
	if g.patch && g.chance(30) {
		keys := []any{}
		for _, key := range []string{"name", "emptyDir", "hostPath", "configMap", "type", "rollingUpdate"} {
			if (value[key] != nil && !g.chance(4)) || g.chance(15) {
				keys = append(keys, key)
			}
		}
		value["$retainKeys"] = keys
	}
	return value
}

var (
	names      = []any{"a", "b", "c", "d"}
	ports      = []any{int64(80), int64(443), int64(8080)}
	finalizers = []any{"f1", "f2", "f3", "f4"}
)

func (g *generator) metadata() any {
	meta := object{}
	g.put(meta, "name", 60, func() any { return g.word("n", "m") })
	g.put(meta, "labels", 60, g.textMap)
	g.put(meta, "finalizers", 60, func() any { return g.texts("f1", "f2", "f3", "f4") })
	g.beside(meta, "finalizers", "", finalizers)
	g.put(meta, "ownerReferences", 20, func() any {
		return g.elements("uid", names, func(owner object) { owner["controller"] = g.chance(50) })
	})
	return g.directive(meta)
}

func (g *generator) container(container object) {
	g.put(container, "image", 60, func() any { return g.word("i1", "i2") })
	g.put(container, "args", 30, func() any { return g.texts("x", "y") })
	g.put(container, "env", 50, func() any {
		return g.elements("name", names, func(env object) { g.put(env, "value", 70, func() any { return g.word("1", "2") }) })
	})
	g.beside(container, "env", "name", names)
	g.put(container, "ports", 40, func() any {
		return g.elements("containerPort", ports, func(port object) {
			g.put(port, "name", 50, func() any { return g.word("http", "admin") })
		})
	})
	g.beside(container, "ports", "containerPort", ports)
	g.put(container, "resources", 30, func() any {
		resources := object{}
		g.put(resources, "limits", 70, g.textMap)
		return g.directive(resources)
	})
}

func (g *generator) volume(volume object) {
	source := g.word("emptyDir", "hostPath", "configMap")
	g.put(volume, source, 90, func() any {
		switch source {
		case "hostPath":
			return g.directive(object{"path": g.word("/a", "/b")})
		case "configMap":
			return g.directive(object{"name": g.word("a", "b")})
		}
		return g.directive(object{})
	})
	g.retainKeys(volume)
}

func (g *generator) podSpec() any {
	spec := object{}
	g.put(spec, "containers", 80, func() any { return g.elements("name", names, g.container) })
	g.beside(spec, "containers", "name", names)
	g.put(spec, "volumes", 50, func() any { return g.elements("name", names, g.volume) })
	g.beside(spec, "volumes", "name", names)
	g.put(spec, "nodeSelector", 30, g.textMap)
	g.put(spec, "tolerations", 30, func() any { return []any{object{"key": g.word("k", "l")}} })
	g.put(spec, "hostNetwork", 30, g.scalar)
	g.put(spec, "unknown", 3, g.textMap)
	return g.directive(spec)
}

func (g *generator) pod() object {
	pod := object{}
	g.put(pod, "metadata", 80, g.metadata)
	g.put(pod, "spec", 80, g.podSpec)
	return pod
}

func (g *generator) deployment() object {
	deployment := object{}
	g.put(deployment, "spec", 95, func() any {
		spec := object{}
		g.put(spec, "replicas", 50, g.scalar)
		g.put(spec, "strategy", 80, func() any {
			strategy := object{}
			g.put(strategy, "type", 70, func() any { return g.word("Recreate", "RollingUpdate") })
			g.put(strategy, "rollingUpdate", 60, func() any {
				return g.directive(object{"maxSurge": int64(g.random.Intn(2))})
			})
			return g.retainKeys(strategy)
		})
		g.put(spec, "template", 50, func() any { return object{"spec": g.podSpec()} })
		return g.directive(spec)
	})
	return deployment
}

// The one type with a field that is replaced where others merge.
func (g *generator) disruptionBudget() object {
	spec := object{}
	g.put(spec, "selector", 90, func() any {
		selector := object{}
		g.put(selector, "matchLabels", 80, g.textMap)
		return selector
	})
	g.put(spec, "minAvailable", 50, g.scalar)
	return object{"spec": spec}
}

// Any document, for patches that know no types.
func (g *generator) anything(depth int) any {
	switch {
	case depth > 0 && g.chance(60):
		value := object{}
		for _, key := range []string{"a", "b", "c"} {
			if g.chance(60) {
				value[key] = g.anything(depth - 1)
			}
		}
		return value
	case depth > 0 && g.chance(20):
		return []any{g.anything(depth - 1), g.scalar()}
	case g.chance(5):
		return nil
	}
	return g.scalar()
}
