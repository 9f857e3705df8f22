package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version.\n\nWith --json: version, go, os, arch.",
		Args:  args(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return newJSONLines(a.out).write(map[string]string{
					"version": programVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.out, "feedonce %s (%s, %s/%s)\n", programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	a.jsonFlag(cmd)
	return cmd
}
