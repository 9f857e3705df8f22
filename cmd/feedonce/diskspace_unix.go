//go:build linux || darwin || freebsd

package main

import "syscall"

// freeSpace returns the bytes an ordinary user may still write to the file system of a folder.
func freeSpace(dir string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}
