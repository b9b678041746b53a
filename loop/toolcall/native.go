package toolcall

import (
	"encoding/json"
	"strings"
)

// native reads the calls that the server told apart from the text.
func (d decoder) native(written []Call) []Call {
	if len(written) == 0 {
		return nil
	}
	calls := make([]Call, 0, len(written))
	for _, call := range joined(written) {
		call.Repaired = nil
		if name, repaired, offered := d.name(call.Name); offered {
			call.Name, call.Repaired = name, repaired
		}
		calls = append(calls, d.finish(call))
	}
	return calls
}

// joined drops calls without id and name. Some servers split one call that way, so the arguments of such a one continue
// those of the call before it where that one is incomplete.
func joined(written []Call) []Call {
	calls := make([]Call, 0, len(written))
	for _, call := range written {
		if !ghost(call) {
			calls = append(calls, call)
			continue
		}
		if len(calls) == 0 {
			continue
		}
		if last := &calls[len(calls)-1]; !json.Valid([]byte(last.Arguments)) {
			last.Arguments += call.Arguments
		}
	}
	return calls
}

func ghost(call Call) bool { return call.ID == "" && strings.Trim(call.Name, space) == "" }
