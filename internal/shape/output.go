package shape

import (
	"time"

	"feedonce"
)

// Output is a cleaned feed that others read.
type Output struct {
	ID        feedonce.OutputID  `json:"id"`
	Name      string             `json:"name"`
	Selection feedonce.Selection `json:"selection" doc:"Which articles it has; empty: all"`
	Created   time.Time          `json:"created"`
	Addresses *Addresses         `json:"addresses,omitempty" doc:"Whoever has one can read it, without a log-in; absent where they cannot be opened"`
	Error     string             `json:"error,omitempty" doc:"Why its addresses cannot be opened"`
}

// Addresses are where an output is, in its forms.
type Addresses struct {
	Atom string `json:"atom"`
	RSS  string `json:"rss"`
	JSON string `json:"json"`
}

// OutputOf is an output with its addresses (nil: they cannot be opened, err says why).
func OutputOf(o feedonce.Output, at *Addresses, err error) Output {
	out := Output{ID: o.ID, Name: o.Name, Selection: o.Selection, Created: o.Created.UTC(), Addresses: at}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}
