//go:build unix

package ingest

import (
	"os"
	"syscall"
)

// lock takes the file for this process until it is closed, or reports that another one has it.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
