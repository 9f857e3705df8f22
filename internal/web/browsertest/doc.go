// Package browsertest tests the pages in a real Chromium, over a real store, with real publishers and endpoints on 127.0.0.1. It has
// tests only.
//
// start is the one place where the pages are served, and signIn the one where a browser becomes somebody's. TestEveryPage
// visits every route of web.Patterns in both schemes and both sizes; a route with a number in it needs an example in addresses.
package browsertest
