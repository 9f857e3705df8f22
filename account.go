package feedonce

import "time"

// UserID names a person who has an account. IDs are positive and never reused.
type UserID int64

// A Role says what a person may do beyond their own subscriptions.
type Role string

const (
	// RoleAdmin sees and changes everything: all feeds, destinations, output feeds, people.
	RoleAdmin Role = "admin"
	// RoleReader sees the feeds that they follow, and changes decisions and policies of those that nobody else follows.
	RoleReader Role = "reader"
)

// A User is a person who has an account.
type User struct {
	ID       UserID
	Name     string
	Role     Role
	Password string // argon2id in PHC form; "" where none is set, and only a link signs in
	Settings Settings
	Created  time.Time
	Disabled time.Time // when signing in was forbidden; zero: it is not
	Seen     time.Time // when they signed in last; zero: never
}

// Admin reports whether the user sees and changes everything.
func (u User) Admin() bool { return u.Role == RoleAdmin }

// Settings are what a person wants of the pages.
type Settings struct {
	Theme    string `json:"theme,omitempty"`    // "light", "dark"; "" is as the device says
	PageSize int    `json:"pageSize,omitempty"` // articles on a page; 0 is 50
	Oldest   bool   `json:"oldest,omitempty"`   // unread articles, oldest first
	KeepRead bool   `json:"keepRead,omitempty"` // an article that is opened stays unread until it is marked
}

// TokenID names a token.
type TokenID int64

// A TokenKind says what a token is for.
type TokenKind string

const (
	TokenAPI TokenKind = "token" // for programs: Authorization: Bearer
	TokenApp TokenKind = "app"   // for readers that want a name and a password
)

// A Token lets a program act for a user. Its secret is shown once, when it is made.
type Token struct {
	ID      TokenID
	User    UserID
	Kind    TokenKind
	Name    string
	Write   bool // it may change what its user may; else it only reads
	Created time.Time
	Used    time.Time // to the hour; zero: never
}

// A Subscription is a feed that a person follows.
type Subscription struct {
	User   UserID
	Feed   FeedID
	Title  string // "" is the feed's own
	Folder string
	Added  time.Time
}
