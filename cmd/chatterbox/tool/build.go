package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"

	"github.com/spf13/cobra"
)

// buildTime is how long a compiler may take.
const buildTime = 10 * time.Minute

// toolchain is one way to compile a language. Its program is what the variable names, else the first of names that is
// found.
type toolchain struct {
	language  string
	marker    string // a file with this name, or a pattern of names, says that a folder is in this language
	variable  string
	names     []string
	arguments string // split at spaces; SOURCES are the files of the marker, OUT is the module
	built     string // where the module is instead of at OUT, a pattern
	env       []string
	get       string // how to get it
	target    string // what of it says that it has no way to WebAssembly
}

// toolchains are tried in this order; the first whose program is found is taken.
var toolchains = []toolchain{
	{
		language: "go", marker: "go.mod", variable: "GO", names: []string{"go"},
		arguments: "build -buildmode=c-shared -trimpath -buildvcs=false -ldflags=-s -o OUT .", env: []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"},
		get: "install Go 1.24 or newer from https://go.dev/dl", target: "unsupported GOOS/GOARCH",
	},
	{
		language: "rust", marker: "Cargo.toml", variable: "CARGO", names: []string{"cargo"},
		arguments: "build --quiet --release --target wasm32-unknown-unknown --target-dir target",
		built:     "target/wasm32-unknown-unknown/release/*.wasm",
		get:       "install Rust from https://rustup.rs, then: rustup target add wasm32-unknown-unknown",
		target:    "can't find crate for `",
	},
	{
		language: "c", marker: "*.c", variable: "ZIG", names: []string{"zig"},
		arguments: "cc -target wasm32-wasi -mexec-model=reactor -std=c17 -Oz -s -Wl,-z,stack-size=65536 -Wall -Wextra SOURCES -o OUT",
		get:       "install Zig from https://ziglang.org/download (it compiles C), or name wasi-sdk's clang in WASI_CLANG",
	},
	{
		language: "c", marker: "*.c", variable: "WASI_CLANG", names: []string{"/opt/wasi-sdk/bin/clang"},
		arguments: "--target=wasm32-wasi -mexec-model=reactor -std=c17 -Oz -Wl,--strip-all,-z,stack-size=65536 -Wall -Wextra SOURCES -o OUT",
		get:       "install Zig from https://ziglang.org/download (it compiles C), or name wasi-sdk's clang in WASI_CLANG",
		target:    "No available targets are compatible",
	},
	{
		language: "zig", marker: "main.zig", variable: "ZIG", names: []string{"zig"},
		arguments: "build-exe main.zig -target wasm32-freestanding -OReleaseSmall -fstrip -fno-entry --export=alloc --export=execute --stack 32768 -femit-bin=OUT",
		get:       "install Zig 0.16 from https://ziglang.org/download",
	},
	{
		language: "assemblyscript", marker: "main.ts", variable: "ASC", names: []string{"node_modules/.bin/asc", "asc"},
		arguments: "main.ts -o OUT -O2 --runtime minimal --use abort=main/fail",
		get:       "install Node.js, then: npm install --global assemblyscript",
	},
}

func buildCommand(host *cli.Host) *cobra.Command {
	return &cobra.Command{
		Use: "build [FOLDER]", Short: "Build the tool in a folder, by default this one, into NAME.wasm", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openProject(folderOf(args))
			if err != nil {
				return err
			}
			return buildTool(cmd.Context(), host.Env, p)
		},
	}
}

func folderOf(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// buildTool compiles the project's sources and puts the manifest into the module. Nothing is replaced when it fails.
func buildTool(ctx context.Context, env cli.Env, p *project) error {
	chain, program, sources, err := findToolchain(env, p.dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	work, err := os.MkdirTemp("", "chatterbox-build-")
	if err != nil {
		return cli.Infrastructure("", err)
	}
	defer os.RemoveAll(work)
	out := filepath.Join(work, "tool.wasm")
	began := time.Now()
	if err := chain.compile(ctx, env, p.dir, program, sources, out); err != nil {
		return err
	}
	if chain.built != "" {
		if out, err = newestOf(filepath.Join(p.dir, chain.built)); err != nil {
			return err
		}
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return cli.Infrastructure("", fmt.Errorf("read what was built: %w", err))
	}
	if module, err = toolbox.WithManifest(module, p.manifest); err != nil {
		return cli.Failed("what %s built cannot be used: %w", chain.language, err)
	}
	if err := toolbox.WriteFile(p.module(), module, 0o644); err != nil {
		return cli.Infrastructure("", err)
	}
	fmt.Fprintf(env.Stdout, "built %s: %d bytes, %s, %s in %v\n", cli.InLine(p.module()), len(module), digest(module),
		chain.language, time.Since(began).Round(10*time.Millisecond))
	return nil
}

// findToolchain says how the folder is built, and with which program.
func findToolchain(env cli.Env, dir string) (toolchain, string, []string, error) {
	var missing *toolchain
	for _, chain := range toolchains {
		sources, err := filepath.Glob(filepath.Join(dir, chain.marker))
		if err != nil || len(sources) == 0 {
			continue
		}
		for i := range sources {
			sources[i] = filepath.Base(sources[i])
		}
		if program := chain.find(env, dir); program != "" {
			return chain, program, sources, nil
		}
		missing = &chain
	}
	if missing != nil {
		return toolchain{}, "", nil, cli.Infrastructure(missing.get,
			fmt.Errorf("the compiler for %s was not found: %s, or what %s names", missing.language, missing.names[len(missing.names)-1], missing.variable))
	}
	var markers []string
	for _, chain := range toolchains {
		markers = append(markers, chain.marker)
	}
	return toolchain{}, "", nil, cli.Usage("in another language: compile it yourself, and put tool.json beside NAME.wasm as NAME.tool.json",
		"%s has none of %s, so its language is not known", cli.InLine(dir), strings.Join(slices.Compact(markers), ", "))
}

// find answers the program's path, empty where there is none.
func (c toolchain) find(env cli.Env, dir string) string {
	if named := env.Getenv(c.variable); named != "" {
		if found, err := exec.LookPath(named); err == nil {
			return found
		}
		return ""
	}
	for _, name := range c.names {
		if strings.HasPrefix(name, "node_modules/") {
			if local, err := filepath.Abs(filepath.Join(dir, name)); err == nil {
				name = local
			}
		}
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

func (c toolchain) compile(ctx context.Context, env cli.Env, dir, program string, sources []string, out string) error {
	var arguments []string
	for _, word := range strings.Fields(c.arguments) {
		switch {
		case word == "SOURCES":
			arguments = append(arguments, sources...)
		default:
			arguments = append(arguments, strings.Replace(word, "OUT", out, 1))
		}
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	command.Env = append(slices.Clone(env.Environ), c.env...)
	command.WaitDelay = time.Second
	printed, err := command.CombinedOutput()
	switch {
	case err == nil:
		_, _ = env.Stderr.Write(printed) // warnings
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return cli.Failed("%s did not finish within %v", c.language, buildTime)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	_, _ = env.Stderr.Write(printed)
	var exit *exec.ExitError
	if c.lacks(string(printed)) || !errors.As(err, &exit) {
		return cli.Infrastructure(c.get, fmt.Errorf("%s cannot build for WebAssembly: %w", program, err))
	}
	return cli.Failed("%s %s: %w", program, cli.InLine(strings.Join(arguments, " ")), err)
}

// lacks says whether the compiler printed that its target, or a package, is not there.
func (c toolchain) lacks(printed string) bool {
	if c.target != "" && strings.Contains(printed, c.target) {
		return true
	}
	for _, sign := range []string{"no required module provides package", "requires go >=", "failed to get `", "no matching package", "TS6054"} {
		if strings.Contains(printed, sign) {
			return true
		}
	}
	return false
}

// newestOf is the file of the pattern that was written last.
func newestOf(pattern string) (string, error) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return "", cli.Failed("the compiler wrote no %s; crate-type must be [\"cdylib\"]", cli.InLine(pattern))
	}
	var newest string
	var written time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && !info.ModTime().Before(written) {
			newest, written = file, info.ModTime()
		}
	}
	return newest, nil
}
