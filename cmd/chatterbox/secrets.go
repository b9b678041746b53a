package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chatterbox/runtime/config"
)

const toolSecretBytesMax = 8 << 10

// toolSecrets gives the values that the host adds to requests of tools, by ref: the variable CHATTERBOX_SECRET_<REF>,
// the file that CHATTERBOX_SECRET_<REF>_FILE names, or the file <ref> in the folder secrets of the data folder. Each is
// read when it is needed, so that a new value needs no restart. <REF> is in capitals, with _ for -.
func toolSecrets(env env, settings config.Config) func(ref string) (string, error) {
	return func(ref string) (string, error) {
		if ref != filepath.Base(ref) || strings.HasPrefix(ref, ".") {
			return "", errors.New("its name is not allowed")
		}
		variable := secretVariable(ref)
		if value := env.Getenv(variable); value != "" {
			return value, nil
		}
		file := env.Getenv(variable + "_FILE")
		if file == "" {
			file = secretFile(settings, ref)
		}
		value, err := readSecret(file)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no secret %q on this host", ref)
		}
		return value, err
	}
}

func secretVariable(ref string) string {
	return config.EnvSecret + strings.ToUpper(strings.ReplaceAll(ref, "-", "_"))
}

func secretFile(settings config.Config, ref string) string {
	return settings.InData(config.SecretsFolder, ref)
}

// readSecret reads a file with one value. Its errors are fit for a tool: they hold neither a path nor the value.
func readSecret(file string) (string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fs.ErrNotExist
	} else if err != nil {
		return "", errors.New("its file cannot be read")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o007 != 0 {
		return "", errors.New("its file must be one that not everybody may read (chmod 600)")
	}
	text, err := io.ReadAll(io.LimitReader(f, toolSecretBytesMax+1))
	if err != nil || len(text) > toolSecretBytesMax {
		return "", errors.New("its file cannot be read, or is too large")
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// missingSecret is what to say of a secret that is not there yet.
func missingSecret(env env, settings config.Config, ref string) string {
	if _, err := toolSecrets(env, settings)(ref); err == nil {
		return ""
	}
	return fmt.Sprintf(" It is not there yet: put it into %s, or into %s.", secretFile(settings, ref), secretVariable(ref))
}
