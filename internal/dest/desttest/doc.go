// Package desttest has the endpoints that destinations are tried against: real servers on 127.0.0.1 that keep to the rules of
// their kind, refuse what breaks them, keep what they accepted, and fail where a test wants them to.
package desttest
