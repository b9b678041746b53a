package agenda

import (
	"slices"
	"strings"

	"github.com/emersion/go-ical"
	"github.com/emersion/go-webdav/caldav"
)

const filtersMax = 64 // of one query, whatever they filter

// size is how many filters a filter holds, with itself.
func size(filter caldav.CompFilter) int {
	n := 1
	for _, prop := range filter.Props {
		n += 1 + len(prop.ParamFilter)
	}
	for _, inner := range filter.Comps {
		n += size(inner)
	}
	return n
}

// matches says whether an object is what a query asks for. It is written here because the library's own filter leaves
// out events that fill the range exactly, tasks, and the lengths of series.
func (e *effort) matches(calendar *ical.Calendar, filter caldav.CompFilter) (bool, error) {
	if filter.Name != ical.CompCalendar {
		return filter.IsNotDefined, nil
	}
	if filter.IsNotDefined || !matchProps(calendar.Component, filter.Props) {
		return false, nil
	}
	for _, wanted := range filter.Comps {
		ok, err := e.matchChildren(calendar, wanted)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (e *effort) matchChildren(calendar *ical.Calendar, filter caldav.CompFilter) (bool, error) {
	timed := map[*ical.Component]bool{}
	anyTime := filter.Start.IsZero() && filter.End.IsZero()
	if !anyTime {
		found, err := e.occurrences(calendar, span{filter.Start, filter.End})
		if err != nil {
			return false, err
		}
		for _, o := range found {
			timed[o.component] = true
		}
	}
	for _, child := range calendar.Children {
		if child.Name != filter.Name {
			continue
		}
		if filter.IsNotDefined {
			return false, nil
		}
		if (anyTime || timed[child]) && matchProps(child, filter.Props) && matchAlarms(child, filter.Comps) {
			return true, nil
		}
	}
	return filter.IsNotDefined, nil
}

// matchAlarms looks at what stands within an event or a task; a time range of an alarm counts as met.
func matchAlarms(component *ical.Component, filters []caldav.CompFilter) bool {
	for _, filter := range filters {
		there := slices.ContainsFunc(component.Children, func(child *ical.Component) bool {
			return child.Name == filter.Name && matchProps(child, filter.Props)
		})
		if there == filter.IsNotDefined {
			return false
		}
	}
	return true
}

func matchProps(component *ical.Component, filters []caldav.PropFilter) bool {
	for _, filter := range filters {
		there := slices.ContainsFunc(component.Props[strings.ToUpper(filter.Name)], func(prop ical.Prop) bool {
			return matchText(filter.TextMatch, prop.Value) && matchParams(prop, filter.ParamFilter)
		})
		if there == filter.IsNotDefined {
			return false
		}
	}
	return true
}

func matchParams(prop ical.Prop, filters []caldav.ParamFilter) bool {
	for _, filter := range filters {
		value := prop.Params.Get(filter.Name)
		if there := value != "" && matchText(filter.TextMatch, value); there == filter.IsNotDefined {
			return false
		}
	}
	return true
}

// matchText compares as the default collation does: without regard to case.
func matchText(match *caldav.TextMatch, value string) bool {
	return match == nil || strings.Contains(strings.ToLower(value), strings.ToLower(match.Text)) != match.NegateCondition
}
