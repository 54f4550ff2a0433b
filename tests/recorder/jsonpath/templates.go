package jsonpath

var documents = map[string]string{
	"pods": `{"apiVersion":"v1","kind":"List","items":[` +
		`{"metadata":{"name":"a","labels":{"app":"web","example.com/tier":"front"},"annotations":{"dotted.key":"x y"}},"spec":{"nodeName":"n1","replicas":3,"weight":1.5,"ready":true,"containers":[{"name":"c1","image":"nginx:1","ports":[80,443]},{"name":"c2","image":"redis:7"}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"Initialized","status":"True"}]}},` +
		`{"metadata":{"name":"b","labels":{"app":"db"}},"spec":{"nodeName":"n2","replicas":10,"weight":0.25,"ready":false,"containers":[{"name":"c1","image":"postgres:16","ports":[5432]}]},"status":{"phase":"Pending","conditions":[{"type":"Ready","status":"False"}]}},` +
		`{"metadata":{"name":"c"},"spec":{"replicas":-1,"containers":[]},"status":{"phase":"Failed"}}]}`,
	"numbers": `{"list":[0,1,2,3,4,5,6,7,8,9],"nested":[[1,2],[3,4],[]],"empty":[],"words":["one","two","three"],"big":9007199254740993,"half":0.5,"exp":1e21,"small":1e-7,"yes":true,"no":false,"nothing":null,"text":"line\n\"quoted\" 'single' \\ é","map":{"only":"one"}}`,
	"keys":    `{"a.b":"dotted","a/b":"slashed","with space":"spaced","quote'd":"quoted","dollar$":"money","key-dash":"dashed","under_score":"under","1st":"first","nested":{"x.y":{"z":1}},"":"empty"}`,
}

var templates = []struct {
	document  string
	templates []string
}{
	{"pods", []string{
		// Text, fields, the root.
		``, `plain text`, `{}`, `{.}`, `{.kind}`, `{$.kind}`, `{@.kind}`, `{kind}`, `{.kind} and {.apiVersion}`, `kind: {.kind}!`, `{ .kind }`, `{.kind}{.apiVersion}`, `{.items[0].metadata.name}`, `{.items[0].metadata}`, `{.items[0].spec.containers[0]}`, `{.items[0].metadata.labels}`,
		// Wildcards, indexes, slices.
		`{.items[*].metadata.name}`, `{.items[*]['metadata.name','spec.nodeName']}`, `{.items[0:2].metadata.name}`, `{.items[-1].metadata.name}`, `{.items[-1:].metadata.name}`, `{.items[:1].metadata.name}`, `{.items[1:].metadata.name}`, `{.items[0,2].metadata.name}`, `{.items[*].spec.containers[*].name}`, `{.items[*].spec.containers[0].image}`, `{.items[0].spec.containers[*].ports[*]}`, `{.items[5].metadata.name}`, `{.items[-5].metadata.name}`, `{.items[0].metadata.labels.*}`, `{.items[2].status.*}`, `{.items[].metadata.name}`, `{.items.metadata.name}`, `{.items[*].metadata.labels.app}`, `{.items[*].spec.nodeName}`,
		// Quoted keys.
		`{.items[0].metadata.labels['app']}`, `{.items[0].metadata.labels["app"]}`, `{.items[0].metadata.labels['example.com/tier']}`, `{.items[0].metadata.labels['example\.com/tier']}`, `{.items[0].metadata.labels.example\.com/tier}`, `{.items[0].metadata.annotations.dotted\.key}`, `{['kind']}`, `{.['kind']}`, `{.items[0]['metadata']['name']}`,
		// Filters.
		`{.items[?(@.metadata.name=="a")].spec.nodeName}`, `{.items[?(@.metadata.name=='b')].spec.nodeName}`, `{.items[?(@.metadata.name!="a")].metadata.name}`, `{.items[?(@.spec.replicas>3)].metadata.name}`, `{.items[?(@.spec.replicas>=3)].metadata.name}`, `{.items[?(@.spec.replicas<3)].metadata.name}`, `{.items[?(@.spec.replicas<=3)].metadata.name}`, `{.items[?(@.spec.replicas==10)].metadata.name}`, `{.items[?(@.spec.replicas==-1)].metadata.name}`, `{.items[?(@.spec.weight>1.0)].metadata.name}`, `{.items[?(@.spec.weight==0.25)].metadata.name}`, `{.items[?(@.spec.ready==true)].metadata.name}`, `{.items[?(@.spec.ready==false)].metadata.name}`, `{.items[?(@.spec.nodeName)].metadata.name}`, `{.items[?(@.metadata.labels)].metadata.name}`, `{.items[?(@.status.conditions[?(@.type=="Ready")].status=="True")].metadata.name}`, `{.items[*].status.conditions[?(@.type=="Ready")].status}`, `{.items[0].status.conditions[?(@.type=="Ready")].status}`, `{.items[0].spec.containers[?(@.name=="c1")].image}`, `{.items[?(@.metadata.labels.app=="web")].metadata.name}`, `{.items[?(@.metadata.labels['app']=="db")].metadata.name}`, `{.items[?( @.metadata.name == "a" )].metadata.name}`, `{.items[?(@.metadata.name=="none")].metadata.name}`, `{.items[?("a"=="a")].metadata.name}`, `{.items[?(@.spec.replicas>"3")].metadata.name}`, `{.items[?(@.metadata.name>"a")].metadata.name}`, `{.items[?(@.metadata.name=="a" && @.spec.replicas==3)].metadata.name}`, `{.items[?(@.spec.nodeName==$.items[0].spec.nodeName)].metadata.name}`,
		// Ranges.
		`{range .items[*]}{.metadata.name}{"\n"}{end}`, `{range .items[*]}{.metadata.name}{"\t"}{.status.phase}{"\n"}{end}`, `{range .items[*]}[{.metadata.name}: {range .spec.containers[*]}{.name}={.image};{end}]{end}`, `{range .items}{.metadata.name}{end}`, `{range .items[*]}{@.metadata.name} {end}after`, `{range .items[2].spec.containers[*]}{.name}{end}none`, `{range .items[*].metadata}{.name},{end}`, `{range .items[?(@.spec.replicas>0)]}{.metadata.name} {end}`, `{range .items[0:2]}{.metadata.name}{end}`, `{range .items[*]}{$.kind}{end}`, `{range .items[*]}text{end}`, `{.kind}{range .items[*]}-{.metadata.name}{end}{.kind}`, `{range .items[0].spec.containers[*]}{.name}{range .ports[*]} {.}{end}{"\n"}{end}`, `{range .missing[*]}{.name}{end}`, `{range .items[*]}{.metadata.name}`, `{end}`, `{range}{end}`, `{range .items[*]}{range .spec.containers[*]}{.name}{end}{end}{end}`,
		// Recursive descent.
		`{..name}`, `{..nodeName}`, `{..phase}`, `{.items..image}`, `{.items[0]..image}`, `{.items[0].spec.containers[0]..ports}`, `{..containers[0].name}`, `{..nothere}`, `{..}`, `{..*}`,
		// Unions.
		`{['kind','apiVersion']}`, `{.items[0].metadata['name','labels']}`, `{.items[*].spec['nodeName','replicas']}`, `{.items[0]['metadata.name', 'spec.nodeName']}`, `{.items[0,1].metadata.name}`, `{.items[0:1,2].metadata.name}`,
		// Missing things.
		`{.missing}`, `{.missing.deeper}`, `{.items[*].missing}`, `{.items[0].spec.missing} {.kind}`, `{.kind.deeper}`, `{.items[0].spec.replicas.x}`, `{.kind[0]}`, `{.items['name']}`,
		// Mistakes.
		`{`, `}`, `{.kind`, `.kind}`, `{{.kind}}`, `{.items[}`, `{.items[0}`, `{.items[?(@.a==1)}`, `{.items[?(@.a==1]}`, `{.items[?()]}`, `{.items[?(@.a=1)].a}`, `{.items[?(@.a==)].a}`, `{.items[?(==1)].a}`, `{.items[x]}`, `{.items[1:2:3:4]}`, `{.items[a:b]}`, `{.items[0]`, `{"unterminated}`, `{'single'}`, `{"double"}`, `{"tab\there"}`, `{"quote\"inside"}`, `{"\u00e9"}`, `{'it\'s'}`, `{.kind|upper}`, `{.kind,.apiVersion}`, `{$}`, `{@}`, `{$kind}`, `{*}`, `{.*}`, `{-1}`, `{1}`, `{1.5}`, `{true}`, `{.items[**]}`, `{.items[ 0 ].metadata.name}`, `{.items[0] .metadata.name}`, `{ range .items[*] }{ .metadata.name }{ end }`, `{..name }`, `{...name}`, `{.items..}`, `{.kind.}`, `{.1st}`, `{if .kind}`, `é {.kind} 日`,
	}},
	{"numbers", []string{
		`{.list}`, `{.list[0]}`, `{.list[9]}`, `{.list[10]}`, `{.list[-1]}`, `{.list[-10]}`, `{.list[-11]}`, `{.list[*]}`, `{.list[0:3]}`, `{.list[:3]}`, `{.list[7:]}`, `{.list[:]}`, `{.list[0:10:2]}`, `{.list[1:8:3]}`, `{.list[::2]}`, `{.list[::3]}`, `{.list[5::2]}`, `{.list[:5:2]}`, `{.list[-3:]}`, `{.list[:-7]}`, `{.list[-3:-1]}`, `{.list[-1:-3]}`, `{.list[3:3]}`, `{.list[5:2]}`, `{.list[0:100]}`, `{.list[20:30]}`, `{.list[0:10:0]}`, `{.list[0:10:-1]}`, `{.list[::-1]}`, `{.list[0,2,4]}`, `{.list[0,0]}`, `{.list[-1,0]}`, `{.list[0:2,8:]}`, `{.list[?(@>7)]}`, `{.list[?(@>=7)]}`, `{.list[?(@==3)]}`, `{.list[?(@!=3)]}`, `{.list[?(@<2)]}`, `{.list[?(@>1.5)]}`,
		`{.nested}`, `{.nested[*]}`, `{.nested[*][0]}`, `{.nested[*][*]}`, `{.nested[1][1]}`, `{.nested[0:2][1]}`, `{range .nested[*]}({range @[*]}{@},{end}){end}`, `{.empty}`, `{.empty[*]}`, `{.empty[0]}`, `{.empty[0:1]}`, `{.words[?(@=="two")]}`, `{.words[?(@!="two")]}`, `{.words[?(@>"o")]}`, `{.words}`, `{.words[1]}`,
		`{.big}`, `{.half}`, `{.exp}`, `{.small}`, `{.yes}`, `{.no}`, `{.nothing}`, `{.nothing.deeper}`, `{.text}`, `{.map}`, `{.map.*}`, `{.map.only}`, `{.map[*]}`, `{range .map}{.only}{end}`, `{.nothing[*]}`, `{.list[1.5]}`, `{.list[99999999999999999999]}`, `{.yes.no}`, `{[*]}`, `{.map..only}`,
	}},
	{"keys", []string{
		`{.a\.b}`, `{['a.b']}`, `{['a\.b']}`, `{["a.b"]}`, `{["a\.b"]}`, `{.a/b}`, `{['a/b']}`, `{['with space']}`, `{.with space}`, `{["with space"]}`, `{['quote\'d']}`, `{["quote'd"]}`, `{.dollar$}`, `{['dollar$']}`, `{.key-dash}`, `{['key-dash']}`, `{.under_score}`, `{.1st}`, `{['1st']}`, `{.nested.x\.y.z}`, `{.nested['x\.y'].z}`, `{.nested['x.y'].z}`, `{['']}`, `{[""]}`, `{.nested['x\.y']['z']}`, `{['a\.b','a/b']}`,
	}},
}
