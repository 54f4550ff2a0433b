// Records the requests that client-go's two event recorders make, as JSON lines: {"case", "method", "path", "type",
// "body"}. What differs from run to run is replaced: times, the time in a name, UIDs made up for a name, the host.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

type request struct {
	Case   string          `json:"case"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Type   string          `json:"type"`
	Body   json.RawMessage `json:"body"`
}

// A server that keeps events by path and merges patches, which is all that a recorder needs.
type server struct {
	mu       sync.Mutex
	title    string
	events   map[string]map[string]any
	requests []request
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, request{s.title, r.Method, r.URL.Path, r.Header.Get("Content-Type"), body})
	var given map[string]any
	if err := json.Unmarshal(body, &given); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	path := r.URL.Path
	if r.Method == http.MethodPost {
		path += "/" + given["metadata"].(map[string]any)["name"].(string)
		s.events[path] = given
	}
	for key, value := range given {
		s.events[path][key] = value
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.events[path])
}

var replacements = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`), "MICROTIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\.[0-9a-f]{16}\b`), ".HEX"},
	{regexp.MustCompile(`"name":"[0-9a-f]{8}-[0-9a-f-]{27}"`), `"name":"UUID"`},
}

func normalise(text string) string {
	for _, r := range replacements {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	host, _ := os.Hostname()
	return strings.ReplaceAll(text, "count-controller-"+host, "count-controller-HOST")
}

func main() {
	kept := &server{events: map[string]map[string]any{}}
	listener := httptest.NewServer(kept)
	defer listener.Close()
	config := &rest.Config{Host: listener.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	client := kubernetes.NewForConfigOrDie(config)

	count := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "demo.mark8s.io/v1", "kind": "Count",
		"metadata": map[string]any{"name": "test-count", "namespace": "default",
			"uid": "f702028e-363c-4959-9bc9-bee146b1d746", "resourceVersion": "11980682"},
	}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "11111111-2222-3333-4444-555555555555"}}
	role := count.DeepCopy()
	role.SetName("system:odd:name")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "66666666-2222-3333-4444-555555555555"}}
	container := &corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "web", APIVersion: "v1",
		UID: pod.UID, FieldPath: "spec.containers{app}"}

	core := func(title string, act func(record.EventRecorder)) {
		kept.mu.Lock()
		kept.title = title
		kept.mu.Unlock()
		broadcaster := record.NewBroadcaster()
		broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
		act(broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "count-controller"}))
		time.Sleep(500 * time.Millisecond)
		broadcaster.Shutdown()
	}
	core("core: the same three times", func(r record.EventRecorder) {
		for range 3 {
			r.Event(count, corev1.EventTypeNormal, "Synced", "Count synced successfully")
		}
	})
	core("core: twelve messages", func(r record.EventRecorder) {
		for i := range 12 {
			r.Eventf(count, corev1.EventTypeWarning, "Failed", "attempt %d", i)
		}
	})
	core("core: with annotations", func(r record.EventRecorder) {
		r.AnnotatedEventf(count, map[string]string{"a": "b"}, corev1.EventTypeNormal, "Synced", "annotated")
	})
	core("core: cluster-scoped", func(r record.EventRecorder) {
		r.Event(node, corev1.EventTypeWarning, "Lost", "the node is gone")
	})
	core("core: a name that no event can have", func(r record.EventRecorder) {
		r.Event(role, corev1.EventTypeNormal, "Synced", "odd")
	})
	core("core: part of an object", func(r record.EventRecorder) {
		r.Event(container, corev1.EventTypeNormal, "Started", "the container runs")
	})
	core("core: thirty times", func(r record.EventRecorder) {
		for range 30 {
			r.Event(pod, corev1.EventTypeNormal, "Again", "and again")
		}
	})

	next := func(title string, act func(events.EventRecorder)) {
		kept.mu.Lock()
		kept.title = title
		kept.mu.Unlock()
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
		stop := make(chan struct{})
		broadcaster.StartRecordingToSink(stop)
		act(broadcaster.NewRecorder(scheme.Scheme, "count-controller"))
		close(stop)
		broadcaster.Shutdown()
	}
	next("events: three times, with a related object", func(r events.EventRecorder) {
		for range 3 {
			r.Eventf(count, pod, corev1.EventTypeNormal, "Synced", "Sync", "Count synced %s", "successfully")
			time.Sleep(300 * time.Millisecond)
		}
	})
	next("events: cluster-scoped", func(r events.EventRecorder) {
		r.Eventf(node, nil, corev1.EventTypeWarning, "Lost", "Watch", "the node is gone")
		time.Sleep(300 * time.Millisecond)
	})

	for _, r := range kept.requests {
		line, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		fmt.Println(normalise(string(line)))
	}
}
