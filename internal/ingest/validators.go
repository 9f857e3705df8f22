package ingest

import (
	"context"

	"feedonce/internal/store"
)

// renewed reports whether the document has validators that are not those stored. A server that stopped sending any is
// no reason to forget the last ones: they still name what is stored.
func renewed(f Fetched, etag, modified string) bool {
	return (f.ETag != "" || f.LastModified != "") && (f.ETag != etag || f.LastModified != modified)
}

// touch stores validators and hash of a document in which nothing counts but what is stored already, so that the next
// poll can be answered "not modified". Nothing is stored where the feed moved on from document seq meanwhile: these
// validators would name older data.
func (in *Ingester) touch(ctx context.Context, f Fetched, seq int64, hash []byte) error {
	etag, modified := f.ETag, f.LastModified
	if !renewed(f, f.Claim.ETag, f.Claim.LastModified) {
		etag, modified = f.Claim.ETag, f.Claim.LastModified
	}
	err := in.Store.Update(ctx, func(tx *store.Tx) error { return tx.Touch(f.Feed, seq, etag, modified, hash) })
	if err != nil {
		return wrap(f.Feed, err)
	}
	return nil
}
