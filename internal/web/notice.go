package web

import (
	"net/http"
	"net/url"
	"strconv"

	"feedonce"
	"feedonce/internal/poll"
)

// After a form, the browser is sent to a page that says what was done. What it says comes from a code, never from
// text in the address, which anybody may have written.
func notice(r *http.Request) string {
	q := r.URL.Query()
	count := func(name string) int64 {
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	switch q.Get("done") {
	case "welcome":
		return "You are signed in. Add a feed to begin."
	case "signed-out":
		return "You are signed out."
	case "password":
		return "You are signed in. Set a password here, also if you forgot the one you had."
	case "password-set":
		return "The password is set. You are signed out everywhere else."
	case "sessions-ended":
		return "Ended. You are signed in here still."
	case "token-removed":
		return "Removed: what used it has no access any more."
	case "settings":
		return "Saved."
	case "user-changed":
		return "Changed. It holds from now on, also where they are signed in."
	case "user-removed":
		return "Removed, with what they followed and had read."
	case "followed":
		return "You follow it now. Its latest articles are unread."
	case "follow-changed":
		return "Saved. It is so for you; others keep their own."
	case "unfollowed":
		return "You follow it no more. What you starred stays starred."
	case "added":
		return "The feed was added. " + polled(poll.StatusNew, count("new"), 0, 0)
	case "added-unpolled":
		return "The feed was added; its first articles come with its first poll."
	case "exists":
		return "This feed was there already."
	case "paused":
		return "The feed is paused. Nothing of it is fetched until you resume it."
	case "resumed":
		return "The feed is polled again; it is due now."
	case "removed":
		return "The feed and its articles were removed."
	case "polled":
		return polled(q.Get("status"), count("new"), count("updated"), count("duplicate"))
	case "accepted":
		return "Accepted: article " + strconv.FormatInt(count("new"), 10) + " is there now."
	case "accepted-always":
		return "Accepted " + plural(count("new"), "item", "items") + ". Nothing more of this feed is held."
	case "rejected":
		return "Left out. It stays in the log of decisions."
	case "lead":
		return "It is shown first of its story from now on."
	case "lead-forgotten":
		return "Taken back: nobody's choice holds for this story any more."
	case "policy":
		if n := count("new"); n > 0 {
			return "It is judged so from now on. What is stored is known under " + plural(n, "more identity", "more identities") + ": no article is new, and none is told again."
		}
		return "It is judged so from now on. No article is new because of it, and none is told again."
	case "poll-failed":
		return "Polled, but it did not work. What happened is below."
	}
	return sendingNotice(q.Get("done"), count("n"))
}

func polled(status string, added, updated, duplicate int64) string {
	switch status {
	case poll.StatusNotModified:
		return "Polled: the server says that nothing changed."
	case poll.StatusUnchanged:
		return "Polled: every article was known already."
	}
	text := plural(added, "new article", "new articles")
	if updated > 0 {
		text += ", " + number(updated) + " updated"
	}
	if duplicate > 0 {
		text += ", " + plural(duplicate, "duplicate", "duplicates") + " folded"
	}
	return text + "."
}

// pollNotice is the address of a feed's page with what a poll gave.
func pollNotice(done string, id feedonce.FeedID, res poll.Result, err error) string {
	q := url.Values{"done": {done}}
	switch {
	case err != nil:
		q.Set("done", "poll-failed")
	default:
		q.Set("status", res.Status)
		q.Set("new", strconv.FormatInt(res.Report.Counts.New, 10))
		q.Set("updated", strconv.FormatInt(res.Report.Counts.Updated, 10))
		q.Set("duplicate", strconv.FormatInt(res.Report.Counts.Duplicate, 10))
	}
	return feedPath(id) + "?" + q.Encode()
}

func feedPath(id feedonce.FeedID) string { return "/feeds/" + strconv.FormatInt(int64(id), 10) }
