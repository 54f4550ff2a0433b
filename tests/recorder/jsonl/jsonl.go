// Package jsonl writes the recorded facts: one JSON document per line, the same bytes on every run.
package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// File collects the lines of one data file. A line that cannot be encoded is a mistake in a recorder, so it panics.
type File struct {
	path   string
	buffer bytes.Buffer
	lines  int
}

// Create starts the file at dir/name; nothing is written before Close.
func Create(dir, name string) *File {
	return &File{path: filepath.Join(dir, name)}
}

// Add appends one line. Characters that are special in HTML are written as they are.
func (f *File) Add(line any) {
	encoder := json.NewEncoder(&f.buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		panic(fmt.Sprintf("%s: line %d: %v", f.path, f.lines+1, err))
	}
	f.lines++
}

// Close writes the file and reports its size on standard output.
func (f *File) Close() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(f.path, f.buffer.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Printf("%-60s %5d lines %8d bytes\n", f.path, f.lines, f.buffer.Len())
	return nil
}
