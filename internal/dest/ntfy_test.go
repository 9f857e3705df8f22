package dest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

func TestNtfyArticle(t *testing.T) {
	n := desttest.NewNtfy(t, "")
	sender := openAt(t, "ntfy", n.Endpoint, dest.Settings{"server": n.URL, "topic": "my-feeds", "priority": "4", "tags": "newspaper, work,,work"})
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent || res.Status != 200 {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	m := n.Messages()[0]
	m.Raw = nil
	want := desttest.NtfyMessage{Topic: "my-feeds", Title: "The ferry sails again", Tags: []string{"newspaper", "work"}, Priority: 4, Click: "https://harbour.example/ferry?id=42&lang=en",
		Message: "After three weeks in the dock the ferry is back.\n\nHarbour News · Jo Müller · Also in Coast Daily, Island Post"}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestNtfyLogsIn(t *testing.T) {
	for name, c := range map[string]struct {
		wants   string
		set     dest.Settings
		outcome dest.Outcome
	}{
		"a token":          {"Bearer tk_a1", dest.Settings{"token": "tk_a1"}, dest.Sent},
		"a password":       {"Basic am86cMOkc3M6d29yZA==", dest.Settings{"username": "jo", "password": "päss:word"}, dest.Sent},
		"the wrong token":  {"Bearer tk_a1", dest.Settings{"token": "tk_a2"}, dest.Gone},
		"nothing":          {"Bearer tk_a1", nil, dest.Gone},
		"nothing required": {"", nil, dest.Sent},
	} {
		n := desttest.NewNtfy(t, c.wants)
		set := dest.Settings{"server": n.URL, "topic": "t"}
		for k, v := range c.set {
			set[k] = v
		}
		if res := openAt(t, "ntfy", n.Endpoint, set).Send(t.Context(), newMessage()); res.Outcome != c.outcome {
			t.Errorf("%s: %+v, error %v", name, res, res.Err)
		}
	}
}

func TestNtfySaysNo(t *testing.T) {
	n := desttest.NewNtfy(t, "")
	sender := openAt(t, "ntfy", n.Endpoint, dest.Settings{"server": n.URL, "topic": "t"})
	for _, c := range []struct {
		status  int
		body    string
		outcome dest.Outcome
		after   time.Duration
		says    string
	}{
		{429, `{"code":42901,"http":429,"error":"limit reached: too many requests"}`, dest.Retry, 0, "later"},
		{429, `{"code":42908,"http":429,"error":"limit reached: daily message quota reached"}`, dest.Retry, time.Hour, "today"},
		{403, `{"code":40301,"http":403,"error":"forbidden"}`, dest.Gone, 0, "publish"},
		{400, `{"code":40010,"http":400,"error":"invalid request: topic name is not allowed"}`, dest.Gone, 0, "another name"},
		{400, `{"code":40014,"http":400,"error":"invalid request: attachments not allowed"}`, dest.Refused, 0, "attachments not allowed"},
		{413, `{"code":41303,"http":413,"error":"JSON body too large"}`, dest.Refused, 0, "too large"},
		{507, `{"code":50701,"http":507,"error":"cannot publish to UnifiedPush topic"}`, dest.Retry, 0, "failed"},
		{200, `<!doctype html><title>Home</title>`, dest.Gone, 0, "something else"},
	} {
		n.Always(desttest.Saying(c.status, c.body))
		res := sender.Send(t.Context(), newMessage())
		if res.Outcome != c.outcome || res.After != c.after || res.Err == nil || !strings.Contains(res.Err.Error(), c.says) {
			t.Errorf("%d %s: %+v, error %v; want %s after %v that says %q", c.status, c.body, res, res.Err, c.outcome, c.after, c.says)
		}
	}
}

func TestNtfySettings(t *testing.T) {
	for name, c := range map[string]struct {
		set   dest.Settings
		field string
	}{
		"no topic":              {dest.Settings{}, "topic"},
		"a topic with a slash":  {dest.Settings{"topic": "a/b"}, "topic"},
		"a topic as address":    {dest.Settings{"topic": "https://ntfy.sh/a"}, "topic"},
		"a long topic":          {dest.Settings{"topic": strings.Repeat("x", 65)}, "topic"},
		"priority":              {dest.Settings{"topic": "t", "priority": "9"}, "priority"},
		"priority in words":     {dest.Settings{"topic": "t", "priority": "high"}, "priority"},
		"server":                {dest.Settings{"topic": "t", "server": "ntfy.sh"}, "server"},
		"token and password":    {dest.Settings{"topic": "t", "token": "tk_x", "username": "jo", "password": "x"}, "token"},
		"a token with a header": {dest.Settings{"topic": "t", "token": "tk_x\r\nX-Evil: 1"}, "token"},
		"a password alone":      {dest.Settings{"topic": "t", "password": "x"}, "password"},
		"a user alone":          {dest.Settings{"topic": "t", "username": "x"}, "password"},
	} {
		_, err := dest.Ntfy.Open(c.set, testEnv())
		if invalid, ok := err.(*feedonce.InvalidError); !ok || invalid.Field != c.field {
			t.Errorf("%s: error %v, want one about %s", name, err, c.field)
		}
	}
	n := desttest.NewNtfy(t, "")
	for _, server := range []string{n.Base, n.Base + "/", n.Base + "/t"} { // as people copy it
		if res := openAt(t, "ntfy", n.Endpoint, dest.Settings{"server": server, "topic": "t"}).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
			t.Errorf("%s: %+v, error %v", server, res, res.Err)
		}
	}
}
