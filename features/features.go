// Package features holds what the product promises, as scenarios that people can read and a machine can run.
package features

import "embed"

// FS has the .feature files, one folder for each capability.
//
//go:embed */*.feature
var FS embed.FS
