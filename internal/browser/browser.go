// Package browser tests pages in a real Chromium: the way a person meets them, with script, style and a keyboard.
//
// One Chromium serves all tests of a test process. It is started by the first that needs it, and ends with the process, in
// whatever way that ends. Each test has a Profile of its own (cookies, storage), with as many pages as it opens. What goes wrong
// on a page unasked for - a message on the console, an exception, a breach of the Content-Security-Policy, a request that fails -
// fails the test. Nothing leaves this machine: all names but 127.0.0.1 lead nowhere.
//
// A package that uses it ends its browser in TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }
//
// Where there is no Chromium, it is installed with apt-get (as root or by sudo); where that does not work, the test fails and
// says what to install. FEEDONCE_SHOTS names a folder for screenshots.
//
// Only tests import this package.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"feedonce/internal/apt"
)

// flags are what the browser is started with, besides chromedp's own, which switch off what talks to its maker.
var flags = []chromedp.ExecAllocatorOption{
	chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
	chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	chromedp.Flag("lang", "en-GB"),
}

// theBrowser is the browser of this test process: a context of chromedp to derive others from.
var theBrowser = sync.OnceValues(start)

var (
	mu   sync.Mutex
	stop = func() {}
)

// Main runs the tests of a package, and then ends the browser if one of them started it. It returns the exit code.
func Main(m *testing.M) int {
	code := m.Run()
	mu.Lock()
	defer mu.Unlock()
	stop()
	return code
}

func start() (context.Context, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "feedonce-chromium-*")
	if err != nil {
		return nil, err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), flags...)
	options = append(options, chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(dir, "profile")))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox does not run as root
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, leave := chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx); err != nil {
		end()
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	mu.Lock()
	defer mu.Unlock()
	stop = func() {
		leave()
		end()
		os.RemoveAll(dir)
	}
	return ctx, nil
}

// program returns the path of Chromium, and installs it where there is none.
func program() (string, error) {
	if path := find(); path != "" {
		return path, nil
	}
	out, err := apt.Install("chromium")
	if path := find(); path != "" {
		return path, nil
	}
	if err == nil {
		err = errors.New("apt-get installed it, but not in PATH")
	}
	return "", fmt.Errorf("these tests need Chromium: install it (apt-get install chromium), so that chromium, chromium-browser or google-chrome is in PATH; "+
		"installing it here did not work: %w\n%s", err, out)
}

func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
