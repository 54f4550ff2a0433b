package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

type exchange struct {
	Checks  map[string]string `json:"checks"` // an empty text passes
	Request string            `json:"request"`
	Status  int               `json:"status"`
	Type    string            `json:"type"`
	Body    string            `json:"body"`
}

// Asks controller-runtime's handlers as its manager mounts them, below /healthz and /healthz/.
func recordHealth(out io.Writer) error {
	sets := []map[string]string{
		{},
		{"ping": ""},
		{"alpha": "", "beta": "", "gamma": ""},
		{"alpha": "", "beta": "disk is full", "gamma": ""},
		{"alpha": "cannot\nsay", "beta": "disk is full"},
		{"with space": "", "a&b": "no"},
	}
	requests := []string{
		"/healthz", "/healthz/", "/healthz?verbose", "/healthz?verbose=false", "/healthz/?verbose=1&x=y",
		"/healthz?exclude=beta", "/healthz?exclude=beta&verbose", "/healthz?exclude=alpha&exclude=alpha&verbose",
		"/healthz?exclude=none&verbose", "/healthz?exclude=no%22ne", "/healthz?exclude=&verbose",
		"/healthz?exclude=with+space&verbose", "/healthz?exclude=a%26b&verbose", "/healthz?exclude=b%zz&verbose",
		"/healthz/ping", "/healthz/alpha", "/healthz/beta", "/healthz/alpha/", "/healthz/alpha?verbose",
		"/healthz/with%20space", "/healthz/a&b", "/healthz/none",
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, checks := range sets {
		handler := &healthz.Handler{Checks: map[string]healthz.Checker{}}
		for name, failure := range checks {
			handler.Checks[name] = func(*http.Request) error {
				if failure == "" {
					return nil
				}
				return errors.New(failure)
			}
		}
		mux := http.NewServeMux()
		mux.Handle("/healthz", http.StripPrefix("/healthz", handler))
		mux.Handle("/healthz/", http.StripPrefix("/healthz", handler))
		server := httptest.NewServer(mux)
		for _, request := range requests {
			response, err := http.Get(server.URL + request)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(response.Body)
			if err != nil {
				return err
			}
			response.Body.Close()
			recorded := exchange{checks, request, response.StatusCode, response.Header.Get("Content-Type"), string(body)}
			if err := encoder.Encode(recorded); err != nil {
				return err
			}
		}
		server.Close()
	}
	return nil
}
