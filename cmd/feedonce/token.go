package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) tokenCommand() *cobra.Command {
	return group("token", "Tokens by which programs act for a user",
		a.tokenAddCommand(), a.tokenListCommand(), a.tokenRemoveCommand())
}

// tokenLine is a token for programs.
type tokenLine struct {
	ID      feedonce.TokenID   `json:"id"`
	User    string             `json:"user"`
	Kind    feedonce.TokenKind `json:"kind"`
	Name    string             `json:"name"`
	Write   bool               `json:"write"`
	Created time.Time          `json:"created"`
	Used    *time.Time         `json:"used,omitempty"`
	Secret  string             `json:"secret,omitempty"`
}

func tokenLineOf(user string, t feedonce.Token) tokenLine {
	return tokenLine{t.ID, user, t.Kind, t.Name, t.Write, t.Created.UTC(), shape.Moment(t.Used), ""}
}

func (a *app) tokenAddCommand() *cobra.Command {
	var write, app bool
	cmd := &cobra.Command{
		Use:   "add USER NAME",
		Short: "Make a token, and print its secret",
		Long: `Make a token by which a program acts for a user: it sends “Authorization: Bearer SECRET”. NAME says what it is for. The secret is
printed once, and cannot be had again. A token only reads, unless --write is given; one of an administrator reads everything.

With --app, make a password for a reader app that wants a name and a password; the name is that of the user.

With --json, an object: id, user, kind (token, app), name, write, created, secret.`,
		Args: args(2, 2, "the name of a user, and what the token is for"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var u feedonce.User
				var t feedonce.Token
				var secret string
				err := s.Update(ctx, func(tx *store.Tx) (err error) {
					if u, err = findUser(tx, given[0]); err != nil {
						return err
					}
					t = feedonce.Token{User: u.ID, Kind: feedonce.TokenAPI, Name: given[1], Write: write, Created: time.Now()}
					if app {
						t.Kind = feedonce.TokenApp
					}
					t, secret, err = account.NewToken(tx, t)
					return err
				})
				if err != nil {
					return asUsage(err)
				}
				if a.json {
					line := tokenLineOf(u.Name, t)
					line.Secret = secret
					return newJSONLines(a.out).write(line)
				}
				may := "only reads"
				if t.Write {
					may = "may write"
				}
				fmt.Fprintf(a.err, "made token %d of %s, which %s. It is shown only now:\n", t.ID, clean(u.Name), may)
				_, err = fmt.Fprintln(a.out, secret)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "it may change what its user may")
	cmd.Flags().BoolVar(&app, "app", false, "a password for a reader app")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) tokenListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list USER",
		Short: "List the tokens of a user",
		Long: `List the tokens of a user. What they are made of is not kept, and cannot be shown.

With --json, a line for each: id, user, kind (token, app), name, write, created, used (to the hour).`,
		Args: args(1, 1, "the name of a user"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var u feedonce.User
				var tokens []feedonce.Token
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					if u, err = findUser(tx, given[0]); err == nil {
						tokens, err = tx.Tokens(u.ID)
					}
					return err
				})
				if err != nil {
					return err
				}
				lines, tbl := newJSONLines(a.out), table{header: []string{"ID", "KIND", "MAY", "USED", "NAME"}, wide: 4}
				for _, t := range tokens {
					if a.json {
						if err := lines.write(tokenLineOf(u.Name, t)); err != nil {
							return err
						}
						continue
					}
					may, used := "read", "never"
					if t.Write {
						may = "write"
					}
					if !t.Used.IsZero() {
						used = stamp(t.Used)
					}
					tbl.add(fmt.Sprint(t.ID), string(t.Kind), may, used, t.Name)
				}
				if a.json {
					return nil
				}
				if len(tokens) == 0 {
					fmt.Fprintf(a.err, "%s has no token; `feedonce token add %s NAME` makes one.\n", clean(u.Name), quoteArg(u.Name))
					return nil
				}
				return tbl.print(a.out)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) tokenRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove USER ID",
		Short: "Remove a token: what uses it has no access any more",
		Args:  args(2, 2, "the name of a user, and the number of a token"),
		RunE: func(cmd *cobra.Command, given []string) error {
			id, err := strconv.ParseInt(strings.TrimSpace(given[1]), 10, 64)
			if err != nil || id < 1 {
				return usagef("%q is no number of a token; `feedonce token list %s` has them", given[1], quoteArg(given[0]))
			}
			err = a.changeUser(cmd.Context(), given[0], func(tx *store.Tx, u *feedonce.User) error {
				err := tx.DropToken(u.ID, feedonce.TokenID(id))
				if errors.Is(err, feedonce.ErrNotFound) {
					return fmt.Errorf("%s has no token %d", clean(u.Name), id)
				}
				return err
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "removed token %d\n", id)
			return err
		},
	}
	addSettings(cmd.Flags(), "store")
	return cmd
}
