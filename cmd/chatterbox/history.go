package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

func newHistory(host *cli.Host) *cobra.Command {
	h := &historyCommand{Host: host}
	cmd := &cobra.Command{Use: "history", Short: "Look at, search, export and delete what was said"}
	cmd.PersistentFlags().BoolVar(&h.json, "json", false, "print as JSON")
	list := h.command("list", "List the conversations, the newest first", cobra.NoArgs, h.list)
	search := h.command("search WORD...", "Find turns that contain all the words", cobra.MinimumNArgs(1), h.search)
	remove := h.command("delete ID...", "Delete conversations", cobra.ArbitraryArgs, h.delete)
	list.Flags().IntVar(&h.limit, "limit", 50, "print at most `n`")
	search.Flags().IntVar(&h.limit, "limit", 50, "print at most `n`")
	remove.Flags().BoolVar(&h.all, "all", false, "delete every conversation")
	cmd.AddCommand(
		list, search, remove,
		h.command("show ID", "Print a conversation", cobra.ExactArgs(1), h.show),
		h.command("export [ID...]", "Print conversations as JSON Lines", cobra.ArbitraryArgs, h.export),
		h.command("backup FILE", "Write a copy of the whole history, also while the server runs", cobra.ExactArgs(1), h.backup),
		h.command("repair [FILE]", "Save what can be read of a damaged history into a new file", cobra.MaximumNArgs(1), h.repair),
	)
	return cmd
}

// historyCommand is what the subcommands of history share.
type historyCommand struct {
	*cli.Host
	json  bool
	limit int
	all   bool
	path  string // of the database
}

func (h *historyCommand) command(
	use, short string, args cobra.PositionalArgs, run func(context.Context, *history.SQLite, []string) error,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: h.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			options := history.Options{Path: settings.InData(config.HistoryFile), TTL: settings.History.TTL}
			h.path = options.Path
			store, err := history.Open(ctx, options)
			if name, _, _ := strings.Cut(use, " "); err != nil && slices.Contains([]string{"show", "export", "repair"}, name) {
				store, err = openDamaged(ctx, options, err)
			}
			if err != nil {
				return cli.Stored(err)
			}
			defer store.Close()
			return cli.Stored(run(ctx, store, args))
		}),
	}
}

// openDamaged opens what is there and cannot be opened otherwise; where nothing of it is legible, the error is err.
func openDamaged(ctx context.Context, options history.Options, err error) (*history.SQLite, error) {
	if _, missing := os.Stat(options.Path); missing != nil {
		return nil, err
	}
	damaged, cannot := history.OpenDamaged(options)
	if cannot != nil {
		return nil, err
	}
	if legible, cannot := damaged.Readable(ctx); cannot == nil && legible {
		return damaged, nil
	}
	damaged.Close()
	return nil, err
}

func (h *historyCommand) list(ctx context.Context, store *history.SQLite, _ []string) error {
	summaries, err := store.List(ctx, history.ListOptions{Limit: h.limit})
	if err != nil {
		return err
	}
	if h.json {
		return cli.PrintJSON(h.Env.Stdout, summaries)
	}
	var rows [][]string
	for _, s := range summaries {
		rows = append(rows, []string{s.ID, local(s.Updated), cli.Count(s.Turns, "turn"), cli.OneLine(s.First, lineMax)})
	}
	return cli.PrintRows(h.Env.Stdout, rows)
}

func (h *historyCommand) show(ctx context.Context, store *history.SQLite, args []string) error {
	shown, lost := store.Show(ctx, args[0])
	if lost != nil && !errors.As(lost, new(*history.Damage)) {
		return lost
	}
	if h.json {
		usage, err := usageOf(shown.Turns)
		if err != nil {
			return err
		}
		return errors.Join(lost, cli.PrintJSON(h.Env.Stdout, struct {
			history.Exported
			Usage loop.Usage `json:"usage"` // of all turns
		}{history.Exported{ID: shown.ID, Updated: shown.Updated, State: shown.State, Turns: shown.Turns}, usage}))
	}
	for _, turn := range shown.Turns {
		h.print(turn)
	}
	return lost
}

// usageOf sums what the traces of the turns say. The cost is nil when one turn's is not known.
func usageOf(turns []conversation.Turn) (sum loop.Usage, err error) {
	cost, known := 0.0, true
	for _, turn := range turns {
		var trace struct{ Usage loop.Usage }
		if len(turn.Trace) > 0 {
			if err := json.Unmarshal(turn.Trace, &trace); err != nil {
				return loop.Usage{}, fmt.Errorf("read the trace of turn %s: %w", turn.ID, err)
			}
		}
		sum.PromptTokens += trace.Usage.PromptTokens
		sum.CompletionTokens += trace.Usage.CompletionTokens
		if trace.Usage.CostUSD == nil {
			known = false
		} else {
			cost += *trace.Usage.CostUSD
		}
	}
	if known {
		sum.CostUSD = &cost
	}
	return sum, nil
}

func (h *historyCommand) print(turn conversation.Turn) {
	indented := strings.NewReplacer("\n", "\n    ") // so that a text cannot look like a turn of its own
	fmt.Fprintf(h.Env.Stdout, "%s\n  > %s\n  %s\n", local(turn.At), indented.Replace(turn.User), indented.Replace(turn.Assistant))
}

func (h *historyCommand) search(ctx context.Context, store *history.SQLite, args []string) error {
	matches, err := store.Search(ctx, strings.Join(args, " "), h.limit)
	if err != nil {
		return err
	}
	if h.json {
		if err := cli.PrintJSON(h.Env.Stdout, matches); err != nil {
			return err
		}
	} else {
		for _, m := range matches {
			fmt.Fprintf(h.Env.Stdout, "%s  %s\n  > %s\n  %s\n", m.Conversation, local(m.At),
				cli.OneLine(m.User, lineMax), cli.OneLine(m.Assistant, lineMax))
		}
	}
	if len(matches) == 0 {
		return cli.Failed("nothing was said with all of: %s", strings.Join(args, " "))
	}
	return nil
}

func (h *historyCommand) export(ctx context.Context, store *history.SQLite, args []string) error {
	return store.Export(ctx, cli.NewJSONText(h.Env.Stdout), args...)
}

func (h *historyCommand) delete(ctx context.Context, store *history.SQLite, args []string) error {
	if h.all == (len(args) > 0) {
		return cli.Usage("chatterbox history list shows the ids", "name the conversations to delete, or --all")
	}
	if h.all {
		n, err := store.DeleteAll(ctx)
		if err != nil {
			return err
		}
		return h.report(fmt.Sprintf("deleted %d", n), map[string]any{"deleted": "*", "count": n})
	}
	for _, id := range args {
		if _, err := store.Show(ctx, id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if err := store.Delete(ctx, id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if err := h.report("deleted "+id, map[string]any{"deleted": id}); err != nil {
			return err
		}
	}
	return nil
}

// report says what was done, in words or as one line of JSON.
func (h *historyCommand) report(words string, data map[string]any) error {
	if h.json {
		return json.NewEncoder(cli.NewJSONText(h.Env.Stdout)).Encode(data)
	}
	_, err := fmt.Fprintln(h.Env.Stdout, words)
	return err
}

func (h *historyCommand) backup(ctx context.Context, store *history.SQLite, args []string) error {
	if err := store.Backup(ctx, args[0]); err != nil {
		return err
	}
	return h.report("wrote "+args[0], map[string]any{"wrote": args[0]})
}

// repair saves into a file beside the damaged one unless a name is given, and says how it takes that one's place.
func (h *historyCommand) repair(ctx context.Context, store *history.SQLite, args []string) error {
	file := filepath.Join(filepath.Dir(h.path), "history-repaired.db")
	if len(args) > 0 {
		file = args[0]
	}
	done, whole, err := store.Repair(ctx, file)
	if err != nil {
		return err
	}
	if whole {
		return h.report(h.path+" is whole; nothing needs to be repaired", map[string]any{"whole": true})
	}
	saved := fmt.Sprintf("saved %s and %s to %s", cli.Count(done.Conversations, "conversation"), cli.Count(done.Turns, "turn"), file)
	for _, lost := range done.Lost {
		saved += "\nlost: " + lost
	}
	saved += fmt.Sprintf("\n%[1]s is as it was. With chatterbox stopped, put the new file in its place:\n"+
		"  mv %[1]s %[1]s.damaged\n  mv %[2]s %[1]s", h.path, file)
	return h.report(saved, map[string]any{"wrote": file, "saved": done})
}

const lineMax = 100 // characters of a text in a row

func local(at time.Time) string { return at.Local().Format("2006-01-02 15:04") }
