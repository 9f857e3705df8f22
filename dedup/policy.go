package dedup

// A Policy is what a person wants for one feed. The zero value is the default.
type Policy struct {
	// Identity says what makes an item of this feed the same item; "" is IdentityAuto.
	Identity Identity `json:"identity,omitempty"`
	// MissingGUID says what to do with an item that has no guid; "" is MissingSynthesise.
	MissingGUID MissingGUID `json:"missingGuid,omitempty"`
}

// Identity is what makes two items of a feed the same.
type Identity string

const (
	IdentityAuto      Identity = "auto"       // what the feed's behaviour shows to be reliable (default)
	IdentityGUID      Identity = "guid"       // the guid alone: another guid is another article
	IdentityLink      Identity = "link"       // the link, whatever the guid says
	IdentityTitleDate Identity = "title+date" // title and date, whatever guid and link say
)

// MissingGUID is what to do with an item that has no guid.
type MissingGUID string

const (
	MissingSynthesise MissingGUID = "synthesise" // identify it by link, title, date and text (default)
	MissingQuarantine MissingGUID = "quarantine" // hold it until a person accepts it
	MissingReject     MissingGUID = "reject"     // decide it is invalid
)
