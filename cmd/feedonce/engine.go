package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/fetch"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

// box opens the secrets of the database, with the key of the settings or of the key file, which is made where it is missing.
func (a *app) box(log *slog.Logger) (*secret.Box, error) {
	path := a.set.SecretKeyFile
	if path == "" {
		var err error
		if path, err = a.keyFile(); err != nil {
			return nil, err
		}
	}
	box, warning, err := secret.Load(a.set.SecretKey, path)
	if warning != "" {
		log.Warn(warning)
	}
	return box, err
}

// keyFile is where the key is kept when nothing else is said: not in the database, so that who gets hold of a copy of that
// does not have the key with it.
func (a *app) keyFile() (string, error) {
	if !a.set.postgres() {
		return a.set.file() + ".key", nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", usagef("there is no folder to keep the key for secrets in (%v); set secret-key or secret-key-file", err)
	}
	return filepath.Join(dir, "feedonce", "secrets.key"), nil
}

// engine returns what sends messages.
func (a *app) engine(s *store.Store, c *fetch.Client, log *slog.Logger) (*deliver.Engine, error) {
	box, err := a.box(log)
	if err != nil {
		return nil, err
	}
	return a.engineWith(box, s, c, log), nil
}

// engineWith is engine with the box that opens its secrets.
func (a *app) engineWith(box *secret.Box, s *store.Store, c *fetch.Client, log *slog.Logger) *deliver.Engine {
	return deliver.New(deliver.Options{
		Store: s, Box: box, Log: log, URL: a.baseURL(), From: a.set.From,
		Env: dest.Env{Client: c.HTTP(), Dial: c.Dial, Exec: a.set.AllowExec},
	})
}

// baseURL is where people open the pages.
func (a *app) baseURL() string {
	if a.set.URL != "" {
		return a.set.URL
	}
	if a.set.Listen == "" {
		return ""
	}
	return fmt.Sprintf("http://%s", a.set.Listen)
}
