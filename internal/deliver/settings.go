package deliver

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/outbox"
	"feedonce/internal/secret"
)

// about is what the secrets of a destination are sealed with: those of one kind cannot be opened as another's.
func about(kind string) string { return "destination of kind " + kind }

// Settings returns a destination's settings with its secrets in the clear.
func (e *Engine) Settings(d feedonce.Destination) (dest.Settings, error) {
	set := dest.Settings{}
	if err := json.Unmarshal([]byte(d.Config), &set); err != nil {
		return nil, fmt.Errorf("the settings of destination %q cannot be read: %w", d.Name, err)
	}
	if len(d.Secrets) == 0 {
		return set, nil
	}
	plain, err := e.o.Box.Open(d.Secrets, about(d.Kind))
	if err != nil {
		return nil, fmt.Errorf("the secrets of destination %q cannot be opened: %w", d.Name, err)
	}
	secrets := dest.Settings{}
	if err := json.Unmarshal(plain, &secrets); err != nil {
		return nil, fmt.Errorf("the secrets of destination %q cannot be read: %w", d.Name, err)
	}
	maps.Copy(set, secrets)
	return set, nil
}

// Masked returns a destination's settings as they may be shown: secrets say that they are there, and no more.
func (e *Engine) Masked(d feedonce.Destination) (dest.Settings, error) {
	set, err := e.Settings(d)
	if err != nil {
		return nil, err
	}
	if kind := dest.ByName(d.Kind); kind != nil {
		for _, f := range kind.Fields {
			if f.Secret && set[f.Name] != "" {
				set[f.Name] = secret.Mask(set[f.Name])
			}
		}
	}
	return set, nil
}

// Configure gives a destination new settings, checked, with secrets sealed, and checks its name and route, too. A secret that
// is not named keeps its value; one that is named with "" is taken away. Errors are *feedonce.InvalidError.
func (e *Engine) Configure(d *feedonce.Destination, changes dest.Settings) error {
	if name := strings.TrimSpace(d.Name); name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return &feedonce.InvalidError{Field: "name", Reason: "must be a name of at most 100 bytes, in one line"}
	}
	kind := dest.ByName(d.Kind)
	if kind == nil {
		var names []string
		for _, k := range dest.Kinds() {
			names = append(names, k.Name)
		}
		return &feedonce.InvalidError{Field: "kind", Reason: fmt.Sprintf("must be one of %s; %q is none", strings.Join(names, ", "), d.Kind)}
	}
	if err := outbox.Validate(d.Route); err != nil {
		return err
	}
	set := dest.Settings{}
	if d.Config != "" {
		old, err := e.Settings(*d)
		if err != nil && len(changes) == 0 {
			return err
		}
		if err == nil { // what cannot be opened any more is given anew
			set = old
		}
	}
	maps.Copy(set, changes)
	open, sealed := dest.Settings{}, dest.Settings{}
	for name, value := range set {
		i := slices.IndexFunc(kind.Fields, func(f dest.Field) bool { return f.Name == name })
		if i < 0 {
			var names []string
			for _, f := range kind.Fields {
				names = append(names, f.Name)
			}
			return &feedonce.InvalidError{Field: name, Reason: fmt.Sprintf("is no setting of kind %s, which has %s", kind.Name, strings.Join(names, ", "))}
		}
		switch f := kind.Fields[i]; {
		case value == "":
			delete(set, name)
		case f.Values != nil && !slices.Contains(f.Values, value):
			return &feedonce.InvalidError{Field: name, Reason: "must be one of " + strings.Join(f.Values, ", ")}
		case f.Secret:
			sealed[name] = value
		default:
			open[name] = value
		}
	}
	for _, f := range kind.Fields {
		if f.Required && set[f.Name] == "" {
			return &feedonce.InvalidError{Field: f.Name, Reason: "is missing: " + f.About}
		}
	}
	if _, err := kind.Open(set, e.o.Env); err != nil {
		return err
	}
	config, err := json.Marshal(open)
	if err != nil {
		return err
	}
	d.Config, d.Secrets = string(config), nil
	if len(sealed) == 0 {
		return nil
	}
	plain, err := json.Marshal(sealed)
	if err != nil {
		return err
	}
	d.Secrets, err = e.o.Box.Seal(plain, about(d.Kind))
	return err
}
