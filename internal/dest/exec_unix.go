//go:build unix

package dest

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group, so that what it started itself ends with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
