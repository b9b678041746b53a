package toolbox_test

import (
	"bytes"
	"strings"
	"testing"

	"chatterbox/runtime/toolbox"
)

func TestAManifestIsPutIntoAModuleAndTakenOut(t *testing.T) {
	bare := []byte("\x00asm\x01\x00\x00\x00\x00\x06\x04nameX")
	for _, manifest := range []string{`{}`, `{"description":"` + strings.Repeat("a", 20_000) + `"}`} {
		with, err := toolbox.WithManifest(bare, []byte(manifest))
		if err != nil {
			t.Fatal(err)
		}
		again, err := toolbox.WithManifest(with, []byte(manifest))
		if err != nil || !bytes.Equal(with, again) {
			t.Errorf("a second time it is another module: %v", err)
		}
		if found, err := toolbox.CarriedManifest(with); err != nil || string(found) != manifest {
			t.Errorf("the manifest is %.50s: %v", found, err)
		}
		if without, err := toolbox.WithManifest(with, nil); err != nil || !bytes.Equal(without, bare) {
			t.Errorf("without it the module is %q: %v", without, err)
		}
	}
}

func FuzzCustomSections(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\x06\x04nameX"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, module []byte) {
		with, err := toolbox.WithManifest(module, []byte("{}"))
		if err != nil {
			return
		}
		if found, err := toolbox.CarriedManifest(with); err != nil || string(found) != "{}" {
			t.Errorf("the manifest is %q: %v", found, err)
		}
	})
}
