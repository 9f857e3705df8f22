// Package jobs queues background work in the transaction that makes it necessary, and runs it: River on both databases,
// behind a few words of our own.
//
// A job runs at least once. What it works on says itself whether there is something left to do, so a job that comes twice,
// or late, does no harm; a job that is lost is found again by Sweep.
package jobs
