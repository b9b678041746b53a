package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
)

// The states of a finding.
const (
	findingOK      = "ok"
	findingWarning = "warning" // it works, but not as well as it could
	findingFailed  = "failed"
)

// finding is what the doctor found out about one thing.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // what to do about it

	code int // the exit code where it failed
}

// examination collects findings, in the order in which a person repairs things.
type examination struct {
	host     *cli.Host
	settings config.Config
	file     string // of the configuration; empty where there is none
	findings []finding
}

func (e *examination) ok(check, format string, args ...any) {
	e.findings = append(e.findings, finding{Check: check, State: findingOK, Detail: fmt.Sprintf(format, args...)})
}

func (e *examination) warn(check, hint, format string, args ...any) {
	e.findings = append(e.findings, finding{Check: check, State: findingWarning, Detail: fmt.Sprintf(format, args...), Hint: hint})
}

func (e *examination) fail(check string, code int, hint, format string, args ...any) {
	e.findings = append(e.findings, finding{
		Check: check, State: findingFailed, Detail: fmt.Sprintf(format, args...), Hint: hint, code: code,
	})
}

// failure is a failed finding of an error, with the error's own hint where it has one.
func (e *examination) failure(check string, err error) {
	found := &cli.Error{Code: cli.ExitInfrastructure, Err: err}
	if coded, ok := err.(*cli.Error); ok {
		found = coded
	}
	code := found.Code
	if code == cli.ExitUsage { // a setting that is wrong did not hold
		code = cli.ExitFailed
	}
	e.fail(check, code, found.Hint, "%v", found.Err)
}

// New is the command doctor.
func New(host *cli.Host) *cobra.Command {
	var (
		listen string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say what works here and what does not, and what to do about it", Args: cobra.NoArgs,
		Long: "Examines what serve would use: the configuration, the data folder, the model, the tools and their walls, the MQTT\n" +
			"broker where one is set, the clock and the port. It ends with 0 when nothing failed, with 3 when the disk, the model's\n" +
			"server, the broker or the port is at fault, and with 1 for the rest.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			e := &examination{host: host}
			if e.configuration(listen) {
				e.all(cmd.Context())
			}
			if err := e.print(asJSON); err != nil {
				return err
			}
			return e.verdict()
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address` where the server would listen")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func (e *examination) all(ctx context.Context) {
	e.host.UseOwnRoots()
	e.access()
	e.dataFolder()
	e.stored(ctx)
	e.model(ctx)
	e.tools(ctx)
	e.workflows()
	e.broker(ctx)
	e.clock()
	e.port(ctx)
}

func (e *examination) print(asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(e.host.Env.Stdout, map[string]any{"ok": len(e.failed()) == 0, "checks": e.findings})
	}
	for _, f := range e.findings {
		fmt.Fprintf(e.host.Env.Stdout, "%-8s %-14s %s\n", f.State, f.Check, strings.ReplaceAll(f.Detail, "\n", "; "))
		if f.Hint != "" {
			fmt.Fprintf(e.host.Env.Stdout, "%-8s %-14s   %s\n", "", "", f.Hint)
		}
	}
	return nil
}

func (e *examination) failed() []finding {
	return slices.DeleteFunc(slices.Clone(e.findings), func(f finding) bool { return f.State != findingFailed })
}

func (e *examination) verdict() error {
	failed := e.failed()
	if len(failed) == 0 {
		return nil
	}
	worst := slices.MaxFunc(failed, func(a, b finding) int { return cmp.Compare(a.code, b.code) })
	err := fmt.Errorf("%d of %s failed", len(failed), cli.Count(len(e.findings), "check"))
	return &cli.Error{Code: worst.code, Err: err}
}
