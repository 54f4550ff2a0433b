package controller

import (
	"fmt"
	"sync"
)

// ledger is who has which hostname.
type ledger struct {
	mutex  sync.Mutex
	owners map[string]string
}

func newLedger() *ledger { return &ledger{owners: map[string]string{}} }

func (l *ledger) Claim(hostname, owner string) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if other, taken := l.owners[hostname]; taken && other != owner {
		return fmt.Errorf("%s belongs to %s", hostname, other)
	}
	l.owners[hostname] = owner
	return nil
}

func (l *ledger) GiveBack(hostname string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.owners, hostname)
}

func (l *ledger) Owner(hostname string) string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.owners[hostname]
}
