package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"chatterbox/loop/route"
)

// ErrConflict says that another writer was first, or that the conversation was deleted meanwhile.
var ErrConflict = errors.New("conversation was changed by another writer")

// Turn is one exchange, stored whole or not at all.
type Turn struct {
	ID        string    `json:"id"` // unique; an Append of one already committed succeeds
	At        time.Time `json:"at"`
	User      string    `json:"user"`
	Assistant string    `json:"assistant"`
	Language  string    `json:"language,omitempty"`
	Mode      string    `json:"mode,omitempty"`
	// Trace is the turn's trace as JSON, for people who look at what happened; the prompt never contains it.
	Trace json.RawMessage `json:"trace,omitempty"`
}

// State is what a conversation carries from turn to turn beside its turns. Append replaces it.
type State struct {
	Mode      string          `json:"mode,omitempty"`
	ModeSet   time.Time       `json:"mode_set,omitzero"`    // when a program set it; as good as a turn for the idle time
	LastMatch string          `json:"last_match,omitempty"` // the tool whose relevance chose the offered set
	Offered   []string        `json:"offered,omitempty"`    // that set, where there are more tools than are offered
	Workflow  json.RawMessage `json:"workflow,omitempty"`
	Approval  *Approval       `json:"approval,omitempty"`
	Choice    *Choice         `json:"choice,omitempty"`
	Last      *Done           `json:"last,omitempty"`    // what was done last
	Effects   []Effect        `json:"effects,omitempty"` // of turns that were not stored, and those of the one that runs
}

// Approval is a call that waits for the person's yes, with the loop's machine that goes on when it comes.
type Approval struct {
	Tool      string          `json:"tool"` // name
	Arguments json.RawMessage `json:"arguments"`
	Question  string          `json:"question"`
	Language  string          `json:"language,omitempty"` // of the question
	Expires   time.Time       `json:"expires"`
	Machine   json.RawMessage `json:"machine,omitempty"`
	// Commands are those whose rules proposed the machine's calls, and word their results.
	Commands []route.Saved `json:"commands,omitempty"`

	// Command and Digest are read where an earlier version stored them in place of a machine: the command that waits,
	// and its tool when the question was asked.
	Command *route.Saved `json:"command,omitempty"`
	Digest  string       `json:"digest,omitempty"`
}

// Choice is a command whose tool found several things that it could mean, and asked which.
type Choice struct {
	Command    route.Saved     `json:"command"`
	Candidates json.RawMessage `json:"candidates"` // a list of objects
	Expires    time.Time       `json:"expires"`
}

// Conversation is what Load gives. An absent one has no turns, and the version that an Append must name.
type Conversation struct {
	ID      string
	Version int64
	Turns   []Turn // oldest first
	// Skipped is how many older turns Load left out.
	Skipped int
	State   State
	Updated time.Time // of the last Append, or of the SetState that it began with; zero when absent
}

// Store keeps conversations. All methods may be called by several goroutines at once. historytest has the suite that
// every implementation passes.
type Store interface {
	// Load returns the conversation with its newest turns, at most turnsMax of them. An absent, deleted or expired
	// conversation is not an error.
	Load(ctx context.Context, id string, turnsMax int) (Conversation, error)

	// Append commits turn and state as one and returns when they are durable. It fails with ErrConflict, and stores
	// nothing, when version is not the conversation's, and succeeds without effect when a turn with this ID is already
	// in it. The new version is version+1.
	Append(ctx context.Context, id string, version int64, turn Turn, state State) error

	// SetState commits state alone, so that what must not happen twice can be noted before it happens: an approval is
	// used up before its call runs. It returns when the state is durable, and fails with ErrConflict like Append. An
	// absent conversation begins with it, without a turn. The new version is version+1.
	SetState(ctx context.Context, id string, version int64, state State) error

	// Delete removes the conversation and all its turns and leaves a tombstone with the next version, also for an id
	// never stored, kept at least an hour and longer than any turn may last. Versions of an id only rise.
	Delete(ctx context.Context, id string) error

	// DeleteAll deletes every conversation and says how many there were.
	DeleteAll(ctx context.Context) (int, error)
}
