package config

import "strings"

const templateHead = `# The configuration of chatterbox.
#
# Every key may be left out: what stands behind it is its default. To change one, remove the # before it.
# Times are written with their unit (1s, 5m, 720h), sizes in bytes or as 64KiB, 8MiB.
# Every key is also an environment variable: llm.base_url is CHATTERBOX_LLM_BASE_URL, and CHATTERBOX_LLM_API_KEY_FILE
# names a file that holds llm.api_key. "chatterbox config show" says what is in effect and where it came from.
`

const templateWidth = 110

// Template is a configuration file in which every key stands commented out, with its default and what it is for.
func Template() string {
	var b strings.Builder
	b.WriteString(templateHead)
	defaults := Default()
	var open []string // the sections that the last key stood in
	for _, k := range keys(&defaults) {
		var headings []string
		open, headings = openSections(open, k)
		for _, heading := range headings {
			b.WriteString("\n" + heading)
		}
		indent := strings.Repeat("  ", len(open))
		b.WriteString("\n")
		for _, line := range wrap(k.doc, templateWidth-len(indent)) {
			b.WriteString(indent + "# " + line + "\n")
		}
		if k.sample != "" {
			for line := range strings.Lines(k.sample) {
				b.WriteString(indent + "# " + line)
			}
			continue
		}
		value := "[]"
		if text, ok := scalarText(k.field); ok {
			value = yamlText(text)
		}
		line := indent + "# " + k.leaf() + ": " + value
		if k.empty != "" {
			line += "  # " + k.empty
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// openSections returns the sections k stands in, and the headings of those that were not open yet.
func openSections(open []string, k key) (wanted, headings []string) {
	if section := k.section(); section != "" {
		wanted = strings.Split(section, ".")
	}
	same := 0
	for same < min(len(open), len(wanted)) && open[same] == wanted[same] {
		same++
	}
	for depth := same; depth < len(wanted); depth++ {
		headings = append(headings, strings.Repeat("  ", depth)+wanted[depth]+":\n")
	}
	return wanted, headings
}

// wrap breaks text into lines of at most width bytes at its spaces.
func wrap(text string, width int) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
