// Package flows reads the router's rules and the workflows, which are YAML files: those that are built in and the
// user's.
package flows

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chatterbox/loop/route"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Options say where rules come from beside the built-in ones.
type Options struct {
	// Dir is the user's folder; empty or absent is none. A command there replaces the built-in one of the same name and
	// language.
	Dir string
	// Tools are those that a workflow may call. Nil is any: a workflow whose tool is missing is then no mistake.
	Tools []string
	// Reversible are those of Tools whose effect needs nobody's yes. A workflow may call no other one without a yes.
	Reversible []string
}

// Limits of what is read.
const (
	filesMax     = 100
	fileMaxBytes = 64 << 10
	nestingMax   = 32 // brackets; the parser's cost grows with the square
)

// Resolvers are the functions that a rule's arguments may name: zone turns a place into the IANA name of its time zone,
// place lets a place through, city lets a place through that is certainly one, day turns what names one day into its
// date, time a time of the day into hours and minutes, and first_day and last_day do so for what names several. percent
// is a number up to 100, color the English name of a color of light, sum a calculation in the signs of mathematics,
// amount any number, unit the name of a unit.
func Resolvers() map[string]route.Resolver {
	return map[string]route.Resolver{"zone": zoneOf, "place": placeOf, "city": cityOf,
		"day": dayOf, "time": timeOf, "first_day": endOf(0), "last_day": endOf(1), "percent": percentOf, "color": colorOf,
		"sum": sumOf, "amount": amountOf, "unit": unitOf}
}

// Load reads all rules. The error names every mistake with its file and line.
func Load(options Options) (*route.Rules, error) {
	files, err := options.files()
	if err != nil {
		return nil, err
	}
	var sources []source
	var errs []error
	for _, file := range files {
		if file.kind() != "" {
			continue
		}
		read, err := parse(file)
		errs = append(errs, err)
		sources = merge(sources, read)
	}
	sentences, err := sentencesOf(files)
	errs = append(errs, err)
	custom, err := customSentences(options.Dir)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	rules, err := compile(append(sources, custom.sources...), sentences)
	if err != nil {
		return nil, err
	}
	return rules.Reading(custom.readers), nil
}

type file struct {
	name    string
	text    []byte
	checked bool // by a test, which reads it as if it were the user's
}

// files are the built-in ones and the user's.
func (o Options) files() ([]file, error) {
	files, err := builtIn()
	if err != nil || o.Dir == "" {
		return files, err
	}
	own, err := readDir(os.DirFS(o.Dir), ".", o.Dir)
	if err != nil {
		err = fmt.Errorf("read the rules and workflows of %s: %w", o.Dir, err)
	}
	return append(files, own...), err
}

func builtIn() ([]file, error) {
	files, err := readDir(builtin, "builtin", "")
	for i := range files {
		files[i].checked = true
	}
	return files, err
}

// readDir reads the YAML files of a folder, which may be absent; as is the folder's name in theirs.
func readDir(from fs.FS, dir, as string) ([]file, error) {
	entries, err := fs.ReadDir(from, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []file
	for _, entry := range entries {
		extension := filepath.Ext(entry.Name())
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || extension != ".yaml" && extension != ".yml" {
			continue
		}
		text, err := fs.ReadFile(from, path.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: filepath.Join(as, entry.Name()), text: text})
	}
	if len(files) > filesMax {
		return nil, fmt.Errorf("there are %d files, more than %d", len(files), filesMax)
	}
	return files, nil
}

// merge lets later rules replace earlier ones of the same name and language, in their place.
func merge(rules, later []source) []source {
	for _, rule := range later {
		same := func(other source) bool { return other.Name == rule.Name && other.Language == rule.Language }
		if i := slices.IndexFunc(rules, same); i >= 0 {
			rules[i] = rule
		} else {
			rules = append(rules, rule)
		}
	}
	return rules
}
