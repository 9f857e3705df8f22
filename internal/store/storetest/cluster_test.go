package storetest

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childEnv makes the test process start a server, print its folder, and wait to be killed.
const childEnv = "FEEDONCE_STORETEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	s, err := theServer()
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	select {}
}

func TestServerEndsWithItsProcess(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=1", serverEnv+"=")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if err != nil || !strings.HasPrefix(dir, "/") {
		child.Process.Kill()
		t.Fatalf("the child printed %q, %v", line, err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the child's server has no folder: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait() // killed, and says so

	// The folder goes last, after the server has ended.
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("a minute after its process was killed, the server's folder %s is still there", dir)
		}
	}
}
