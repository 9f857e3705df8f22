package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// group is a command that does nothing by itself but has others below it, which it names when it is given something else.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name()
	}
	last := len(names) - 1
	there := strings.Join(names[:last], ", ") + " and " + names[last]
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) > 0 {
				return usagef("%q is nothing that %s can do; there are %s", given[0], name, there)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}
