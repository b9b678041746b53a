package report

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

// junitSuites is the document that JUnit's readers know.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Cases []junitCase `xml:"testcase"`
}

type junitCounts struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     seconds `xml:"time,attr"`
}

// seconds are written to the millisecond.
type seconds float64

func (s seconds) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 3, 64), nil
}

func (c testCase) seconds() seconds { return seconds(c.ms.total() / 1000) }

// add counts a case.
func (n *junitCounts) add(c testCase) {
	n.Tests++
	n.Time += c.seconds()
	switch c.state() {
	case broken:
		n.Failures++
	case errored:
		n.Errors++
	case skipped:
		n.Skipped++
	}
}

type junitCase struct {
	ClassName  string          `xml:"classname,attr"`
	Name       string          `xml:"name,attr"`
	Time       seconds         `xml:"time,attr"`
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

// JUnit writes the logs as JUnit's XML: a suite for each subject, a case for each scenario, rows of outlines by their
// own names, and whether a case is flaky as a property of it.
func JUnit(to io.Writer, l *Logs) error {
	cases, err := l.cases()
	if err != nil {
		return err
	}
	all := junitSuites{Name: "chatterbox"}
	for _, c := range cases {
		n := len(all.Suites)
		if n == 0 || all.Suites[n-1].Name != c.subject {
			all.Suites = append(all.Suites, &junitSuite{Name: c.subject})
			n++
		}
		suite := all.Suites[n-1]
		suite.Cases = append(suite.Cases, junitOf(c))
		suite.add(c)
		all.add(c)
	}
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

func junitOf(c testCase) junitCase {
	one := junitCase{
		ClassName: c.subject + "." + fileOf(c.scenario), Name: c.scenario, Time: c.seconds(),
		Properties: []junitProperty{
			{"flaky", strconv.FormatBool(c.flaky())}, {"trials", strconv.Itoa(c.score.Trials)},
			{"passed", strconv.Itoa(c.score.Passed)}, {"errors", strconv.Itoa(c.errors)},
			{"excluded", strconv.Itoa(c.excluded)},
		},
	}
	message := &junitMessage{c.summary(), strings.Join(c.notes, "\n")}
	switch c.state() {
	case broken:
		one.Failure = message
	case errored:
		one.Error = message
	case skipped:
		one.Skipped = message
	default:
		one.Out = message.Text
	}
	return one
}
