package looptest

import "strings"

// section is one file of a txtar archive: a line "-- name --" and the lines that follow it.
type section struct{ name, text string }

// sections splits an archive: the comment before the first section, and the sections.
func sections(archive string) (comment string, all []section) {
	for line := range strings.Lines(archive) {
		name, begins := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
		name, ends := strings.CutSuffix(name, " --")
		switch {
		case begins && ends:
			all = append(all, section{name: name})
		case len(all) == 0:
			comment += line
		default:
			all[len(all)-1].text += line
		}
	}
	return comment, all
}

func join(comment string, all []section) string {
	for _, s := range all {
		comment += "-- " + s.name + " --\n" + s.text
	}
	return comment
}
