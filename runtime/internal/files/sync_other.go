//go:build !unix

package files

// SyncFolder does nothing: there is no way to ask for it here.
func SyncFolder(string) error { return nil }
