package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// example is a call that a tool's author promises the result of. What the tool asks of the host in it is answered from
// here, in this order, so that an example needs no network and no clock.
type example struct {
	Tool      string          `json:"tool"` // where the module has several
	Arguments json.RawMessage `json:"arguments"`
	Host      []exchange      `json:"host"`
	Result    json.RawMessage `json:"result"`
}

type exchange struct {
	Function string          `json:"function"`
	Input    json.RawMessage `json:"input"`
	Answer   json.RawMessage `json:"answer"`
}

// checkedThing is one thing that a check looked at.
type checkedThing struct {
	State  string `json:"state"` // ok, failed, or note
	Detail string `json:"detail"`
}

// The states of a checkedThing.
const (
	checkedOK     = "ok"
	checkedFailed = "failed"
	checkedNote   = "note" // neither
)

// reporter is told what a check finds, as it finds it.
type reporter func(state, format string, args ...any)

// tellPerson prints what is found, a line each.
func tellPerson(env cli.Env) reporter {
	return func(state, format string, args ...any) {
		if state == checkedOK {
			format = "ok: " + format
		}
		fmt.Fprintf(env.Stdout, format+"\n", args...)
	}
}

func checkCommand(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FOLDER]",
		Short: "Check the built tool in a folder, by default this one: module, manifest, limits and its examples",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openProject(folderOf(args))
			if err != nil {
				return err
			}
			if !asJSON {
				return checkTool(cmd.Context(), host, p, tellPerson(host.Env))
			}
			things := []checkedThing{}
			err = checkTool(cmd.Context(), host, p, func(state, format string, args ...any) {
				things = append(things, checkedThing{state, fmt.Sprintf(format, args...)})
			})
			if err != nil {
				things = append(things, checkedThing{checkedFailed, err.Error()})
			}
			return errors.Join(err, cli.PrintJSON(host.Env.Stdout, map[string]any{"ok": err == nil, "checks": things}))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// checkTool says all that would keep the tool from being used, or from doing what its examples say.
func checkTool(ctx context.Context, host *cli.Host, p *project, tell reporter) error {
	file := cli.InLine(p.module())
	module, err := os.ReadFile(p.module())
	if errors.Is(err, os.ErrNotExist) {
		return cli.FailedHint("chatterbox tool build makes it", "there is no %s", file)
	} else if err != nil {
		return cli.Infrastructure("", err)
	}
	carried, err := toolbox.CarriedManifest(module)
	if err != nil {
		return cli.Failed("%s: %w", file, err)
	}
	if carried != nil && !bytes.Equal(carried, p.manifest) {
		return cli.FailedHint("chatterbox tool build puts it into the module", "%s has changed since %s was built", manifestFile, file)
	}
	settings, err := host.Load(nil)
	if err != nil {
		return err
	}
	t, err := openAlone(ctx, host, settings, p.name, module, p.manifest)
	if err != nil {
		return err
	}
	defer t.Close()
	if reasons := problemsOf(t, p.name); len(reasons) > 0 {
		return cli.Failed("%s: %s", file, cli.InLine(reasons[0]))
	}
	known, err := t.Pool.Add(ctx, module)
	if err != nil {
		return cli.Failed("%s: %w", file, err)
	}
	defer t.Pool.Remove(known.Digest)
	manifests, err := toolbox.ParseManifest(p.manifest)
	if err != nil {
		return cli.Failed("%s: %w", manifestFile, err)
	}
	tell(checkedOK, "%s is a %s of %d bytes and starts with %s of memory",
		file, known.ABI, len(module), cli.Count(int(known.MemoryPages), "page"))
	for _, manifest := range manifests {
		if most := manifest.Limits.MemoryPages; known.MemoryPages > most && most > 0 || known.MemoryPages > 256 && most == 0 {
			return cli.Failed("%s starts with %d pages of memory; say so in limits.memory_pages", file, known.MemoryPages)
		}
		tell(checkedOK, "%s asks for this: %s", manifest.Name, asksInWords(manifest))
	}
	return p.checkExamples(ctx, tell, t, known, manifests)
}

func (p *project) checkExamples(
	ctx context.Context, tell reporter, t *cli.Tools, known worker.Module, manifests []toolbox.Manifest,
) error {
	file := filepath.Join(p.dir, examplesFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		tell(checkedNote, "no examples: there is no %s", cli.InLine(file))
		return nil
	} else if err != nil {
		return cli.Infrastructure("", err)
	}
	var examples []example
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&examples); err != nil {
		return cli.Failed("%s: %w", cli.InLine(file), err)
	}
	wrong := 0
	for i, one := range examples {
		began := time.Now()
		if complaint := one.run(ctx, t.Pool, known.Digest, manifests); complaint != "" {
			wrong++
			tell(checkedFailed, "example %d: %s", i+1, complaint)
			continue
		}
		tell(checkedOK, "example %d in %v", i+1, time.Since(began).Round(10*time.Microsecond))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if wrong > 0 {
		return cli.Failed("%d of %d examples do not hold", wrong, len(examples))
	}
	return nil
}

// run makes the call and answers what is not as the example says.
func (e example) run(
	ctx context.Context, workers toolbox.Workers, digest string, manifests []toolbox.Manifest,
) (complaint string) {
	manifest := manifests[0]
	for _, other := range manifests {
		if other.Name == e.Tool {
			manifest = other
		}
	}
	if e.Tool != "" && e.Tool != manifest.Name {
		return "there is no tool " + e.Tool
	}
	if e.Arguments == nil || e.Result == nil {
		return "it needs arguments and result"
	}
	script := e.Host
	limits := manifest.Limits
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	output := workers.Call(ctx, worker.Call{
		Digest: digest, Tool: manifest.Name, Arguments: encoded(e.Arguments), Env: manifest.Env,
		Limits: worker.Limits{
			MemoryPages: limits.MemoryPages, Wall: limits.Wall,
			InputBytes: limits.Input, OutputBytes: limits.Output, LogBytes: limits.Log,
		},
	}, func(_ context.Context, function string, input []byte) []byte {
		if len(script) == 0 || script[0].Function != function || !sameJSON(script[0].Input, input) {
			if complaint == "" {
				complaint = fmt.Sprintf("it asks %s %s, which the example does not have at this place", function, oneLineOf(input))
			}
			return []byte(`{"error":"the example has no answer to this"}`)
		}
		answer := script[0].Answer
		script = script[1:]
		return answer
	})
	switch {
	case complaint != "":
	case output.Fault != worker.NoFault && output.Fault != worker.ExitStatus:
		complaint = fmt.Sprintf("it fails (%s): %s", output.Fault, output.Message)
	case !sameJSON(e.Result, asJSON(output.Result)):
		complaint = fmt.Sprintf("the result is %s, not %s", oneLineOf(asJSON(output.Result)), oneLineOf(e.Result))
	case len(script) > 0:
		complaint = fmt.Sprintf("it never asks %s", script[0].Function)
	}
	return complaint
}

// asJSON is a guest's output as the model gets it: plain text becomes {"text": …}.
func asJSON(output []byte) []byte {
	if output = bytes.TrimSpace(output); json.Valid(output) {
		return output
	}
	return encoded(map[string]string{"text": string(output)})
}

func sameJSON(a, b []byte) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}
