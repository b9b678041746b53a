// Package hostile is the table of attacks that a guest may try, with the module of each, for the tests of the layers
// that have to stop them. The table's format is in the README; an unknown key in it is an error.
package hostile

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed *.txtar modules/*.wasm
var files embed.FS

// Attack is one module and what must become of it.
type Attack struct {
	Name, Does, Wall string

	// The bounds, of every call and of the admission: time, and memory of all processes beyond what they had.
	Within time.Duration
	Memory int64 // bytes

	// Refused is a part of the sentence that refuses the module; empty when it is admitted and called.
	Refused string

	// The call, where the module is admitted.
	Deadline  time.Duration // the call's deadline
	Pages     uint32        // 0 is the default, for the others too
	Output    int
	LogBytes  int
	Arguments string
	Answer    string // what every host function answers
	Calls     int    // how often, each as the first; at least 1

	// What the call comes to.
	Fault     string // empty: none
	Message   string // a part of it
	Result    string // exactly; "*" is any
	Truncated bool
	Log       string // a part of it

	// Heavy is an attack that takes the race detector many seconds: it is left to the long form.
	Heavy bool

	// Without is the null control: what the same module does where nobody stops it, see the README.
	Without string

	// What only the network's attacks have.
	Network

	module, generate string
}

// Network is an attack on the server's surroundings: a guest that is granted the net rules makes the requests in order.
type Network struct {
	Net      string   // the manifest's net, a JSON array
	Requests []string // inputs of http_request
	// DNS is by name what each look-up answers in turn, the last for good: addresses.
	DNS map[string][][]string
	// Kinds are, request by request, the kind of the failure that the guest must see; "status" is an answer.
	Kinds []string
	// MostRequests is the manifest's limit of requests a call; 0 is more than there are.
	MostRequests int
	// Connects is how many connections may be made.
	Connects int
}

// Table reads one file of attacks: "admission", "compiling", "running", "abi", "network" or "product".
func Table(name string) ([]Attack, error) {
	text, err := files.ReadFile(name + ".txtar")
	if err != nil {
		return nil, err
	}
	var attacks []Attack
	for _, section := range txtar.Parse(text).Files {
		attack := Attack{Name: section.Name, Calls: 1, Arguments: "{}", Network: Network{DNS: map[string][][]string{}}}
		for line := range strings.Lines(string(section.Data)) {
			if err := attack.set(strings.TrimRight(line, "\n")); err != nil {
				return nil, fmt.Errorf("%s: %s: %q: %w", name, attack.Name, line, err)
			}
		}
		if attack.Does == "" || attack.Wall == "" || attack.Within == 0 || attack.Memory == 0 {
			return nil, fmt.Errorf("%s: %s: does, wall, within_ms and memory_mib must be given", name, attack.Name)
		}
		attacks = append(attacks, attack)
	}
	return attacks, nil
}

func (a *Attack) set(line string) (err error) {
	key, value, ok := strings.Cut(line, ": ")
	if !ok || value == "" {
		return fmt.Errorf("not of the form \"key: value\"")
	}
	number := func() (n int64) {
		n, err = strconv.ParseInt(value, 10, 63)
		return n
	}
	switch key {
	case "does":
		a.Does = value
	case "wall":
		a.Wall = value
	case "within_ms":
		a.Within = time.Duration(number()) * time.Millisecond
	case "memory_mib":
		a.Memory = number() << 20
	case "module":
		a.module = value
	case "generate":
		a.generate = value
	case "refused":
		a.Refused = value
	case "wall_ms":
		a.Deadline = time.Duration(number()) * time.Millisecond
	case "memory_pages":
		a.Pages = uint32(number())
	case "output":
		a.Output = int(number())
	case "log":
		a.LogBytes = int(number())
	case "arguments":
		a.Arguments = value
	case "answer":
		a.Answer = value
	case "calls":
		a.Calls = int(number())
	case "fault":
		a.Fault = value
	case "message":
		a.Message = value
	case "result":
		a.Result = value
	case "truncated":
		a.Truncated, err = strconv.ParseBool(value)
	case "logs":
		a.Log = value
	case "heavy":
		a.Heavy, err = strconv.ParseBool(value)
	case "without":
		a.Without = value
	default:
		return a.Network.set(key, value)
	}
	return err
}

func (n *Network) set(key, value string) (err error) {
	switch key {
	case "net":
		n.Net = value
	case "request":
		request, kind, ok := strings.Cut(value, " -> ")
		if !ok {
			return fmt.Errorf("says not what must come of it")
		}
		if !strings.HasPrefix(request, "{") && !strings.HasPrefix(request, "[") {
			request = fmt.Sprintf(`{"url":%q}`, request)
		}
		n.Requests, n.Kinds = append(n.Requests, request), append(n.Kinds, kind)
	case "dns":
		name, addresses, ok := strings.Cut(value, " ")
		if !ok {
			return fmt.Errorf("names no address")
		}
		for answer := range strings.SplitSeq(addresses, " then ") {
			found := strings.Fields(answer)
			if answer == "none" {
				found = nil
			}
			n.DNS[name] = append(n.DNS[name], found)
		}
	case "http_calls":
		n.MostRequests, err = strconv.Atoi(value)
	case "connects":
		n.Connects, err = strconv.Atoi(value)
	default:
		return fmt.Errorf("unknown key")
	}
	return err
}

// Module is the attack's binary: of modules/, or generated.
func (a *Attack) Module() ([]byte, error) {
	if len(a.Requests) > 0 {
		return requester(a.Requests), nil
	}
	if a.generate != "" {
		name, argument, _ := strings.Cut(a.generate, " ")
		size, err := strconv.Atoi(argument)
		if make := generators[name]; make != nil && err == nil {
			return make(size), nil
		}
		return nil, fmt.Errorf("%s: no generator for %q", a.Name, a.generate)
	}
	name := a.module
	if name == "" {
		name = a.Name
	}
	return files.ReadFile(path.Join("modules", name+".wasm"))
}

// Good is a module that keeps the rules: a reactor that answers what it is given.
func Good() []byte {
	binary, err := files.ReadFile("modules/good.wasm")
	if err != nil {
		panic(err) // it is part of this package
	}
	return bytes.Clone(binary)
}
