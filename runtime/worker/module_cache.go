package worker

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"chatterbox/runtime/internal/texts"
)

// The weight of modules that one worker keeps. Compiled, a module takes several times its size.
const (
	cacheBytesMax = 96 << 20
	moduleFactor  = 8
	moduleLeast   = 1 << 20
)

// moduleCache are the modules that a worker has, as its server knows them; the last used one stands last.
type moduleCache struct {
	modules []*remote
	weight  int
}

func weightOf(r *remote) int { return len(r.binary)*moduleFactor + moduleLeast }

func (s *moduleCache) has(r *remote) bool { return slices.Contains(s.modules, r) }

// use has the module sent to the worker unless it is there, in the room of those that were not used for longest.
func (s *moduleCache) use(r *remote, out *message) {
	if at := slices.Index(s.modules, r); at >= 0 {
		if at != len(s.modules)-1 {
			s.modules = append(slices.Delete(s.modules, at, at+1), r)
		}
		return
	}
	for len(s.modules) > 0 && s.weight+weightOf(r) > cacheBytesMax {
		appendDrop(out, s.modules[0].digest)
		s.weight -= weightOf(s.modules[0])
		s.modules = slices.Delete(s.modules, 0, 1)
	}
	if same := slices.IndexFunc(s.modules, func(m *remote) bool { return m.digest == r.digest }); same >= 0 {
		s.modules[same] = r // removed and added again meanwhile
		return
	}
	appendLoad(out, r.digest, r.binary)
	s.modules = append(s.modules, r)
	s.weight += weightOf(r)
}

func appendLoad(out *message, digest string, binary []byte) {
	out.open(frameLoad)
	out.text(digest)
	out.data(binary)
	out.close()
}

func appendDrop(out *message, digest string) {
	out.open(frameDrop)
	out.text(digest)
	out.close()
}

// firstLine is fit for a person: the first line that says something.
func firstLine(said []byte) string {
	for line := range bytes.Lines(said) {
		if line = bytes.TrimSpace(line); len(line) > 0 && utf8.Valid(line) {
			return strings.ToValidUTF8(texts.Cut(string(line), 200), "")
		}
	}
	return ""
}
