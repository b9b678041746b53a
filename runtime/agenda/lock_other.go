//go:build !unix

package agenda

import "sync"

var changing sync.Mutex

// locked runs change while nobody else in this process changes the folder.
func (s *store) locked(change func() error) error {
	changing.Lock()
	defer changing.Unlock()
	return change()
}
