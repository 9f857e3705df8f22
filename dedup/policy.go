package dedup

// A Policy is what a person wants for one feed. The zero value is the default.
type Policy struct {
	// Identity says what makes an item of this feed the same item: "" or "auto" learns it from what the feed does.
	Identity Identity `json:"identity,omitempty"`
	// MissingGUID says what to do with an item that has no guid.
	MissingGUID MissingGUID `json:"missingGuid,omitempty"`
}

// Identity is what makes two items of a feed the same.
type Identity string

// MissingGUID is what to do with an item that has no guid.
type MissingGUID string

const (
	IdentityAuto Identity = "auto" // learn it from what the feed does
	IdentityGUID Identity = "guid" // only the guid counts

	MissingSynthesise MissingGUID = "synthesise" // make an identity from link, title, date and text (default)
	MissingQuarantine MissingGUID = "quarantine" // hold the item until a person accepts it
)
