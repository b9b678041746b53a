package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
	toolswasm "chatterbox/tools-wasm"
)

// compileBuiltin compiles what comes with the product, before several tests or programs want it at once.
var compileBuiltin = sync.OnceValue(func() error {
	pool, err := worker.NewPool(worker.Options{CacheDir: compiledFolder})
	if err != nil {
		return err
	}
	box, err := toolbox.Open(context.Background(), toolbox.Options{Builtin: toolswasm.FS, Workers: pool})
	if err == nil {
		box.Close()
	}
	return errors.Join(err, pool.Close())
})

// compiled is the folder of compiled modules that all tests share. The built-in ones are in it.
func compiled(t testing.TB) string {
	t.Helper()
	if err := compileBuiltin(); err != nil {
		t.Fatal(err)
	}
	return compiledFolder
}

// linkCompiled makes the shared folder the one that a program keeps compiled modules in, by its data folder.
func linkCompiled(t testing.TB, data string) {
	t.Helper()
	err := os.MkdirAll(data, 0o700)
	if err == nil {
		err = os.Symlink(compiled(t), filepath.Join(data, "compiled"))
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
}

// openBuiltin opens the tools that come with the product, in this process, with the handlers that they reach under internal
// names. All of them must be usable.
func openBuiltin(t testing.TB, internal map[string]http.Handler, options toolbox.Options) *toolbox.Toolbox {
	t.Helper()
	pool, err := worker.NewPool(worker.Options{CacheDir: compiled(t), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	client := egress.New(egress.Options{Internal: internal})
	t.Cleanup(client.Close)
	options.Builtin, options.Workers, options.Egress = toolswasm.FS, pool, client
	box, err := toolbox.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	if problems := box.Problems(); len(problems) > 0 {
		t.Fatalf("problems %+v", problems)
	}
	return box
}

// openConfigured opens them as the program does with this configuration and without secrets of the tools' own.
func openConfigured(t testing.TB, settings config.Tools, timeout time.Duration) *toolbox.Toolbox {
	t.Helper()
	options := configured(config.Config{Data: t.TempDir(), Tools: settings})
	options.Timeout = timeout
	return openBuiltin(t, nil, options)
}

// configured are the options of tools with this configuration and without secrets of their own.
func configured(settings config.Config) toolbox.Options {
	return toolbox.Options{
		Setting: toolSettings(settings),
		Secret:  configuredSecrets(settings, func(string) (string, error) { return "", errors.New("no such secret") }),
	}
}

// TestSettingsExist holds that each setting which a built-in tool names is a key of the configuration.
func TestSettingsExist(t *testing.T) {
	shown := map[string]bool{config.CustomersFile: true}
	loaded, err := config.Resolve(config.Source{Environ: []string{"HOME=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range loaded.Values() {
		shown[value.Key] = true
	}
	var asked atomic.Int64 // the tools are opened beside each other
	openBuiltin(t, nil, toolbox.Options{Setting: func(name string) ([]string, string) {
		asked.Add(1)
		if !shown[name] {
			t.Errorf("a tool names the setting %q, which does not exist", name)
		}
		return nil, name
	}})
	if asked.Load() < 20 {
		t.Errorf("%d settings are asked for", asked.Load())
	}
}
