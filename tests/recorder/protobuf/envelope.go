package protobuf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"

	"keelson/tests/recorder/jsonl"
)

// envelopeLine is an object as the server sends it: in the envelope, with or without a watch frame around it.
type envelopeLine struct {
	// "object", "list", "watch" (one frame) or "watch_stream" (all frames one after another, JSON is a list).
	What       string          `json:"what"`
	Type       string          `json:"type"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	EventType  string          `json:"eventType,omitempty"`
	JSON       json.RawMessage `json:"json"`
	Bytes      []byte          `json:"bytes"`
}

func recordEnvelopes(dir string) error {
	file := jsonl.Create(filepath.Join(dir, "protobuf"), "envelope.jsonl")
	pod, deployment, configMap := &corev1.Pod{}, &appsv1.Deployment{}, &corev1.ConfigMap{}
	fillRoot(pod, "v1", "Pod")
	fillRoot(deployment, "apps/v1", "Deployment")
	fillRoot(configMap, "v1", "ConfigMap")
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: 410,
		Message: "too old resource version: 5 (900)",
	}
	bookmark := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: "1234",
			Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		},
	}
	remaining := int64(17)
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "4711", Continue: "eyJ2IjoibWV0YSJ9", RemainingItemCount: &remaining},
	}
	for i := range 5 {
		var item corev1.Pod
		newFiller(fmt.Sprintf("envelope/item/%d", i), 0.15, 2).fill(reflect.ValueOf(&item).Elem(), "")
		item.Name = fmt.Sprintf("pod-%d", i)
		list.Items = append(list.Items, item)
	}
	emptyList := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "4711"},
	}

	objects := []struct {
		what, key string
		object    runtime.Object
	}{
		{"object", "core/v1.Pod", pod},
		{"object", "apps/v1.Deployment", deployment},
		{"object", "core/v1.ConfigMap", configMap},
		{"object", "meta/v1.Status", status},
		{"list", "core/v1.PodList", list},
		{"list", "core/v1.PodList", emptyList},
	}
	for _, o := range objects {
		encoded, err := envelope(o.object)
		if err != nil {
			return err
		}
		file.Add(newEnvelopeLine(o.what, o.key, o.object, "", encoded))
	}

	events := []struct {
		event  watch.EventType
		key    string
		object runtime.Object
	}{
		{watch.Added, "core/v1.Pod", pod},
		{watch.Modified, "core/v1.ConfigMap", configMap},
		{watch.Deleted, "apps/v1.Deployment", deployment},
		{watch.Bookmark, "core/v1.Pod", bookmark},
		{watch.Error, "meta/v1.Status", status},
	}
	var stream bytes.Buffer
	var inStream []json.RawMessage
	for _, e := range events {
		frame, err := watchFrame(e.event, e.object)
		if err != nil {
			return err
		}
		recorded := newEnvelopeLine("watch", e.key, e.object, string(e.event), frame)
		file.Add(recorded)
		stream.Write(frame)
		inStream = append(inStream, recorded.JSON)
	}
	all, err := json.Marshal(inStream)
	if err != nil {
		return err
	}
	file.Add(envelopeLine{What: "watch_stream", JSON: all, Bytes: stream.Bytes()})
	return file.Close()
}

func fillRoot(object runtime.Object, apiVersion, kind string) {
	newFiller("envelope/"+kind, 0.3, 2).fill(reflect.ValueOf(object).Elem(), "")
	object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
}

func newEnvelopeLine(what, key string, object runtime.Object, event string, encoded []byte) envelopeLine {
	asJSON, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	return envelopeLine{what, key, gvk.GroupVersion().String(), gvk.Kind, event, asJSON, encoded}
}

func envelope(object runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &out)
	return out.Bytes(), err
}

// watchFrame does what the server does for one event: the object in its envelope inside a WatchEvent without
// one, and the length of that in front as four bytes, big end first.
func watchFrame(event watch.EventType, object runtime.Object) ([]byte, error) {
	inner, err := envelope(object)
	if err != nil {
		return nil, err
	}
	var stream runtime.Framer
	var serializer runtime.Serializer
	for _, info := range scheme.Codecs.SupportedMediaTypes() {
		if info.MediaType == runtime.ContentTypeProtobuf {
			stream, serializer = info.StreamSerializer.Framer, info.StreamSerializer.Serializer
		}
	}
	var out bytes.Buffer
	err = streaming.NewEncoder(stream.NewFrameWriter(&out), serializer).
		Encode(&metav1.WatchEvent{Type: string(event), Object: runtime.RawExtension{Raw: inner}})
	return out.Bytes(), err
}
