//go:build !linux

package worker

import "time"

func processorTime(int) time.Duration { return 0 }

func lowerPriority(int) {}
