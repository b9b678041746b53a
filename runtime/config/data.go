package config

import "path/filepath"

// What lies in the data folder, for [Config.InData].
const (
	HistoryFile    = "history.db"
	FlowsFolder    = "flows"    // the user's rules and workflows
	KVFolder       = "kv"       // what tools keep
	CompiledFolder = "compiled" // modules
	AgendaFolder   = "agenda"
	ToolsFolder    = "tools" // the user's, unless tools.dir names another
	GrantsFolder   = "grants"
	SecretsFolder  = "secrets" // of tools, a file each
	KeysFolder     = "keys"    // of publishers
	LockFile       = "tools.lock.json"
	CustomersFile  = "customers.csv"
)

// InData is the path of a file or a folder in the data folder.
func (c Config) InData(name ...string) string {
	return filepath.Join(append([]string{c.Data}, name...)...)
}
