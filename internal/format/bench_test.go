package format

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"feedonce/internal/scan"

	"github.com/mmcdole/gofeed"
)

// BenchmarkParse measures documents of 30 items, and beside it what else there is: gofeed, and reading the tokens
// alone with encoding/xml and with package scan. Compare the lines of one run, not runs.
func BenchmarkParse(b *testing.B) {
	for _, doc := range []struct {
		name string
		body []byte
	}{{"rss", generateRSS(30)}, {"atom", generateAtom(30)}} {
		run := func(name string, f func() error) {
			b.Run(doc.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(doc.body)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("feedonce", func() error {
			d, err := Parse(doc.body, Options{})
			if err == nil && len(d.Items) != 30 {
				b.Fatalf("%d items", len(d.Items))
			}
			return err
		})
		run("gofeed", func() error {
			_, err := gofeed.NewParser().Parse(bytes.NewReader(doc.body))
			return err
		})
		run("scan tokens", func() error {
			t := scan.NewTokenizer(scan.Decode(doc.body, "").Bytes, scan.DefaultLimits)
			var tok scan.Token
			for {
				if err := t.Next(&tok); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		})
		run("encoding-xml tokens", func() error {
			d := xml.NewDecoder(bytes.NewReader(doc.body))
			for {
				if _, err := d.Token(); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		})
	}
}
