// Package features holds what the product promises, as scenarios that people can read and a machine can run.
package features

import "embed"

// FS has the .feature files, one folder for each capability, and the tools that scenarios for models may offer.
//
//go:embed */*.feature */tools.json
var FS embed.FS
