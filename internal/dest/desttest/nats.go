package desttest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// NATS is a NATS server, the real one, with JetStream.
type NATS struct {
	Address string // host and port
	CA      string // its certificate in PEM form, where it has one
	stop    func()
}

// NATSOptions are how a server is.
type NATSOptions struct {
	Config string // more of its configuration file
	TLS    bool
	Store  string // folder for its streams; "" is one of its own
}

var listening = regexp.MustCompile(`Listening for client connections on (\S+)`)

// NewNATS builds the server, as tools/go.mod has it, and starts it. It ends with the test.
func NewNATS(t testing.TB, o NATSOptions) *NATS {
	t.Helper()
	s := &NATS{}
	dir := t.TempDir()
	if o.Store == "" {
		o.Store = filepath.Join(dir, "store")
	}
	config := fmt.Sprintf("listen: 127.0.0.1:-1\njetstream { store_dir: %q, max_mem: 16MB, max_file: 64MB }\n%s\n", o.Store, o.Config)
	if o.TLS {
		_, cert, key := Certificate(t)
		s.CA = cert
		for name, text := range map[string]string{"cert.pem": cert, "key.pem": key} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		config += fmt.Sprintf("tls { cert_file: %q, key_file: %q }\n", filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	}
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(natsServer(t), "-c", file)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan string, 1), make(chan struct{})
	var log bytes.Buffer
	go func() {
		defer close(ended)
		address := ""
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(&log, lines.Text())
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				address = m[1]
			}
			if strings.Contains(lines.Text(), "Server is ready") {
				ready <- address
			}
		}
		cmd.Wait()
	}()
	stopped := false
	s.stop = func() {
		if !stopped {
			cmd.Process.Kill()
			<-ended
			stopped = true
		}
	}
	t.Cleanup(s.stop)
	select {
	case s.Address = <-ready:
	case <-ended:
		t.Fatalf("the NATS server does not start:\n%s", log.String())
	}
	return s
}

// Stop kills the server.
func (s *NATS) Stop() { s.stop() }

// natsServer returns the path of the server's program, from the build cache.
func natsServer(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("where the module is: %v", err)
	}
	cmd := exec.Command("go", "tool", "-n", "nats-server")
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), "tools")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	path, err := cmd.Output()
	if err != nil {
		t.Fatalf("the NATS server cannot be built: %v\n%s", err, stderr.String())
	}
	return strings.TrimSpace(string(path))
}
