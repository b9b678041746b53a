package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ending is what came of a yes in the middle of which the server was killed, and of the next turn after it had started again.
type ending struct {
	told   heard // nothing, where no answer came
	stored bool  // the turn
	next   heard
}

// killAt says yes, with the server's end at a point, and starts it again.
func (k *killing) killAt(g guest, point string) (e ending, err error) {
	k.arm(point)
	if e.told, err = k.say(g, "yes"); err != nil {
		k.died[point]++
	}
	k.kill()
	k.arm("")
	e.stored = k.stored(g)
	k.start()
	if e.next, err = k.say(g, "Hello there."); err != nil {
		return e, fmt.Errorf("it does not come back: %w", err)
	}
	return e, nil
}

func (e ending) unknown() bool { return strings.Contains(e.next.Text, "can't tell") }

func (e ending) done() bool { return strings.Contains(e.next.Text, "was done") }

// wrong says what must not be, where the calendar has what the tool should do, or has it not.
func (e ending) wrong(tool string, has bool) error {
	told := e.told.did(tool)
	switch {
	case told && !has:
		return errors.New("the person was told of what is not so")
	case told && !e.stored:
		return errors.New("the person was told what is not stored")
	case e.done() && !has:
		return fmt.Errorf("%q, but nothing was", e.next.Text)
	case !e.stored && has && !e.unknown() && !e.done():
		return fmt.Errorf("nobody says that it was done; what is said is %q", e.next.Text)
	case e.stored && (e.unknown() || e.done()):
		return fmt.Errorf("the turn has ended, and %q", e.next.Text)
	case e.stored && !has:
		return errors.New("the turn has ended, and nothing was done")
	}
	return nil
}

// round books for a guest, with the server's end at a point, and says what went wrong. An agreement by voice to a workflow and one
// to a model's call take turns.
func (k *killing) round(i int, point string) error {
	const tool = "book_appointment"
	g, byModel := guestOf(i), i%2 == 1
	opening := g.books()
	if byModel {
		opening = g.asksOffice(tool)
	}
	if h, err := k.say(g, opening); err != nil || byModel == (h.Extra.Approval == nil) {
		return fmt.Errorf("%q: %q, %v", opening, h.Text, err)
	}
	e, err := k.killAt(g, point)
	if err != nil {
		return err
	}
	own, _ := k.appointments(g)
	switch err := e.wrong(tool, len(own) == 1); {
	case err != nil:
		return err
	case e.stored || e.done():
		return k.right(g, "09:00")
	}
	again := []string{"yes"}
	switch {
	case byModel:
		again = []string{g.asksOffice(tool), "yes"}
	case e.unknown():
		again = []string{"try again"}
	}
	return errors.Join(k.goOn(g, tool, again...), k.right(g, "09:00"))
}

// change moves or cancels what is booked for a guest, with the server's end at a point, and says what went wrong.
func (k *killing) change(i int, tool, point string) error {
	g, opening, want := guestOf(i), guestOf(i).asksOffice(tool), []string{}
	if tool == "reschedule_appointment" {
		want = []string{"11:00"}
	}
	booking, err := json.Marshal(g.arguments("book_appointment"))
	if err != nil {
		return err
	}
	k.wants(k.call("book_appointment", string(booking)), `{"time":"09:00"}`)
	if h, err := k.say(g, opening); err != nil || h.Extra.Approval == nil {
		return fmt.Errorf("%q: %q, %v", opening, h.Text, err)
	}
	e, err := k.killAt(g, point)
	if err != nil {
		return err
	}
	own, _ := k.appointments(g)
	has := slices.Equal(own, want)
	if !has && !slices.Equal(own, []string{"09:00"}) {
		return fmt.Errorf("there are appointments at %v", own)
	}
	if err := e.wrong(tool, has); err != nil || has {
		return err
	}
	return errors.Join(k.goOn(g, tool, opening, "yes"), k.right(g, want...))
}

// goOn tries again after a server's end, as the texts say.
func (k *killing) goOn(g guest, tool string, texts ...string) error {
	var last heard
	for _, text := range texts {
		var err error
		if last, err = k.say(g, text); err != nil {
			return err
		}
	}
	if !last.did(tool) {
		return fmt.Errorf("trying again does not help: %q", last.Text)
	}
	return nil
}

// right holds that the day has the guest's appointments at these times, and no others.
func (k *killing) right(g guest, want ...string) error {
	if own, all := k.appointments(g); !slices.Equal(own, want) || all != len(want) {
		return fmt.Errorf("appointments at %v, %d in all", own, all)
	}
	return nil
}

// TestCaldavKill: wherever the server is killed in the middle of a booking, nobody is booked twice, who was told of an
// appointment has it, and who was not is told that it is not known, or finds it.
func TestCaldavKill(t *testing.T) {
	startsMany(t)
	k := newKilling(t, diesOnWish, *kills)
	k.rounds(*kills, 2, killPoints(), k.round)
}

// TestCaldavKillOfChanges is the same where an appointment is moved or cancelled.
func TestCaldavKillOfChanges(t *testing.T) {
	startsMany(t)
	newKilling(t, diesOnWish, *kills).changes(killPoints())
}

// TestKillWithTheCalendar is the same for a calendar that dies with the server.
func TestKillWithTheCalendar(t *testing.T) {
	startsMany(t)
	k := newKillingEmbedded(t, *kills)
	k.rounds(*kills, 2, ownKillPoints(), k.round)
}

func TestKillOfChangesWithTheCalendar(t *testing.T) {
	startsMany(t)
	newKillingEmbedded(t, *kills).changes(ownKillPoints())
}

// ownKillPoints are those that need no calendar apart.
func ownKillPoints() []string {
	return slices.DeleteFunc(killPoints(), func(point string) bool { return strings.HasPrefix(point, "request") })
}

// changes kills half as often as bookings are: each point once for a tool before it comes to the other.
func (k *killing) changes(points []string) {
	k.t.Helper()
	tools := []string{"reschedule_appointment", "cancel_appointment"}
	k.rounds(max(*kills/2, 1), 1, points, func(i int, point string) error {
		return k.change(i, tools[(i+i/len(points))%2], point)
	})
}

// rounds kills n times, at each point in turn, each times.
func (k *killing) rounds(n, each int, points []string, round func(i int, point string) error) {
	k.t.Helper()
	for i := range n {
		point := points[i/each%len(points)]
		if err := round(i, point); err != nil {
			k.t.Errorf("round %d, killed at %s: %v\n%s", i, point, err, lastLines(k.server.Log(), 5))
		}
	}
	k.t.Logf("%d kills at %d points; in the middle of a turn: %v", n, len(points), k.died)
	for _, point := range points {
		if k.died[point] == 0 && n >= 2*len(points) && point != "never" && point != "at random" {
			k.t.Errorf("the server was never killed at %s", point)
		}
	}
}

// TestKillCatchesWhatIsNotNoted is the control: a server that notes nothing before it acts forgets what it did.
func TestKillCatchesWhatIsNotNoted(t *testing.T) {
	startsMany(t)
	k := newKilling(t, diesCarelessly, 3)
	for i := range 2 {
		if err := k.round(i, "call 1 after"); err == nil {
			t.Errorf("round %d: nothing is wrong", i)
		}
	}
	if err := k.change(2, "reschedule_appointment", "call 1 after"); err == nil {
		t.Error("a change: nothing is wrong")
	}
}
