package toolbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/worker"
)

// This file turns files into tools. The rules are:
//
//   - a file that gives no tool is reported with its reason and stops no other;
//   - built-in tools come first: a file of the user's can neither replace nor shadow one;
//   - of two files with the same name, or names that a person could take for each other, neither counts;
//   - a file that was written just now may not be whole yet: what it gave before stays until it is quiet.

const (
	wasmSuffix     = ".wasm"
	manifestSuffix = ".tool.json"
	moduleBytesMax = 32 << 20
	filesMax       = 256
	quiet          = 3 * time.Second // how long a file must have been left alone to be taken as whole
)

// fileStamp is what shows that a file changed, without reading it. Its zero value is a file that is not there.
type fileStamp struct {
	there   bool
	size    int64
	changed int64 // nanoseconds since 1970
}

func stampOf(info fs.FileInfo) fileStamp {
	return fileStamp{true, info.Size(), info.ModTime().UnixNano()}
}

func (f fileStamp) fresh(now time.Time) bool {
	return f.there && now.Sub(time.Unix(0, f.changed)).Abs() < quiet
}

// stamp is that of a module and of the manifest beside it.
type stamp struct{ module, manifest fileStamp }

func (s stamp) fresh(now time.Time) bool { return s.module.fresh(now) || s.manifest.fresh(now) }

// loaded is what one module file, with the manifest beside it, came to.
type loaded struct {
	file    string
	stamp   stamp
	sum     [sha256.Size]byte // of what was read
	again   bool              // read it again, whatever the stamp says
	module  *module           // nil where it was not admitted
	tools   []*tool
	problem string
}

func (l *loaded) release() {
	if l != nil && l.module != nil {
		l.module.release()
	}
}

// survey finds the modules in folder, by name without suffix.
func survey(folder fs.FS) (map[string]stamp, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	found := map[string]stamp{}
	for _, entry := range entries {
		name := entry.Name()
		stem, isModule := strings.CutSuffix(name, wasmSuffix)
		if !isModule {
			var isManifest bool
			if stem, isManifest = strings.CutSuffix(name, manifestSuffix); !isManifest {
				continue
			}
		}
		info, err := fs.Stat(folder, name) // follows links, unlike entry.Info
		if err != nil || !info.Mode().IsRegular() || stem == "" || strings.HasPrefix(stem, ".") {
			continue
		}
		s, ok := found[stem]
		if !ok && len(found) == filesMax {
			return nil, fmt.Errorf("there are more than %d tools in it", filesMax)
		}
		if isModule {
			s.module = stampOf(info)
		} else {
			s.manifest = stampOf(info)
		}
		found[stem] = s
	}
	return found, nil
}

// load reads the module called stem in folder, unless it is what previous was made of. One that was written anew is
// admitted anew, though it is the same: that lifts a suspension.
func (t *Toolbox) load(
	ctx context.Context, folder fs.FS, stem, file string, s stamp, builtin bool, previous *loaded,
) *loaded {
	l := &loaded{file: file, stamp: s}
	binary, manifest, err := readPair(folder, stem, s)
	if err != nil {
		var failed *fs.PathError // the disk's or the network's, which may pass without a change of the file
		l.problem, l.again = err.Error(), errors.As(err, &failed)
		return l
	}
	if !builtin { // those are never read again
		hash := sha256.New()
		fmt.Fprintf(hash, "%d\n%s", len(binary), binary)
		hash.Write(manifest)
		hash.Sum(l.sum[:0])
		if previous != nil && previous.sum == l.sum && previous.stamp == s && !previous.again {
			return previous
		}
	}
	if err := t.admit(ctx, l, binary, manifest, builtin); err != nil {
		l.problem = strings.TrimPrefix(err.Error(), worker.ErrRefused.Error()+": ")
		l.release()
		l.module, l.tools = nil, nil
	}
	return l
}

func readPair(folder fs.FS, stem string, s stamp) (binary, manifest []byte, err error) {
	if !s.module.there {
		return nil, nil, fmt.Errorf("there is no %s%s beside it", path.Base(stem), wasmSuffix)
	}
	if binary, err = readFile(folder, stem+wasmSuffix, moduleBytesMax); err != nil {
		return nil, nil, err
	}
	if s.manifest.there {
		manifest, err = readFile(folder, stem+manifestSuffix, manifestBytesMax)
	}
	return binary, manifest, err
}

func readFile(folder fs.FS, name string, bytesMax int64) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, bytesMax+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	case int64(len(data)) > bytesMax:
		return nil, fmt.Errorf("%s has more than %d bytes", path.Base(name), bytesMax)
	}
	return data, nil
}

// admit gives the module to the workers and makes its tools.
func (t *Toolbox) admit(ctx context.Context, l *loaded, binary, beside []byte, builtin bool) error {
	known, err := t.options.Workers.Add(ctx, sealed(binary, beside))
	if err != nil {
		l.again = !errors.Is(err, worker.ErrRefused)
		return err
	}
	l.module = &module{known: known, holders: 1, forget: func() { t.options.Workers.Remove(known.Digest) }}
	manifests, err := manifestsOf(ctx, t.options.Workers, known, beside)
	if err != nil {
		var unusable *manifestError
		l.again = !errors.Is(err, worker.ErrRefused) && !errors.As(err, &unusable)
		return err
	}
	for _, manifest := range manifests {
		made, err := t.newTool(manifest, l.module, l.file, builtin)
		if err != nil {
			return fmt.Errorf("tool %s: %w", manifest.Name, err)
		}
		l.tools = append(l.tools, made)
	}
	return nil
}

// Inspect says what a module is and which tools it would give, with the manifest beside it, where there is one.
func Inspect(ctx context.Context, workers Workers, binary, beside []byte) (worker.Module, []Manifest, error) {
	known, err := workers.Add(ctx, sealed(binary, beside))
	if err != nil {
		return worker.Module{}, nil, err
	}
	defer workers.Remove(known.Digest)
	manifests, err := manifestsOf(ctx, workers, known, beside)
	if err != nil {
		return known, nil, err
	}
	for _, manifest := range manifests {
		if _, err := compileSchema(manifest.InputSchema); err != nil {
			return known, nil, fmt.Errorf("tool %s: %w", manifest.Name, err)
		}
	}
	return known, manifests, nil
}

// registry is all tools at one moment. It does not change.
type registry struct {
	tools    map[string]*tool
	offered  []loop.Tool
	infos    []Info
	problems []Problem
}

// register makes the registry of what was loaded, with the rules for names.
func register(builtin, own map[string]*loaded, folderProblem *Problem) *registry {
	r := &registry{tools: map[string]*tool{}}
	if folderProblem != nil {
		r.problems = append(r.problems, *folderProblem)
	}
	taken := map[string]*tool{} // by folded name
	for _, group := range []map[string]*loaded{builtin, own} {
		claims := map[string][]*tool{}
		for _, stem := range slices.Sorted(maps.Keys(group)) {
			l := group[stem]
			if l.problem != "" {
				r.problems = append(r.problems, Problem{l.file, l.problem})
			}
			for _, tool := range l.tools {
				claims[foldName(tool.manifest.Name)] = append(claims[foldName(tool.manifest.Name)], tool)
			}
		}
		for folded, tools := range claims {
			first := taken[folded]
			if first == nil && len(tools) == 1 {
				taken[folded] = tools[0]
				r.tools[tools[0].manifest.Name] = tools[0]
				continue
			}
			r.refuseTwins(first, tools)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		tool := r.tools[name]
		r.infos = append(r.infos, tool.info())
		if tool.blocked == "" {
			r.offered = append(r.offered, tool.offer())
		}
	}
	slices.SortFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Reason, b.Reason))
	})
	return r
}

// refuseTwins reports tools whose names are one, each with the file of another. first, where there is one, keeps
// its name.
func (r *registry) refuseTwins(first *tool, tools []*tool) {
	for i, tool := range tools {
		other := first
		if other == nil {
			other = tools[(i+1)%len(tools)]
		}
		reason := fmt.Sprintf("its tool %q has the name of %q in %s", tool.manifest.Name, other.manifest.Name, other.file)
		r.problems = append(r.problems, Problem{tool.file, reason})
	}
}
