package strategicmerge

const (
	pod        = "core/v1.Pod"
	service    = "core/v1.Service"
	account    = "core/v1.ServiceAccount"
	node       = "core/v1.Node"
	configMap  = "core/v1.ConfigMap"
	deployment = "apps/v1.Deployment"

	twoContainers = `{"spec":{"containers":[{"name":"a","image":"a:1","env":[{"name":"X","value":"1"},{"name":"Y","value":"2"}]},{"name":"b","image":"b:1"}]}}`
)

var applyCases = []applyCase{
	// Plain fields and maps.
	{"an empty patch changes nothing", pod, twoContainers, `{}`},
	{"an empty object takes the patch", pod, `{}`, `{"metadata":{"name":"x"},"spec":{"nodeName":"n"}}`},
	{"a scalar is replaced", deployment, `{"spec":{"replicas":1,"paused":true}}`, `{"spec":{"replicas":3}}`},
	{"null deletes a scalar", deployment, `{"spec":{"replicas":1,"paused":true}}`, `{"spec":{"replicas":null}}`},
	{"null deletes an object", deployment, `{"spec":{"replicas":1,"strategy":{"type":"Recreate"}}}`, `{"spec":{"strategy":null}}`},
	{"null for what is not there is not kept", pod, `{"metadata":{"name":"x"}}`, `{"metadata":{"labels":null,"annotations":{"a":null}}}`},
	{"null deletes a list", pod, twoContainers, `{"spec":{"containers":null}}`},
	{"map entries are added, changed and deleted", pod, `{"metadata":{"labels":{"a":"1","b":"2","c":"3"}}}`, `{"metadata":{"labels":{"a":"9","b":null,"d":"4"}}}`},
	{"the data of a config map merges", configMap, `{"data":{"k":"v","old":"x"}}`, `{"data":{"k":"w","old":null,"new":"y"}}`},
	{"quoted numbers and escapes survive", configMap, `{"data":{"n":"1.0"}}`, `{"data":{"t":"a\"b\\c\nd\u00e9"}}`},
	{"large integers survive", pod, `{"metadata":{"generation":9007199254740993}}`, `{"spec":{"terminationGracePeriodSeconds":9007199254740995}}`},
	{"an empty map in the patch leaves the map", pod, `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{}}}`},
	{"a map of quantities merges", node, `{"status":{"capacity":{"cpu":"4","memory":"8Gi"}}}`, `{"status":{"capacity":{"cpu":"8","pods":"110"}}}`},
	{"an int-or-string changes its kind", service, `{"spec":{"ports":[{"port":80,"targetPort":8080}]}}`, `{"spec":{"ports":[{"port":80,"targetPort":"http"}]}}`},

	// Lists merged by key.
	{"an element is found by its name", pod, twoContainers, `{"spec":{"containers":[{"name":"b","image":"b:2"}]}}`},
	{"a new element goes before the old ones", pod, twoContainers, `{"spec":{"containers":[{"name":"c","image":"c:1"}]}}`},
	{"several elements in another order", pod, twoContainers, `{"spec":{"containers":[{"name":"c","image":"c:1"},{"name":"b","image":"b:2"},{"name":"a","image":"a:2"}]}}`},
	{"an empty list in the patch changes nothing", pod, twoContainers, `{"spec":{"containers":[]}}`},
	{"a list that was absent appears", pod, `{"spec":{}}`, `{"spec":{"containers":[{"name":"a","image":"i"}]}}`},
	{"nested lists merge by their own keys", pod, twoContainers, `{"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"9"},{"name":"Z","value":"3"}]}]}}`},
	{"ports merge by containerPort", pod, `{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"http"},{"containerPort":443,"name":"https"}]}]}}`, `{"spec":{"containers":[{"name":"a","ports":[{"containerPort":443,"name":"tls"},{"containerPort":8080}]}]}}`},
	{"service ports merge by port", service, `{"spec":{"ports":[{"port":80,"name":"http"},{"port":443,"name":"https"}]}}`, `{"spec":{"ports":[{"port":80,"name":"web"}]}}`},
	{"mounts merge by path", pod, `{"spec":{"containers":[{"name":"a","volumeMounts":[{"mountPath":"/a","name":"v"}]}]}}`, `{"spec":{"containers":[{"name":"a","volumeMounts":[{"mountPath":"/b","name":"v"},{"mountPath":"/a","name":"w"}]}]}}`},
	{"node addresses merge by type", node, `{"status":{"addresses":[{"type":"InternalIP","address":"1.1.1.1"},{"type":"Hostname","address":"h"}]}}`, `{"status":{"addresses":[{"type":"Hostname","address":"g"}]}}`},
	{"conditions merge by type", node, `{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"DiskPressure","status":"False"}]}}`, `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"Up"}]}}`},
	{"owner references merge by uid", pod, `{"metadata":{"ownerReferences":[{"uid":"1","name":"x"},{"uid":"2","name":"y"}]}}`, `{"metadata":{"ownerReferences":[{"uid":"2","controller":true},{"uid":"3","name":"z"}]}}`},
	{"secrets of an account merge by name", account, `{"secrets":[{"name":"a"}],"imagePullSecrets":[{"name":"r"}]}`, `{"secrets":[{"name":"b"}],"imagePullSecrets":[{"name":"r"},{"name":"s"}]}`},
	{"pod IPs merge by ip", pod, `{"status":{"podIPs":[{"ip":"10.0.0.1"}]}}`, `{"status":{"podIPs":[{"ip":"fd00::1"},{"ip":"10.0.0.1"}]}}`},
	{"host aliases merge by ip", pod, `{"spec":{"hostAliases":[{"ip":"1.2.3.4","hostnames":["a"]}]}}`, `{"spec":{"hostAliases":[{"ip":"1.2.3.4","hostnames":["b","c"]}]}}`},
	{"an element loses a field by null", pod, twoContainers, `{"spec":{"containers":[{"name":"a","image":null}]}}`},
	{"spread constraints merge by topologyKey", pod, `{"spec":{"topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"}]}}`, `{"spec":{"topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":2},{"topologyKey":"host","maxSkew":1}]}}`},

	// Lists replaced whole.
	{"tolerations are replaced", pod, `{"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}}`, `{"spec":{"tolerations":[{"key":"c"}]}}`},
	{"arguments are replaced", pod, `{"spec":{"containers":[{"name":"a","args":["x","y"],"command":["c"]}]}}`, `{"spec":{"containers":[{"name":"a","args":["z"]}]}}`},
	{"an empty list replaces one that does not merge", pod, `{"spec":{"containers":[{"name":"a","args":["x","y"]}]}}`, `{"spec":{"containers":[{"name":"a","args":[]}]}}`},
	{"selector expressions are replaced", deployment, `{"spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"x","operator":"Exists"}]}}}`, `{"spec":{"selector":{"matchExpressions":[{"key":"y","operator":"Exists"}]}}}`},
	{"rules of a role are replaced", "rbac/v1.ClusterRole", `{"rules":[{"apiGroups":[""],"verbs":["get"]}]}`, `{"rules":[{"apiGroups":["apps"],"verbs":["list"]}]}`},
	{"ingress rules are replaced", "networking/v1.Ingress", `{"spec":{"rules":[{"host":"a"}],"tls":[{"hosts":["a"]}]}}`, `{"spec":{"rules":[{"host":"b"}]}}`},
	{"taints are replaced", node, `{"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoExecute"}]}}`, `{"spec":{"taints":[{"key":"a","effect":"NoExecute"}]}}`},
	{"claim templates are replaced", "apps/v1.StatefulSet", `{"spec":{"volumeClaimTemplates":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}}`, `{"spec":{"volumeClaimTemplates":[{"metadata":{"name":"c"}}]}}`},
	{"managed fields are replaced", pod, `{"metadata":{"managedFields":[{"manager":"a"}]}}`, `{"metadata":{"managedFields":[{"manager":"b"}]}}`},
	{"null inside a replaced list is kept", pod, `{"spec":{"tolerations":[{"key":"a"}]}}`, `{"spec":{"tolerations":[{"key":"c","value":null}]}}`},

	// Lists of scalars that merge.
	{"finalizers are united", pod, `{"metadata":{"finalizers":["a","b"]}}`, `{"metadata":{"finalizers":["b","c"]}}`},
	{"finalizers appear", pod, `{"metadata":{}}`, `{"metadata":{"finalizers":["a","a"]}}`},
	{"a finalizer is deleted", pod, `{"metadata":{"finalizers":["a","b","c"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["b"]}}`},
	{"a finalizer is deleted and one added", pod, `{"metadata":{"finalizers":["a","b"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"]}}`},
	{"deleting a finalizer that is not there", pod, `{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["z"]}}`},
	{"deleting from a list that is not there", pod, `{"metadata":{"name":"x"}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["z"]}}`},
	{"finalizers with an order", pod, `{"metadata":{"finalizers":["a","b","c"]}}`, `{"metadata":{"$setElementOrder/finalizers":["c","d","a"],"$deleteFromPrimitiveList/finalizers":["b"],"finalizers":["d"]}}`},
	{"null deletes all finalizers", pod, `{"metadata":{"name":"x","finalizers":["a"]}}`, `{"metadata":{"finalizers":null}}`},
	{"pod CIDRs are united, new ones first", node, `{"spec":{"podCIDRs":["10.0.0.0/24"]}}`, `{"spec":{"podCIDRs":["fd00::/64"]}}`},

	// $patch directives.
	{"replace on a map", pod, `{"metadata":{"labels":{"a":"1","b":"2"}}}`, `{"metadata":{"labels":{"$patch":"replace","c":"3"}}}`},
	{"replace on a map with nothing", pod, `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"$patch":"replace"}}}`},
	{"replace on a struct", deployment, `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`, `{"spec":{"strategy":{"$patch":"replace","type":"Recreate"}}}`},
	{"replace the whole object", pod, `{"metadata":{"name":"x"},"spec":{"nodeName":"n"}}`, `{"$patch":"replace","metadata":{"name":"y"}}`},
	{"delete a map", pod, `{"metadata":{"name":"x","labels":{"a":"1"}}}`, `{"metadata":{"labels":{"$patch":"delete"}}}`},
	{"delete the whole object", pod, `{"metadata":{"name":"x"}}`, `{"$patch":"delete"}`},
	{"merge on a map is refused", pod, `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"$patch":"merge","b":"2"}}}`},
	{"delete an element", pod, twoContainers, `{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}`},
	{"delete an element that is not there", pod, twoContainers, `{"spec":{"containers":[{"name":"z","$patch":"delete"}]}}`},
	{"delete all elements", pod, twoContainers, `{"spec":{"containers":[{"name":"a","$patch":"delete"},{"name":"b","$patch":"delete"}]}}`},
	{"delete one element and change another", pod, twoContainers, `{"spec":{"containers":[{"name":"b","image":"b:2"},{"name":"a","$patch":"delete"}]}}`},
	{"replace on one element replaces the whole list", pod, twoContainers, `{"spec":{"containers":[{"name":"a","$patch":"replace","image":"new"}]}}`},
	{"replace a whole list", pod, twoContainers, `{"spec":{"containers":[{"name":"c","image":"c:1"},{"$patch":"replace"}]}}`},
	{"replace a whole list, the directive first", pod, twoContainers, `{"spec":{"containers":[{"$patch":"replace"},{"name":"c","image":"c:1"}]}}`},
	{"replace a list by nothing", pod, twoContainers, `{"spec":{"containers":[{"$patch":"replace"}]}}`},
	{"merge on an element is refused", pod, twoContainers, `{"spec":{"containers":[{"name":"a","$patch":"merge","image":"a:2"}]}}`},
	{"delete in a nested list", pod, twoContainers, `{"spec":{"containers":[{"name":"a","env":[{"name":"X","$patch":"delete"}]}]}}`},
	{"replace a nested list", pod, twoContainers, `{"spec":{"containers":[{"name":"a","env":[{"$patch":"replace"},{"name":"N","value":"n"}]}]}}`},
	{"delete a map that is not there", pod, `{"metadata":{"name":"x"}}`, `{"metadata":{"labels":{"$patch":"delete"}}}`},
	{"replace on one element of an absent list leaves it empty", pod, `{"spec":{}}`, `{"spec":{"containers":[{"name":"a","$patch":"replace","image":"i"}]}}`},
	{"replace inside a list that is absent", pod, `{"spec":{}}`, `{"spec":{"containers":[{"$patch":"replace"},{"name":"a"}]}}`},

	// $setElementOrder.
	{"order of elements", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}`},
	{"order with a change", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"a:2"}]}}`},
	{"order with an addition in front", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"},{"name":"b"}],"containers":[{"name":"c","image":"c:1"}]}}`},
	{"order with a deletion", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"a","$patch":"delete"}]}}`},
	{"order that leaves out an element of the server", pod, `{"spec":{"containers":[{"name":"a"},{"name":"server"},{"name":"b"}]}}`, `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}`},
	{"order that names what is not there", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"z"},{"name":"b"},{"name":"a"}]}}`},
	{"order against the order of the patch", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"name":"b","image":"x"},{"name":"a","image":"y"}]}}`},
	{"a patch element missing in the order", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"b","image":"x"}]}}`},
	{"order in a nested list", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"name":"a","$setElementOrder/env":[{"name":"Y"},{"name":"X"}]}]}}`},
	{"order of a list that does not merge", pod, `{"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}}`, `{"spec":{"$setElementOrder/tolerations":[{"key":"b"},{"key":"a"}]}}`},

	// $retainKeys.
	{"retained keys drop the others", deployment, `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`, `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`},
	{"retained keys in a volume", pod, `{"spec":{"volumes":[{"name":"v","emptyDir":{"medium":"Memory"}}]}}`, `{"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]}}`},
	{"retained keys that keep an old field", deployment, `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`, `{"spec":{"strategy":{"$retainKeys":["type","rollingUpdate"],"type":"RollingUpdate"}}}`},
	{"retained keys that miss a field of the patch", deployment, `{"spec":{"strategy":{"type":"Recreate"}}}`, `{"spec":{"strategy":{"$retainKeys":["rollingUpdate"],"type":"RollingUpdate"}}}`},
	{"retained keys that are not a list", deployment, `{"spec":{"strategy":{"type":"Recreate"}}}`, `{"spec":{"strategy":{"$retainKeys":"type","type":"RollingUpdate"}}}`},

	// Errors.
	{"an element without its key", pod, twoContainers, `{"spec":{"containers":[{"image":"x"}]}}`},
	{"an original element without its key", pod, `{"spec":{"containers":[{"image":"x"}]}}`, `{"spec":{"containers":[{"name":"a","image":"y"}]}}`},
	{"a deletion without the key", pod, twoContainers, `{"spec":{"containers":[{"$patch":"delete"}]}}`},
	{"an unknown directive on a map", pod, `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"$patch":"upsert"}}}`},
	{"an unknown directive on an element", pod, twoContainers, `{"spec":{"containers":[{"name":"a","$patch":"upsert"}]}}`},
	{"a map where a list stands", pod, twoContainers, `{"spec":{"containers":{"name":"a"}}}`},
	{"a list where a map stands", pod, `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":["a"]}}`},
	{"a string where a list stands", pod, twoContainers, `{"spec":{"containers":"a"}}`},
	{"a list of scalars for a list of objects", pod, twoContainers, `{"spec":{"containers":["a"]}}`},
	{"objects for a list of scalars", pod, `{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"finalizers":[{"name":"a"}]}}`},
	{"a field that the type does not have", pod, `{"spec":{"nodeName":"n"}}`, `{"spec":{"unknown":1}}`},
	{"an unknown field with an object, in both", pod, `{"spec":{"unknown":{"a":1}}}`, `{"spec":{"unknown":{"b":2}}}`},
	{"a mixed list", pod, `{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"finalizers":["b",{"c":1}]}}`},
	{"deleting from a list that is not of scalars", pod, twoContainers, `{"spec":{"$deleteFromPrimitiveList/containers":["a"]}}`},
	{"a deletion list that is not a list", pod, `{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":"a"}}`},
	{"an order that is not a list", pod, twoContainers, `{"spec":{"$setElementOrder/containers":"a"}}`},
	{"an order without keys", pod, twoContainers, `{"spec":{"$setElementOrder/containers":[{"image":"x"}]}}`},
	{"the directive of a list stands with a wrong word", pod, twoContainers, `{"spec":{"containers":[{"$patch":"nonsense"},{"name":"a"}]}}`},
	{"a nested list of lists", pod, `{"spec":{"tolerations":[["a"]]}}`, `{"spec":{"tolerations":[["b"]]}}`},
}
