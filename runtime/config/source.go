package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FileName is what the configuration file is called in the folders where it is looked for.
const FileName = "chatterbox.yaml"

// Source is where a configuration comes from: the process as data.
type Source struct {
	Path     string                            // of the file that must be there; empty: looked for
	Getenv   func(name string) string          // nil: looked up in Environ
	Environ  []string                          // NAME=value; only for the warning about unknown names when Getenv is set
	ReadFile func(path string) ([]byte, error) // nil: os.ReadFile
	// Flags are values from the command line by the key's name, such as "listen". They win over everything else.
	Flags map[string]string
}

// OriginKind says what kind of place a value came from.
type OriginKind string

// The origins, from the weakest to the strongest.
const (
	FromDefault     OriginKind = "default"
	FromFile        OriginKind = "file"
	FromCredential  OriginKind = "credential"
	FromEnvironment OriginKind = "environment"
	FromFlag        OriginKind = "flag"
)

// Origin is where a value came from.
type Origin struct {
	Kind         OriginKind
	Name         string // path, variable or flag; empty for a default
	Line, Column int    // in a file, from 1
}

func (o Origin) String() string {
	switch {
	case o.Kind == FromDefault || o.Kind == "":
		return string(FromDefault)
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	default:
		return o.Name
	}
}

// Loaded is a configuration and how it came about.
type Loaded struct {
	Config   Config
	File     string            // the file that was read; empty when there was none
	Warnings []string          // sentences about what was ignored
	origins  map[string]Origin // by key; a missing one is a default
}

// Origin says where the key's value came from.
func (l Loaded) Origin(key string) Origin {
	if origin, ok := l.origins[key]; ok {
		return origin
	}
	return Origin{Kind: FromDefault}
}

// Resolve reads, from the weakest to the strongest: the defaults; the file named by Path or $CHATTERBOX_CONFIG, else
// the first chatterbox.yaml of the working, the user's and the system's configuration folder; files named like keys
// in $CREDENTIALS_DIRECTORY; the variables CHATTERBOX_… and CHATTERBOX_…_FILE, of which an empty one counts as not
// set; the flags. Then it fills in the folders and validates. The error is an *[Error] with all mistakes; the
// Loaded beside it holds what could be read.
func Resolve(source Source) (Loaded, error) {
	r := &resolver{source: source, loaded: Loaded{Config: Default(), origins: map[string]Origin{}}}
	r.file()
	for _, k := range keys(&r.loaded.Config) {
		r.credential(k)
		r.environment(k)
		r.flag(k)
	}
	r.programs()
	r.unknownFlags()
	r.unknownVariables()
	r.unused()
	r.folders()
	r.validate()
	return r.loaded, asError(r.mistakes)
}

type resolver struct {
	source   Source
	loaded   Loaded
	mistakes []Mistake
	here     bool // the file is the working folder's, and nobody named it
}

func (r *resolver) getenv(name string) string {
	if r.source.Getenv != nil {
		return r.source.Getenv(name)
	}
	value := ""
	for _, entry := range r.source.Environ {
		if given, text, ok := strings.Cut(entry, "="); ok && given == name {
			value = text // the last one wins, as in a shell
		}
	}
	return value
}

func (r *resolver) readFile(path string) ([]byte, error) {
	if r.source.ReadFile != nil {
		return r.source.ReadFile(path)
	}
	return os.ReadFile(path)
}

func (r *resolver) complain(key, source, message string) {
	r.mistakes = append(r.mistakes, Mistake{Key: key, Source: source, Message: message})
}

func (r *resolver) file() {
	path, text, err := r.find()
	if err != nil {
		r.complain("", path, "cannot read the configuration: "+reason(err))
		return
	}
	if path == "" {
		return
	}
	r.loaded.File = path
	origins, mistakes := parseInto(&r.loaded.Config, path, text)
	r.loaded.origins = origins
	r.mistakes = append(r.mistakes, mistakes...)
}

// systemFile is the configuration for the whole machine.
const systemFile = "/etc/chatterbox/" + FileName

// find gives the file's path and text; an empty path when there is none.
func (r *resolver) find() (path string, text []byte, err error) {
	for _, named := range []string{r.source.Path, r.getenv(envConfig)} {
		if named != "" {
			text, err := r.readFile(named)
			return named, text, err
		}
	}
	candidates := []string{FileName}
	if folder := r.userFolder("XDG_CONFIG_HOME", ".config"); folder != "" {
		candidates = append(candidates, filepath.Join(folder, FileName))
	}
	for _, path := range candidates {
		text, err := r.readFile(path)
		if !errors.Is(err, fs.ErrNotExist) {
			r.here = path == FileName
			return path, text, err
		}
	}
	text, err = r.readFile(systemFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, nil
	case errors.Is(err, fs.ErrPermission): // a service's file with its secrets; who may not read it has settings of their own
		r.loaded.Warnings = append(r.loaded.Warnings, systemFile+" is not used: "+reason(err))
		return "", nil, nil
	}
	return systemFile, text, err
}

// programs refuses a program to start where it comes from the working folder's file: that folder may be one that
// somebody else made, such as a tool's sources, and looking at those must not run what they name.
func (r *resolver) programs() {
	const key = "worker.command"
	origin := r.loaded.Origin(key)
	if !r.here || origin.Kind != FromFile {
		return
	}
	r.mistakes = append(r.mistakes, Mistake{
		Key: key, Source: origin.Name, Line: origin.Line, Column: max(origin.Column, 1),
		Message: key + ": a file that was only found in the working folder may not name a program; if it is yours, add --config " + FileName,
	})
}

// userFolder is the folder chatterbox below the variable's folder, else below that part of the home folder, else "".
func (r *resolver) userFolder(variable, inHome string) string {
	if base := r.getenv(variable); filepath.IsAbs(base) {
		return filepath.Join(base, "chatterbox")
	}
	if home := r.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, inHome, "chatterbox")
	}
	return ""
}

func (r *resolver) credential(k key) {
	folder := r.getenv("CREDENTIALS_DIRECTORY")
	if folder == "" {
		return
	}
	path := filepath.Join(folder, k.name)
	text, err := r.readFile(path)
	switch {
	case err == nil:
		r.set(k, Origin{Kind: FromCredential, Name: path}, trimLine(text))
	case !errors.Is(err, fs.ErrNotExist):
		r.complain(k.name, path, k.name+": cannot read the credential: "+reason(err))
	}
}

func (r *resolver) environment(k key) {
	variable, fileVariable := k.env(), k.env()+envFile
	text, path := r.getenv(variable), r.getenv(fileVariable)
	switch {
	case text != "" && path != "":
		r.complain(k.name, variable, fmt.Sprintf("%s: %s and %s are both set", k.name, variable, fileVariable))
	case text != "":
		r.set(k, Origin{Kind: FromEnvironment, Name: variable}, text)
	case path != "":
		content, err := r.readFile(path)
		if err != nil {
			r.complain(k.name, fileVariable, fmt.Sprintf("%s: cannot read %s: %s", k.name, path, reason(err)))
			return
		}
		r.set(k, Origin{Kind: FromEnvironment, Name: fileVariable}, trimLine(content))
	}
}

func (r *resolver) flag(k key) {
	if text, ok := r.source.Flags[k.name]; ok {
		r.set(k, Origin{Kind: FromFlag, Name: "--" + k.leaf()}, text)
	}
}

// set writes text into the key's field. Lists of words are separated by commas, other lists and maps are YAML.
func (r *resolver) set(k key, origin Origin, text string) {
	field := k.field
	switch field := field.(type) {
	case *[]string:
		*field = nil
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word != "" {
				*field = append(*field, word)
			}
		}
	case *[]Model, *[]Mode, *map[string]Price: // as in the file
		p := &fileParser{name: origin.Name, text: text, config: &r.loaded.Config}
		if root := p.root(); root != nil {
			p.value(k.name, root, root, field)
		}
		r.mistakes = append(r.mistakes, p.mistakes...)
	default:
		if err := setScalar(field, text); err != nil {
			r.complain(k.name, origin.Name, k.name+": "+err.Error())
			return
		}
	}
	r.loaded.origins[k.name] = origin
}

func (r *resolver) unknownFlags() {
	for _, name := range slices.Sorted(maps.Keys(r.source.Flags)) {
		if _, ok := keyNamed(&Config{}, name); !ok {
			r.complain(name, "--"+name, fmt.Sprintf("unknown key %q%s", name, didYouMean(name, names())))
		}
	}
}

func (r *resolver) unknownVariables() {
	known := []string{envConfig}
	for _, k := range keys(&Config{}) {
		known = append(known, k.env(), k.env()+envFile)
	}
	for _, entry := range r.source.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, EnvSecret) && !slices.Contains(known, name) {
			r.loaded.Warnings = append(r.loaded.Warnings,
				fmt.Sprintf("unknown variable %s is ignored%s", name, didYouMean(name, known)))
		}
	}
	slices.Sort(r.loaded.Warnings)
}

func (r *resolver) unused() {
	for _, k := range keys(&Config{}) {
		if origin := r.loaded.Origin(k.name); k.later && origin.Kind != FromDefault {
			r.loaded.Warnings = append(r.loaded.Warnings, fmt.Sprintf("%s: %s has no effect in this version", origin, k.name))
		}
	}
}

// folders fills in what is empty and replaces a leading ~, which no shell has replaced in a file.
func (r *resolver) folders() {
	c := &r.loaded.Config
	for _, path := range []*string{&c.Data, &c.Tools.Dir} {
		if rest, ok := strings.CutPrefix(*path, "~/"); ok && r.getenv("HOME") != "" {
			*path = filepath.Join(r.getenv("HOME"), rest)
		}
	}
	if c.Data == "" {
		c.Data, _, _ = strings.Cut(r.getenv("STATE_DIRECTORY"), ":") // set by systemd; the first of its folders
	}
	if c.Data == "" {
		c.Data = r.userFolder("XDG_DATA_HOME", ".local/share")
	}
	if c.Data == "" {
		r.complain("data", "", "data: there is no home folder to keep data in; name a folder, such as "+
			"CHATTERBOX_DATA=/var/lib/chatterbox")
		return
	}
	if c.Tools.Dir == "" {
		c.Tools.Dir = c.InData(ToolsFolder)
	}
}

// validate adds what [Validate] finds, with its origin. A key whose text could not even be read is not complained
// about twice.
func (r *resolver) validate() {
	known := map[string]bool{}
	for _, m := range r.mistakes {
		known[m.Key] = true
	}
	for _, m := range findMistakes(r.loaded.Config) {
		if known[m.Key] {
			continue
		}
		if origin := r.loaded.Origin(m.Key); origin.Kind != FromDefault {
			m.Source, m.Line, m.Column = origin.Name, origin.Line, origin.Column
		}
		r.mistakes = append(r.mistakes, m)
	}
}

// trimLine is the text of a file that holds one value, without the line's end.
func trimLine(text []byte) string {
	return strings.TrimRight(string(text), "\r\n")
}

// reason is the error without the path, which the message around it already names.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
