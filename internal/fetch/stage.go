package fetch

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"sync/atomic"
)

// A stage is where a trip is, for the sentence about a time-out.
type stage struct{ at atomic.Int32 }

const (
	stageConnect = iota // or nothing yet
	stageDNS
	stageTLS
	stageAnswer
	stageBody
)

func (s *stage) enter(at int32) { s.at.Store(at) }

// trace has the transport note the stage. Dials go on in the background after a trip has ended, hence the atomic.
func (s *stage) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { s.enter(stageDNS) },
		ConnectStart:      func(string, string) { s.enter(stageConnect) },
		TLSHandshakeStart: func() { s.enter(stageTLS) },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { s.enter(stageConnect) },
		WroteRequest:      func(httptrace.WroteRequestInfo) { s.enter(stageAnswer) },
	})
}

// doing says what the server was too slow to do.
func (s *stage) doing() string {
	switch s.at.Load() {
	case stageTLS:
		return "to set up an encrypted connection"
	case stageAnswer:
		return "to answer"
	case stageBody:
		return "to send its document"
	}
	return "to accept a connection"
}
