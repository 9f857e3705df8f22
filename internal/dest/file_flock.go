//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dest

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of a file for this open file alone (flock).
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	}
	return false, err
}

// syncFolder has a new file's name on disk.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
