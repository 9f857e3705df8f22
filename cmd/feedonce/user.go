package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) userCommand() *cobra.Command {
	return group("user", "Who may sign in",
		a.userAddCommand(), a.userListCommand(), a.userLinkCommand(), a.userRoleCommand(),
		a.userStateCommand("forbid", "Forbid somebody to sign in, and end their sessions; their tokens open nothing meanwhile", true),
		a.userStateCommand("allow", "Allow somebody to sign in again", false), a.userRemoveCommand())
}

// findUser returns the user of a name, in whatever case.
func findUser(tx *store.Tx, name string) (feedonce.User, error) {
	u, err := tx.UserByName(name)
	if errors.Is(err, feedonce.ErrNotFound) {
		return u, fmt.Errorf("there is no user %q; `feedonce user list` lists them", name)
	}
	return u, err
}

// changeUser changes the user of a name in a transaction.
func (a *app) changeUser(ctx context.Context, name string, change func(*store.Tx, *feedonce.User) error) error {
	return a.withStore(ctx, func(s *store.Store) error {
		return s.Update(ctx, func(tx *store.Tx) error {
			u, err := findUser(tx, name)
			if err != nil {
				return err
			}
			return change(tx, &u)
		})
	})
}

// opened is the address of a path on the pages, as far as the settings say where they are.
func (a *app) opened(path string) string {
	at := a.set.URL
	if at == "" {
		at = "http://" + cmp.Or(a.set.Listen, "127.0.0.1:8470")
	}
	return strings.TrimSuffix(at, "/") + path
}

// printLink prints an address that signs in once.
func (a *app) printLink(ctx context.Context, s *store.Store, u feedonce.User) error {
	path, err := account.SignInLink(ctx, s, u.ID)
	if err != nil {
		return err
	}
	if a.json {
		return newJSONLines(a.out).write(map[string]any{"user": u.ID, "name": u.Name, "role": u.Role, "link": a.opened(path)})
	}
	fmt.Fprintf(a.err, "This address signs %s in once, within a day. Give it to nobody else:\n", clean(u.Name))
	_, err = fmt.Fprintln(a.out, a.opened(path))
	return err
}

func (a *app) userAddCommand() *cobra.Command {
	var admin bool
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a user, and print the address at which they sign in",
		Long: `Add a user. What is printed is an address that signs them in once, where they choose a password. A reader sees the feeds that they
follow; with --admin they see and change everything.

The first administrator follows all feeds that are there.

With --json, an object: user (number), name, role, link.`,
		Args: args(1, 1, "a name"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withNewStore(ctx, func(s *store.Store) error {
				var u feedonce.User
				err := s.Update(ctx, func(tx *store.Tx) error {
					some, err := tx.AnyUser()
					if err != nil {
						return err
					}
					switch {
					case !some && !admin:
						return usagef("the first user must be an administrator; add --admin")
					case !some:
						u, err = account.First(tx, given[0], "")
					default:
						u = feedonce.User{Name: given[0], Role: feedonce.RoleReader, Created: time.Now()}
						if admin {
							u.Role = feedonce.RoleAdmin
						}
						u, err = tx.AddUser(u)
					}
					return err
				})
				if errors.Is(err, feedonce.ErrExists) {
					return fmt.Errorf("there is a user %q already", given[0])
				}
				if err != nil {
					return asUsage(err)
				}
				if !a.json {
					fmt.Fprintf(a.err, "added user %d  %s  (%s)\n", u.ID, clean(u.Name), u.Role)
				}
				return a.printLink(ctx, s, u)
			})
		},
	}
	cmd.Flags().BoolVar(&admin, "admin", false, "make them an administrator")
	a.jsonFlag(cmd)
	cmd.Flags().String("listen", "", "where serve listens, when --url is not set")
	addSettings(cmd.Flags(), "store", "deliver")
	return cmd
}

// userLine is a user for programs.
type userLine struct {
	User     feedonce.UserID `json:"user"`
	Name     string          `json:"name"`
	Role     feedonce.Role   `json:"role"`
	Feeds    int             `json:"feeds"`
	Password bool            `json:"password"`
	Created  time.Time       `json:"created"`
	Seen     *time.Time      `json:"seen,omitempty"`
	Forbid   *time.Time      `json:"forbidden,omitempty"`
}

func (a *app) userListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List users",
		Long: `List users.

With --json, a line for each: user (number), name, role, feeds (how many they follow), password (whether one is set), created,
seen (when they signed in last), forbidden (since when they may not sign in).`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var users []feedonce.User
				follow := map[feedonce.UserID]int{}
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					if users, err = tx.Users(); err != nil {
						return err
					}
					for _, u := range users {
						subs, err := tx.Subscriptions(u.ID)
						if err != nil {
							return err
						}
						follow[u.ID] = len(subs)
					}
					return nil
				})
				if err != nil {
					return err
				}
				lines, t := newJSONLines(a.out), table{header: []string{"ID", "NAME", "ROLE", "FEEDS", "SEEN", "STATE"}, wide: 1}
				for _, u := range users {
					if a.json {
						line := userLine{u.ID, u.Name, u.Role, follow[u.ID], u.Password != "", u.Created.UTC(), shape.Moment(u.Seen), shape.Moment(u.Disabled)}
						if err := lines.write(line); err != nil {
							return err
						}
						continue
					}
					seen, state := "never", "may sign in"
					if !u.Seen.IsZero() {
						seen = stamp(u.Seen)
					}
					switch {
					case !u.Disabled.IsZero():
						state = "may not sign in"
					case u.Password == "":
						state = "has no password yet"
					}
					t.add(fmt.Sprint(u.ID), u.Name, string(u.Role), fmt.Sprint(follow[u.ID]), seen, state)
				}
				if a.json {
					return nil
				}
				if len(users) == 0 {
					fmt.Fprintln(a.err, "Nobody has an account yet; `feedonce user add NAME --admin` makes the first one, and serve prints an address that does.")
					return nil
				}
				return t.print(a.out)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) userLinkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "link NAME",
		Short: "Print an address that signs somebody in once, as for who forgot the password",
		Long: `Print an address that signs somebody in once, within a day. It is at --url, or else where serve listens.

With --json, an object: user (number), name, role, link.`,
		Args: args(1, 1, "the name of a user"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var u feedonce.User
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					u, err = findUser(tx, given[0])
					return err
				})
				if err != nil {
					return err
				}
				if !u.Disabled.IsZero() {
					return fmt.Errorf("%s may not sign in; `feedonce user allow %s` changes that", clean(u.Name), quoteArg(u.Name))
				}
				return a.printLink(ctx, s, u)
			})
		},
	}
	a.jsonFlag(cmd)
	cmd.Flags().String("listen", "", "where serve listens, when --url is not set")
	addSettings(cmd.Flags(), "store", "deliver")
	return cmd
}

func (a *app) userRoleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "role NAME admin|reader",
		Short: "Make somebody an administrator, or a reader",
		Args:  args(2, 2, "the name of a user, and admin or reader"),
		RunE: func(cmd *cobra.Command, given []string) error {
			role := feedonce.Role(given[1])
			if role != feedonce.RoleAdmin && role != feedonce.RoleReader {
				return usagef("%q is no role; there are admin and reader", given[1])
			}
			var u feedonce.User
			err := a.changeUser(cmd.Context(), given[0], func(tx *store.Tx, found *feedonce.User) error {
				u = *found
				u.Role = role
				return tx.SetUser(u)
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s is %s now\n", clean(u.Name), map[feedonce.Role]string{feedonce.RoleAdmin: "an administrator", feedonce.RoleReader: "a reader"}[role])
			return err
		},
	}
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) userStateCommand(name, short string, forbid bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " NAME",
		Short: short,
		Args:  args(1, 1, "the name of a user"),
		RunE: func(cmd *cobra.Command, given []string) error {
			var u feedonce.User
			err := a.changeUser(cmd.Context(), given[0], func(tx *store.Tx, found *feedonce.User) error {
				u = *found
				return account.Forbid(tx, u, forbid, time.Now())
			})
			if err != nil {
				return err
			}
			not := ""
			if forbid {
				not = "not "
			}
			_, err = fmt.Fprintf(a.out, "%s may %ssign in\n", clean(u.Name), not)
			return err
		},
	}
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) userRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a user with what they follow and have read; feeds and articles stay",
		Args:  args(1, 1, "the name of a user"),
		RunE: func(cmd *cobra.Command, given []string) error {
			var u feedonce.User
			err := a.changeUser(cmd.Context(), given[0], func(tx *store.Tx, found *feedonce.User) error {
				u = *found
				return tx.RemoveUser(u.ID)
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "removed user %d  %s\n", u.ID, clean(u.Name))
			return err
		},
	}
	addSettings(cmd.Flags(), "store")
	return cmd
}
