package config_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	_ "time/tzdata"

	"chatterbox/runtime/config"
)

// files is a file system for Source.ReadFile.
type files map[string]string

func load(source config.Source) (config.Config, []string, error) {
	loaded, err := config.Resolve(source)
	return loaded.Config, loaded.Warnings, err
}

func (f files) read(path string) ([]byte, error) {
	if text, ok := f[path]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func getenv(environment map[string]string) func(string) string {
	return func(name string) string { return environment[name] }
}

func TestWhichFileIsRead(t *testing.T) {
	everywhere := files{
		"/flag.yaml": "listen: 127.0.0.1:1\n", "/env.yaml": "listen: 127.0.0.1:2\n", "chatterbox.yaml": "listen: 127.0.0.1:3\n",
		"/x/chatterbox/chatterbox.yaml": "listen: 127.0.0.1:4\n", "/h/.config/chatterbox/chatterbox.yaml": "listen: 127.0.0.1:5\n",
		"/etc/chatterbox/chatterbox.yaml": "listen: 127.0.0.1:6\n",
	}
	environment := map[string]string{"CHATTERBOX_CONFIG": "/env.yaml", "XDG_CONFIG_HOME": "/x", "HOME": "/h"}
	steps := []struct{ remove, want string }{
		{"", "127.0.0.1:1"}, {"/flag.yaml", "127.0.0.1:2"}, {"/env.yaml", "127.0.0.1:3"}, {"chatterbox.yaml", "127.0.0.1:4"},
		{"XDG_CONFIG_HOME", "127.0.0.1:5"}, {"/h/.config/chatterbox/chatterbox.yaml", "127.0.0.1:6"},
		{"/etc/chatterbox/chatterbox.yaml", "127.0.0.1:8765"},
	}
	path := "/flag.yaml"
	for _, step := range steps {
		delete(everywhere, step.remove)
		delete(environment, step.remove)
		switch step.remove {
		case "/flag.yaml":
			path = ""
		case "/env.yaml":
			delete(environment, "CHATTERBOX_CONFIG")
		}
		c, _, err := load(config.Source{Path: path, Getenv: getenv(environment), ReadFile: everywhere.read})
		if err != nil || c.Listen != step.want {
			t.Errorf("without %q: %s, %v; want %s", step.remove, c.Listen, err, step.want)
		}
	}
}

// TestAForeignFolderNamesNoProgram has a file that nobody named: entering a folder and looking at what is in it must not start
// a program that stands there.
func TestAForeignFolderNamesNoProgram(t *testing.T) {
	const text = "worker:\n  command: sh -c true\n"
	there := files{config.FileName: text, "/h/.config/chatterbox/chatterbox.yaml": text, "/x.yaml": text}
	elsewhere := files{"/h/.config/chatterbox/chatterbox.yaml": text}
	for name, test := range map[string]struct {
		files   files
		path    string
		environ []string
		command string // empty: it is refused
	}{
		"found in the working folder":          {there, "", nil, ""},
		"the same file, named":                 {there, config.FileName, nil, "sh -c true"},
		"the same file, named by a variable":   {there, "", []string{"CHATTERBOX_CONFIG=" + config.FileName}, "sh -c true"},
		"the user's own":                       {elsewhere, "", nil, "sh -c true"},
		"another file, named":                  {there, "/x.yaml", nil, "sh -c true"},
		"a variable beside the working folder": {there, "", []string{"CHATTERBOX_WORKER_COMMAND=mine"}, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, err := load(config.Source{Path: test.path, Environ: append([]string{"HOME=/h"}, test.environ...), ReadFile: test.files.read})
			if test.command == "" {
				if err == nil || !strings.Contains(err.Error(), "chatterbox.yaml:2:") || !strings.Contains(err.Error(), "add --config chatterbox.yaml") {
					t.Errorf("%v", err)
				}
			} else if err != nil || c.Worker.Command != test.command {
				t.Errorf("%q, %v", c.Worker.Command, err)
			}
		})
	}
}

func TestAFileThatIsNamedMustBeThere(t *testing.T) {
	for name, source := range map[string]config.Source{
		"by flag":        {Path: "/nowhere.yaml", Environ: []string{"HOME=/h"}, ReadFile: files{}.read},
		"by environment": {Environ: []string{"HOME=/h", "CHATTERBOX_CONFIG=/nowhere.yaml"}, ReadFile: files{}.read},
	} {
		_, _, err := load(source)
		if err == nil || err.Error() != "/nowhere.yaml: cannot read the configuration: file does not exist" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAFileThatMayNotBeRead has the service's file, which is root's own, keep nobody else from using the program.
func TestAFileThatMayNotBeRead(t *testing.T) {
	for path, passedOver := range map[string]bool{"/etc/chatterbox/chatterbox.yaml": true, "/h/.config/chatterbox/chatterbox.yaml": false} {
		_, warnings, err := load(config.Source{Environ: []string{"HOME=/h"}, ReadFile: func(name string) ([]byte, error) {
			if name == path {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
			}
			return files{}.read(name)
		}})
		if (err == nil) != passedOver {
			t.Errorf("%s: %v", path, err)
		}
		if want := path + " is not used: permission denied"; passedOver && !slices.Contains(warnings, want) {
			t.Errorf("warnings are %q, want %q", warnings, want)
		}
	}
}

func TestWhatWins(t *testing.T) {
	source := config.Source{
		Flags: map[string]string{"listen": "127.0.0.1:5"},
		ReadFile: files{
			"chatterbox.yaml": "listen: 127.0.0.1:1\ndata: /file\nauth: {token: file}\nlog: {level: warn}\n",
			"/cred/listen":    "127.0.0.1:2\n", "/cred/auth.token": "credential\r\n", "/run/key": "from-file\n",
		}.read,
		Environ: []string{"HOME=/h", "CREDENTIALS_DIRECTORY=/cred", "CHATTERBOX_LISTEN=127.0.0.1:3", "CHATTERBOX_DATA=~/kept",
			"CHATTERBOX_LLM_API_KEY_FILE=/run/key", "CHATTERBOX_LLM_BASE_URL=http://h/v1", "CHATTERBOX_LLM_MODEL=m", "CHATTERBOX_LOG_LEVEL=",
			"CHATTERBOX_SERVER_HOSTS=a.home, b.home,", `CHATTERBOX_PRICES={mine: {input: 1, output: 2}}`, "CHATTERBOX_LISTNE=x", "CHATTERBOX_SERVICE_HOST=10.0.0.1"},
	}
	loaded, err := config.Resolve(source)
	if err != nil {
		t.Fatal(err)
	}
	c := loaded.Config
	if c.Listen != "127.0.0.1:5" || c.Data != "/h/kept" || c.Tools.Dir != "/h/kept/tools" || c.Auth.Token != "credential" ||
		c.LLM.APIKey != "from-file" || c.Log.Level != "warn" || strings.Join(c.Server.Hosts, "|") != "a.home|b.home" || c.Prices["mine"].Output != 2 {
		t.Errorf("got %+v", c)
	}
	for key, want := range map[string]string{"listen": "--listen", "data": "CHATTERBOX_DATA", "auth.token": "/cred/auth.token",
		"llm.api_key": "CHATTERBOX_LLM_API_KEY_FILE", "log.level": "chatterbox.yaml:4", "cache.ttl": "default"} {
		if got := loaded.Origin(key).String(); got != want {
			t.Errorf("%s came from %s, want %s", key, got, want)
		}
	}
	if len(loaded.Warnings) != 2 ||
		loaded.Warnings[0] != `unknown variable CHATTERBOX_LISTNE is ignored; did you mean "CHATTERBOX_LISTEN"?` {
		t.Errorf("warnings %q", loaded.Warnings)
	}
}

func TestMistakesOfEverySourceComeTogether(t *testing.T) {
	_, _, err := load(config.Source{
		Flags:    map[string]string{"listen": "nowhere", "nosuch": "1"},
		ReadFile: files{"chatterbox.yaml": "tools:\n  workers: 1000\n  timeout: soon\n"}.read,
		Environ: []string{"CHATTERBOX_CACHE_TTL=x", "CHATTERBOX_LLM_MODEL=a", "CHATTERBOX_LLM_MODEL_FILE=/b", "CHATTERBOX_LLM_API_KEY_FILE=/gone",
			"CHATTERBOX_MODELS=[{bad: 1}]"},
	})
	for _, want := range []string{
		"chatterbox.yaml:3:12: tools.timeout: must be a time", "chatterbox.yaml:2:3: tools.workers: must be between 1 and 64, not 1000",
		"CHATTERBOX_CACHE_TTL: cache.ttl: must be a time", "CHATTERBOX_LLM_MODEL and CHATTERBOX_LLM_MODEL_FILE are both set",
		"CHATTERBOX_LLM_API_KEY_FILE: llm.api_key: cannot read /gone: file does not exist", "--listen: listen: must be an address",
		`--nosuch: unknown key "nosuch"`, `CHATTERBOX_MODELS:1:3: unknown key "bad" in models[0]`, "data: there is no home folder",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
}

func TestAKeyWithoutEffectIsAWarning(t *testing.T) {
	loaded, err := config.Resolve(config.Source{Environ: []string{"HOME=/h"}, ReadFile: files{"chatterbox.yaml": "wyoming:\n  listen: 127.0.0.1:10300\n"}.read})
	if err != nil || len(loaded.Warnings) != 1 || loaded.Warnings[0] != "chatterbox.yaml:2: wyoming.listen has no effect in this version" {
		t.Errorf("%q, %v", loaded.Warnings, err)
	}
}

func TestSystemdsStateFolderIsTheDataFolder(t *testing.T) {
	c, _, err := load(config.Source{Environ: []string{"HOME=/h", "STATE_DIRECTORY=/var/lib/chatterbox:/other"}, ReadFile: files{}.read})
	if err != nil || c.Data != "/var/lib/chatterbox" {
		t.Errorf("%q, %v", c.Data, err)
	}
}

func TestNoSecretIsEverShown(t *testing.T) {
	const secret = "s3cr3t"
	text := "auth:\n  token: " + secret + " \x01\nllm:\n  base_url: http://user:" + secret + "@h/v1\n  api_key: [" + secret + "]\ntokn: " + secret +
		"\nmodels:\n  - {base_url: http://h, model: m, api_key: " + secret + ", local: " + secret + "}\n  - api_key: " + secret + "\n    api_kee: " + secret + "\n"
	loaded, err := config.Resolve(config.Source{ReadFile: files{"chatterbox.yaml": text}.read,
		Environ: []string{"HOME=/h", "CHATTERBOX_AUTH_TOKEN=" + secret + " x", "CHATTERBOX_MODELS=[{api_key: " + secret}})
	if err == nil {
		t.Fatal("no mistakes were found")
	}
	encoded, _ := json.Marshal(loaded.Values())
	for name, text := range map[string]string{"the errors": err.Error(), "the text": loaded.Text(), "the values": string(encoded)} {
		if strings.Contains(text, secret) {
			t.Errorf("%s show a secret:\n%s", name, text)
		}
	}
	if !strings.Contains(loaded.Text(), `token: "********"  # CHATTERBOX_AUTH_TOKEN`) {
		t.Errorf("the mask is missing:\n%s", loaded.Text())
	}
}
