package report

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

// junitSuites is the document that JUnit's readers know.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`

	seconds float64
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`

	seconds float64
}

type junitCase struct {
	ClassName  string          `xml:"classname,attr"`
	Name       string          `xml:"name,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Failure    *junitMessage   `xml:"failure"`
	Error      *junitMessage   `xml:"error"`
	Skipped    *junitMessage   `xml:"skipped"`
	Out        string          `xml:"system-out,omitempty"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the logs as JUnit's XML: a suite for each subject, a case for each scenario, rows of outlines by their own
// names, and whether a case is flaky as a property of it.
func JUnit(to io.Writer, l *Logs) error {
	cases, err := l.cases()
	if err != nil {
		return err
	}
	all := junitSuites{Name: "chatterbox"}
	for _, c := range cases {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != c.subject {
			all.Suites = append(all.Suites, junitSuite{Name: c.subject})
		}
		all.Suites[len(all.Suites)-1].add(c)
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Time = seconds(s.seconds)
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
		all.seconds += s.seconds
	}
	all.Time = seconds(all.seconds)
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(to)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err = io.WriteString(to, "\n")
	return err
}

func seconds(value float64) string { return strconv.FormatFloat(value, 'f', 3, 64) }

func (s *junitSuite) add(c testCase) {
	one := junitCase{
		ClassName: c.subject + "." + fileOf(c.scenario), Name: c.scenario, Time: seconds(c.seconds),
		Properties: []junitProperty{
			{"flaky", strconv.FormatBool(c.flaky())}, {"trials", strconv.Itoa(c.score.Trials)}, {"passed", strconv.Itoa(c.score.Passed)},
			{"errors", strconv.Itoa(c.errors)}, {"excluded", strconv.Itoa(c.excluded)},
		},
	}
	s.Tests++
	s.seconds += c.seconds
	message := &junitMessage{c.summary(), strings.Join(c.notes, "\n")}
	switch c.state {
	case broken:
		one.Failure = message
		s.Failures++
	case errored:
		one.Error = message
		s.Errors++
	case skipped:
		one.Skipped = message
		s.Skipped++
	default:
		one.Out = strings.Join(c.notes, "\n")
	}
	s.Cases = append(s.Cases, one)
}
