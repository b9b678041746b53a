package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"chatterbox/runtime/wasm"
)

// The bounds of compiling one module. What the engine takes more than in proportion to its size for is refused before, by
// numbers; so the bounds grow with the size.
const (
	compileTime      = 5 * time.Second // of processor time
	compileTimeMiB   = 2 * time.Second // more for each begun MiB of the module
	compileStarved   = 3               // how much longer it may take where others use the processor
	compileMemory    = 256 << 20
	compileMemoryFor = 4 // bytes more for each of the module
)

// compileSetup is what a process is for that compiles a module of so many bytes.
func compileSetup(size int) setup {
	allowed := compileTime + compileTimeMiB*time.Duration((size+1<<20-1)>>20)
	return setup{
		compile: true, processor: int64(allowed / time.Second),
		memory: compileMemory + arenaMemory + threadsMemory + compileMemoryFor*int64(size),
	}
}

// compile fills the cache with a module, in a process that runs none.
func (s *processes) compile(ctx context.Context, digest string, binary []byte) error {
	what := compileSetup(len(binary))
	wall := time.Duration(what.processor) * time.Second * compileStarved
	if raceDetector {
		wall *= raceSlower
	}
	return s.compileIn(ctx, what, wall, digest, binary)
}

func (s *processes) compileIn(ctx context.Context, what setup, wall time.Duration, digest string, binary []byte) error {
	what.interpret, what.cacheDir = s.interpret, s.cache()
	p, err := s.start(what)
	if err != nil {
		return fmt.Errorf("start a worker that compiles: %w", err)
	}
	defer p.kill()
	err = p.compiled(ctx, digest, binary, time.Now().Add(wall))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return wasm.Refusal(fmt.Sprintf("takes more than %v to compile", wall))
	case err == nil || !isGone(err):
		return err
	}
	<-p.exited
	return p.compileDeath(what)
}

// compileDeath is why a compile worker that has ended did so.
func (p *process) compileDeath(what setup) error {
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case p.outOfMemory():
		return wasm.Refusal(fmt.Sprintf("takes more than %d MiB of memory to compile", what.memory>>20))
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL:
		return wasm.Refusal(fmt.Sprintf("takes more than %d s of processor time to compile", what.processor))
	}
	return errors.New("the worker that compiles ended" + strings.TrimSuffix(p.lastWords(), "\n"))
}
