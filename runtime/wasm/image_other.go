//go:build !linux

package wasm

import "errors"

// image is not used here: memory is copied back.
type image struct{}

func newImage([]byte, int) (*image, error) { return nil, errors.ErrUnsupported }

func (*image) mapped(int) ([]byte, error) { return nil, errors.ErrUnsupported }
func (*image) close()                     {}

func unmap([]byte)         {}
func discard([]byte) error { return errors.ErrUnsupported }

func weigh(_, _ []byte) *image { return nil }
