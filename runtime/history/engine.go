package history

import (
	"errors"
	"net/url"
)

// engine is a build of SQLite behind database/sql.
type engine struct {
	driver string
	// query is added to every data source name.
	query string
	// code is the SQLite result code that err carries, 0 when it carries none.
	code func(err error) int
	// create makes the file and its folder when they are absent.
	create func(path string) error
}

var modernc = engine{
	driver: "sqlite",
	// Defensive mode keeps SQL from corrupting the file on purpose.
	query: "_defensive=1",
	code: func(err error) int {
		var coded interface{ Code() int }
		if errors.As(err, &coded) {
			return coded.Code()
		}
		return 0
	},
	create: createPrivate,
}

const (
	// A lock that another process holds is waited for this long.
	busyPragma    = "_pragma=busy_timeout(5000)"
	readerPragmas = "_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cache_size(-512)"
)

// dsn is the data source name of the file at path, which is absolute.
func (e engine) dsn(path, pragmas string) string {
	query := busyPragma
	for _, more := range []string{e.query, pragmas} {
		if more != "" {
			query += "&" + more
		}
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query}).String()
}
