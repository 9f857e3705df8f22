// Package dedup decides what the items of a feed are: a new article, a new version of one, an article under another
// identity, or nothing new at all. It says why, and it can be wrong only in the cheap direction: a repeat may be shown as
// new, a new article is not to be lost.
//
// It is made of pure functions. There is no I/O, no clock and no global state in it: the time is the document's, and what
// is known comes from the caller. The same input gives the same decisions on every machine.
//
// # What it is given
//
// A [Document] is one fetched version of a feed, with all its items; a parser makes it, of RSS, Atom or JSON Feed or anything
// else that has items. The document is judged as a whole, because much of the evidence is in the company an item keeps: two
// items that stand together are two; an item that came just as another left from the middle of the list replaced it; a list
// in which every identity changed, but no title, was sent anew.
//
// # How it decides
//
//  1. Items equal in all that counts are one, and so are versions of one item under one guid (rule G0).
//  2. What the last document had, equal in all that counts, is unchanged. Nothing is looked up for it, and its text is not
//     even taken apart. In almost every document that is everything.
//  3. Every other item has keys ([Key]): its guid, where guids are an identity in this feed; else link, title, date and text, as
//     far as they tell this feed's items apart. A key that is known names the entry (G2, K), unless link, title, text and date
//     all say that the publisher used the guid for another article (NR).
//  4. An item whose keys are unknown is compared with the entries that share a link, a path, a title, a text or a file with
//     it, or that left the feed as it came. The rules are tried in the order of [Rules]; each wants two independent kinds of
//     evidence out of identity, place, text, time and structure. Vetoes come first: both stand in the document at once,
//     declared languages differ, files differ, the numbers in their titles differ. The best pair is taken first, so that it
//     does not matter which item is looked at first.
//  5. What is left is [New]. The entries it came close to are named in its evidence, with the reason why it is none of
//     them.
//  6. What has an entry is [Unchanged], [Updated] or, where its identity is another, [Duplicate]. A version that was there
//     before, an excerpt, a counter or "3 hours ago" make no update; a page that changes with every document makes one every six
//     hours.
//  7. Apart from all that, [Decision.Tell] says which new articles are worth a message: not those of a first document, nor an
//     archive that comes back.
//
// Links, guids and files are no evidence by themselves: [State] counts, feed by feed, how well each tells items apart,
// and they count as they have proved. docs/dedup.md of the project has the rules in a table, and the measured quality.
//
// # How it is used
//
// The simplest way is [Memory]: a feed's store in memory, which can be kept in a file as JSON.
//
// A program with a store of its own calls [Prepare], answers [Judge.Query] with one look-up, calls [Judge.Decide], and stores
// the [Result]: for every decision with a Write the entry and its marks, for every decision its keys, and at the end the
// state. All of that belongs in one transaction, and two documents of one feed must not be decided at once on the same
// state. What must be found again is an entry by its ID, a key by its hash (each key leads to one entry; the last one written
// wins), and a mark by its number (any number of entries may have it; the newest [MaxPerMark] suffice).
//
// # JSON
//
// Documents, decisions and memories have a JSON form, which does not change within a version.
//
// A [Document] is
//
//	{"fetched":"2026-03-02T08:00:00Z","site":"https://example.org/","items":[
//	  {"guid":"https://example.org/?p=1","permalink":true,"url":"https://example.org/hello","title":"Hello",
//	   "content":"<p>Hello, world.</p>","published":"2026-03-02T07:30:00Z"}]}
//
// with the fields of [Document] and [Item]; every field of an item may be absent. Texts are as published, HTML included. Times
// are RFC 3339.
//
// A [Result] is {"decisions":[…]}, and a [Decision]
//
//	{"item":0,"outcome":"new","rule":"N","entry":1,"evidence":{…},"tell":true}
//
// with the fields of [Decision] and [Evidence]. "entry" is absent where there is none.
//
// A [Memory] is {"version":1,"policy":{…},"state":{…},"entries":[…],"keys":[…],"verdicts":[…]}: [Policy], [State] (in which the
// manifest, the last document in short, is packed and in base64), [Entry] in the order of their IDs, [KnownKey] and [Verdict].
// Marks are not in it: they follow from the entries. Hashes are hexadecimal.
//
// The folder vectors has the decisions of more than a hundred feed histories in JSON, to test an implementation in another
// language with; its README says how.
package dedup
