// Package apt installs what tests need and the machine lacks.
package apt

import (
	"errors"
	"os"
	"os/exec"
	"slices"
)

// Install installs a Debian package with apt-get, and returns what it printed. Several processes may do so at once: they wait
// for each other.
func Install(name string) ([]byte, error) {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return nil, errors.New("there is no apt-get")
	}
	command := []string{"env", "DEBIAN_FRONTEND=noninteractive", apt, "-o", "DPkg::Lock::Timeout=600", "-y", "-q"}
	if os.Geteuid() != 0 {
		command = append([]string{"sudo", "-n"}, command...)
	}
	run := func(args ...string) ([]byte, error) {
		all := append(slices.Clone(command), args...)
		return exec.Command(all[0], all[1:]...).CombinedOutput()
	}
	if out, err := run("install", "--no-install-recommends", name); err == nil {
		return out, nil
	}
	if out, err := run("update"); err != nil {
		return out, err
	}
	return run("install", "--no-install-recommends", name)
}
