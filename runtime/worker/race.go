//go:build race

package worker

// raceDetector says that this binary was built with the race detector, which needs more memory and time than a worker
// may have: it maps shadow memory of its own, and everything takes ten times as long. Only tests are built so.
const raceDetector = true

// raceSlower is how much longer a worker may take then.
const raceSlower = 10
