package secret

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSealedIsOpenedAsTheSame(t *testing.T) {
	box := New([KeySize]byte{1}, "a test")
	sealed, err := box.Seal([]byte("hunter2"), "mail")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("hunter2")) {
		t.Error("the secret can be read in what is sealed")
	}
	if plain, err := box.Open(sealed, "mail"); err != nil || string(plain) != "hunter2" {
		t.Errorf("opened %q, %v", plain, err)
	}
	again, _ := box.Seal([]byte("hunter2"), "mail")
	if bytes.Equal(sealed, again) {
		t.Error("the same secret is sealed in the same way twice")
	}
	for name, try := range map[string]func() error{
		"about something else": func() error { _, err := box.Open(sealed, "chat"); return err },
		"with another key":     func() error { _, err := New([KeySize]byte{2}, "another test").Open(sealed, "mail"); return err },
		"cut off":              func() error { _, err := box.Open(sealed[:len(sealed)-1], "mail"); return err },
		"of nothing":           func() error { _, err := box.Open(nil, "mail"); return err },
		"of another version":   func() error { _, err := box.Open(append([]byte{9}, sealed[1:]...), "mail"); return err },
	} {
		if err := try(); err == nil {
			t.Errorf("%s it is opened", name)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error has the secret in it: %v", name, err)
		}
	}
}

func TestKeyFileIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "feedonce.key")
	boxes := make([]*Box, 20)
	var wait sync.WaitGroup
	for i := range boxes {
		wait.Go(func() {
			box, warning, err := Load("", path)
			if err != nil || warning != "" {
				t.Errorf("%v, warning %q", err, warning)
			}
			boxes[i] = box
		})
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	sealed, _ := boxes[0].Seal([]byte("x"), "")
	for i, box := range boxes {
		if _, err := box.Open(sealed, ""); err != nil {
			t.Errorf("process %d has another key: %v", i, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, warning, err := Load("", path); err != nil || !strings.Contains(warning, "chmod 600") {
		t.Errorf("readable by others: %v, warning %q", err, warning)
	}
}

func TestKeysOfPeople(t *testing.T) {
	const hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	for _, ok := range []string{hex, " " + hex + "\n", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"} {
		if k, err := Parse(ok); err != nil || k[1] != 1 || k[31] != 31 {
			t.Errorf("%q: %x, %v", ok, k, err)
		}
	}
	for _, bad := range []string{"", "password", hex[2:], hex + "00"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("not a key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load("", path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is no key: %v", err)
	}
	if _, err := os.ReadFile(path); err != nil {
		t.Error("the file was taken away")
	}
}

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "hunter2": "••••", "https://hooks.example/services/T0/B0/xyz": "https://hooks.example/••••", "http://u:p@h.example:8080/x?y": "http://h.example:8080/••••",
	} {
		if got := Mask(in); got != want {
			t.Errorf("Mask(%q) is %q, want %q", in, got, want)
		}
	}
}
