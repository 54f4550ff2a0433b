// Decode measures what client-go pays to decode Pods, for comparison with Keelson on the same bytes.
//
// The decoders are those of client-go's typed clients: the codecs of kubernetes/scheme without conversion, chosen
// by content type through a client negotiator, decoding into a new Pod as rest.Result.Into does.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	// Pods are read from the file in chunks, so that reading is not measured and memory stays small.
	chunk = 1000
	// Pods decoded before the measurement starts.
	warmUp = 2000
	// Far more than a server takes in one request; a longer record means that the file is something else.
	maxRecord = 64 << 20
)

func main() {
	jsonFile := flag.String("json", "", "records of Pods as JSON")
	protobufFile := flag.String("protobuf", "", "records of Pods as protobuf in the k8s envelope")
	count := flag.Int("n", 20000, "Pods to decode; the file is read again from its start if it has fewer")
	flag.Parse()
	if *count < 1 || flag.NArg() > 0 || (*jsonFile == "" && *protobufFile == "") {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	line, err := measure(*jsonFile, *protobufFile, *count)
	if err != nil {
		fmt.Fprintln(os.Stderr, "decode:", err)
		os.Exit(1)
	}
	fmt.Println(line)
}

func measure(jsonFile, protobufFile string, count int) (string, error) {
	var results []string
	// Memory comes first, while the process is still small.
	heldFile, heldType := jsonFile, apiruntime.ContentTypeJSON
	if heldFile == "" {
		heldFile, heldType = protobufFile, apiruntime.ContentTypeProtobuf
	}
	heap, rss, err := memoryPerPod(heldFile, heldType, count)
	if err != nil {
		return "", fmt.Errorf("%s: %w", heldFile, err)
	}
	debug.FreeOSMemory()
	for _, format := range []struct{ name, file, contentType string }{
		{"go_json_decode_us", jsonFile, apiruntime.ContentTypeJSON},
		{"go_protobuf_decode_us", protobufFile, apiruntime.ContentTypeProtobuf},
	} {
		if format.file == "" {
			continue
		}
		cpu, err := cpuPerPod(format.file, format.contentType, count)
		if err != nil {
			return "", fmt.Errorf("%s: %w", format.file, err)
		}
		results = append(results, fmt.Sprintf("%s=%.2f", format.name, float64(cpu.Nanoseconds())/1000))
	}
	results = append(results, fmt.Sprintf("go_heap_bytes_per_pod=%d", heap), fmt.Sprintf("go_rss_bytes_per_pod=%d", rss))
	return strings.Join(results, " "), nil
}

// cpuPerPod is user and system time of the whole process while it decodes, garbage collection included. The
// Pods are dropped again at once: a cache that holds them makes each collection dearer.
func cpuPerPod(file, contentType string, count int) (time.Duration, error) {
	records, err := openRecords(file)
	if err != nil {
		return 0, err
	}
	defer records.close()
	decoder, err := newDecoder(contentType)
	if err != nil {
		return 0, err
	}
	bodies := make([][]byte, 0, chunk)
	var total time.Duration
	for done := -warmUp; done < count; {
		limit := count - done
		if done < 0 {
			limit = -done
		}
		bodies = bodies[:0]
		for range min(chunk, limit) {
			body, err := records.next()
			if err != nil {
				return 0, err
			}
			bodies = append(bodies, body)
		}
		before := cpuTime()
		for _, body := range bodies {
			if err := decodeInto(decoder, body, &corev1.Pod{}); err != nil {
				return 0, err
			}
		}
		if done >= 0 {
			total += cpuTime() - before
		}
		done += len(bodies)
	}
	return total / time.Duration(count), nil
}

// memoryPerPod decodes and holds all Pods. Heap is what a full collection leaves; resident memory is what the
// process then has, without being asked to return free pages, as a controller would not ask either.
func memoryPerPod(file, contentType string, count int) (heap, rss int64, err error) {
	records, err := openRecords(file)
	if err != nil {
		return 0, 0, err
	}
	defer records.close()
	decoder, err := newDecoder(contentType)
	if err != nil {
		return 0, 0, err
	}
	first, err := records.next()
	if err != nil {
		return 0, 0, err
	}
	// The first Pod fills the decoder's caches, which are not part of a Pod.
	if err := decodeInto(decoder, first, &corev1.Pod{}); err != nil {
		return 0, 0, err
	}
	pods := make([]*corev1.Pod, count)
	debug.FreeOSMemory()
	heapBefore, rssBefore := heapBytes(), residentBytes()
	for i := range pods {
		body, err := records.next()
		if err != nil {
			return 0, 0, err
		}
		pods[i] = &corev1.Pod{}
		if err := decodeInto(decoder, body, pods[i]); err != nil {
			return 0, 0, err
		}
	}
	runtime.GC()
	heap, rss = heapBytes()-heapBefore, residentBytes()-rssBefore
	runtime.KeepAlive(pods)
	return heap / int64(count), rss / int64(count), nil
}

func newDecoder(contentType string) (apiruntime.Decoder, error) {
	negotiator := apiruntime.NewClientNegotiator(scheme.Codecs.WithoutConversion(), corev1.SchemeGroupVersion)
	return negotiator.Decoder(contentType, nil)
}

func decodeInto(decoder apiruntime.Decoder, body []byte, pod *corev1.Pod) error {
	out, _, err := decoder.Decode(body, nil, pod)
	if err == nil && out != pod {
		err = fmt.Errorf("expected a Pod, found %T", out)
	}
	return err
}

// records reads [length, four bytes, big end first][bytes] again and again.
type records struct {
	file   *os.File
	reader *bufio.Reader
	empty  bool // nothing was read since the start of the file
}

func openRecords(path string) (*records, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &records{file: file, reader: bufio.NewReaderSize(file, 1<<20), empty: true}, nil
}

func (r *records) close() { r.file.Close() }

func (r *records) next() ([]byte, error) {
	var header [4]byte
	_, err := io.ReadFull(r.reader, header[:])
	if errors.Is(err, io.EOF) && !r.empty {
		if _, err := r.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		r.reader.Reset(r.file)
		r.empty = true
		return r.next()
	}
	if err != nil {
		return nil, fmt.Errorf("expected a record of four length bytes and a body: %w", err)
	}
	length := binary.BigEndian.Uint32(header[:])
	if length > maxRecord {
		return nil, fmt.Errorf("a record of %d bytes: the file is not a sequence of records", length)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r.reader, body); err != nil {
		return nil, fmt.Errorf("expected a record of %d bytes: %w", length, err)
	}
	r.empty = false
	return body, nil
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func heapBytes() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func residentBytes() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(data))[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return pages * int64(os.Getpagesize())
}
