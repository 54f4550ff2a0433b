// Package selectors records how label and field selectors are read, written and matched.
package selectors

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"keelson/tests/recorder/jsonl"
)

// line is what is recorded of one selector.
type line struct {
	In       any     `json:"in"`
	OK       bool    `json:"ok"`
	Error    string  `json:"error,omitempty"`
	String   *string `json:"string,omitempty"`
	Empty    bool    `json:"empty,omitempty"`
	Requires any     `json:"requirements,omitempty"`
	Matches  []match `json:"matches,omitempty"`
}

type match struct {
	Labels any  `json:"labels,omitempty"` // a map, {} too; absent for field selectors
	Fields any  `json:"fields,omitempty"`
	Match  bool `json:"match"`
}

type requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

var labelSets = []map[string]string{
	{},
	{"app": "web"},
	{"app": "web", "tier": "front", "env": "prod"},
	{"app": "db", "tier": "back"},
	{"app": "", "env": "dev"},
	{"tier": "front", "replicas": "5"},
	{"replicas": "10"},
	{"replicas": "ten", "app": "cache"},
	{"replicas": "-3"},
	{"example.com/role": "master", "app.kubernetes.io/name": "web"},
	{"in": "x", "notin": "y", "exists": "z"},
}

var labelSelectors = []string{
	// No requirement at all, and each operator.
	"", " ", "app=web", "app==web", "app!=web", "app in (web)", "app in (web,db)", "app notin (web)", "app notin (web,db)", "app", "!app", "replicas>5", "replicas<10", "replicas > 4", "replicas < 6",
	"replicas>0", "replicas<0", "replicas>-5", "replicas<-1",
	// Several requirements, in any order; the written form is sorted by key.
	"app=web,tier=front", "tier=front,app=web", "app in (web,db),tier notin (back),env", "app,!env", "x in (a,b),y!=c,!z,w", "replicas>1,replicas<9", "app=web,app=web", "app!=web,app!=db", "env,app", "b,a,c,!a",
	// Empty values.
	"app=", "app==", "app!=", "app in ()", "app notin ()", "app in (,)", "app in (web,)", "app in (,web)", "app notin (web,,db)", "app=,tier=front",
	// Odd spacing.
	" app = web ", "app =web", "app= web", "app\t=\tweb", "app\n=\nweb", "app\r=web", "app in(web)", "app  in  ( web , db )", "app notin(web,db)", "!  app", " ! app", "app=web , tier=front", "app=web,  tier  in  (front)", "( app", "\tapp",
	// Values out of order and twice; keys that are operators; prefixed keys.
	"app in (web,db,cache)", "app in (db,cache,web)", "app in (web,web)", "app notin (z,a,m)", "in=x", "notin=y", "in", "notin", "!in", "in in (in)", "notin notin (notin)", "exists", "example.com/role=master", "example.com/role", "!example.com/role",
	"app.kubernetes.io/name in (web)", "example.com/role notin (master),app.kubernetes.io/name", "app=in", "app=notin", "app in (in,notin)",
	// Things that are not selectors.
	",", ",app=web", "app=web,", "app=web,,tier=front", "app==web==x", "app=web=x", "app===web", "app=!web", "app=(web)", "=web", "!=web", "==web", "!", "!!app", "!app=web", "!app in (web)", "app in", "app in web", "app in (", "app in (web", "app in web)", "app in (web))", "app in ((web))", "app in (web db)", "app notin", "app notin web", "(app)", "app)", "app web", "app tier=front", "app exists", "app in (web) tier",
	"replicas>", "replicas<", "replicas>x", "replicas<5.5", "replicas>5,6", "replicas>=5", "replicas<=5", "replicas>(5)", ">5", "replicas>99999999999999999999", "replicas > in",
	"app=web!", "app=a b", "app=\"web\"", "app='web'", "app=-web", "app=web-", "app=we_b.x-1", "app=web/x", "app=\u00e9", "-app=web", "app-=web", "_app", "app.=x", "a/b/c=x", "/app=x", "example.com/=x", "EXAMPLE.com/app=x", "exa mple.com/app=x", "example..com/app=x", "a@b=x", "app;tier", "app|tier", "app&tier", "*", "app=*", "app in (*)", "app in (a b)", "app in (-a)",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=x",
	"x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "x in (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)",
	"1app=2web", "a=1,b=2,c=3", "A=B", "a.b-c_d=E.F-G_H",
}

// RecordLabels writes label_selectors.jsonl and label_selector_objects.jsonl.
func RecordLabels(dir string) error {
	file := jsonl.Create(dir, "label_selectors.jsonl")
	for _, in := range labelSelectors {
		selector, err := labels.Parse(in)
		file.Add(describeLabels(in, selector, err))
	}
	if err := file.Close(); err != nil {
		return err
	}
	return recordLabelObjects(dir)
}

func describeLabels(in any, selector labels.Selector, err error) line {
	if err != nil {
		return line{In: in, Error: err.Error()}
	}
	text := selector.String()
	out := line{In: in, OK: true, String: &text, Empty: selector.Empty()}
	requirements, _ := selector.Requirements()
	parts := []requirement{}
	for i := range requirements {
		values := append([]string{}, requirements[i].Values().List()...)
		parts = append(parts, requirement{requirements[i].Key(), string(requirements[i].Operator()), values})
	}
	out.Requires = parts
	for _, set := range labelSets {
		out.Matches = append(out.Matches, match{Labels: set, Match: selector.Matches(labels.Set(set))})
	}
	return out
}

var labelObjects = []string{
	`null`, `{}`,
	`{"matchLabels":{"app":"web"}}`,
	`{"matchLabels":{"tier":"front","app":"web"}}`,
	`{"matchLabels":{"app":""}}`,
	`{"matchLabels":{}}`, `{"matchExpressions":[]}`,
	`{"matchExpressions":[{"key":"app","operator":"In","values":["web","db"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"In","values":["web"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"In","values":["web","web"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"In","values":[""]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"NotIn","values":["web"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"NotIn","values":["web","db"]}]}`,
	`{"matchExpressions":[{"key":"env","operator":"Exists"}]}`,
	`{"matchExpressions":[{"key":"env","operator":"DoesNotExist"}]}`,
	`{"matchExpressions":[{"key":"env","operator":"DoesNotExist","values":[]}]}`,
	`{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"tier","operator":"In","values":["front"]},{"key":"env","operator":"Exists"}]}`,
	`{"matchLabels":{"tier":"back"},"matchExpressions":[{"key":"app","operator":"NotIn","values":["web","cache"]},{"key":"env","operator":"DoesNotExist"}]}`,
	`{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"In","values":["db"]}]}`,
	`{"matchLabels":{"example.com/role":"master"}}`,
	`{"matchExpressions":[{"key":"app","operator":"In"}]}`,
	`{"matchExpressions":[{"key":"app","operator":"In","values":[]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"NotIn","values":[]}]}`,
	`{"matchExpressions":[{"key":"env","operator":"Exists","values":["prod"]}]}`,
	`{"matchExpressions":[{"key":"env","operator":"DoesNotExist","values":["prod"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"in","values":["web"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"Equals","values":["web"]}]}`,
	`{"matchExpressions":[{"key":"replicas","operator":"Gt","values":["5"]}]}`,
	`{"matchExpressions":[{"key":"app","operator":"","values":["web"]}]}`,
	`{"matchExpressions":[{"key":"","operator":"Exists"}]}`,
	`{"matchExpressions":[{"key":"bad key","operator":"Exists"}]}`,
	`{"matchExpressions":[{"key":"app","operator":"In","values":["bad value"]}]}`,
	`{"matchLabels":{"bad key":"x"}}`, `{"matchLabels":{"app":"bad value"}}`, `{"matchLabels":{"":"x"}}`,
}

func recordLabelObjects(dir string) error {
	file := jsonl.Create(dir, "label_selector_objects.jsonl")
	for _, text := range labelObjects {
		var object *metav1.LabelSelector
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			return err
		}
		selector, err := metav1.LabelSelectorAsSelector(object)
		out := describeLabels(json.RawMessage(text), selector, err)
		file.Add(struct {
			line
			Formatted string `json:"formatted"` // what tools show to people
		}{out, metav1.FormatLabelSelector(object)})
	}
	return file.Close()
}

var fieldSets = []map[string]string{
	{},
	{"metadata.name": "a", "metadata.namespace": "default"},
	{"metadata.name": "b", "metadata.namespace": "kube-system"},
	{"spec.nodeName": "", "status.phase": "Pending"},
	{"spec.nodeName": "node-1", "status.phase": "Running", "metadata.name": "a"},
	{"metadata.name": "a,b"},
	{"metadata.name": "a=b"},
	{"metadata.name": `a\b`},
	{"x": " a "},
}

var fieldSelectors = []string{
	"", " ", "metadata.name=a", "metadata.name==a", "metadata.name!=a", "metadata.name=a,metadata.namespace=default", "metadata.namespace=default,metadata.name=a", "metadata.name!=a,metadata.name!=b",
	"spec.nodeName=", "spec.nodeName!=", "spec.nodeName==", "status.phase=Pending", "status.phase!=Running,spec.nodeName=node-1",
	`metadata.name=a\,b`, `metadata.name=a\=b`, `metadata.name=a\\b`, `metadata.name!=a\,b`, `metadata.name=a=b`, `metadata.name=a\b`, `metadata.name=a\`, `metadata.name=\,`, `metadata.name=\=`, `metadata.name=\\`, `metadata.name=a\,b,metadata.namespace=c\=d`, `metadata.name=a\ b`,
	"metadata.name", "!metadata.name", "=a", "!=a", "==a", "a=b=c", "a==b==c", "a=!b", "a!==b", "a===b", "a!b", "a in (b)", "a>b", ",", ",,", "a=b,", ",a=b", "a=b,,c=d", "a=b,c", " a=b", "a=b ", "a = b", "x= a ", "a=b, c=d", "a=b c", "a=*", "metadata.labels[\"x\"]=y", "a.b.c=1", "a=(b)", "a=b;c=d",
}

// RecordFields writes field_selectors.jsonl and field_selector_escapes.jsonl.
func RecordFields(dir string) error {
	file := jsonl.Create(dir, "field_selectors.jsonl")
	for _, in := range fieldSelectors {
		selector, err := fields.ParseSelector(in)
		if err != nil {
			file.Add(line{In: in, Error: err.Error()})
			continue
		}
		text := selector.String()
		out := line{In: in, OK: true, String: &text, Empty: selector.Empty()}
		type part struct {
			Field    string `json:"field"`
			Operator string `json:"operator"`
			Value    string `json:"value"`
		}
		parts := []part{}
		for _, r := range selector.Requirements() {
			parts = append(parts, part{r.Field, string(r.Operator), r.Value})
		}
		out.Requires = parts
		for _, set := range fieldSets {
			out.Matches = append(out.Matches, match{Fields: set, Match: selector.Matches(fields.Set(set))})
		}
		file.Add(out)
	}
	if err := file.Close(); err != nil {
		return err
	}
	escapes := jsonl.Create(dir, "field_selector_escapes.jsonl")
	for _, text := range []string{"", "a", "a,b", "a=b", `a\b`, `\`, ",", "=", `\,`, `a,b=c\d`, "a b"} {
		escapes.Add(map[string]string{"value": text, "escaped": fields.EscapeValue(text)})
	}
	return escapes.Close()
}
