package scan

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// tokens writes the tokens of a document in one line each.
func tokens(t *testing.T, doc string) (string, error) {
	tok := NewTokenizer([]byte(doc), DefaultLimits)
	var b strings.Builder
	var k Token
	last := 0
	for {
		err := tok.Next(&k)
		if err == io.EOF {
			if at, ok := tok.Cut(); ok {
				fmt.Fprintf(&b, "cut at %d\n", at)
			}
			if last != len(doc) {
				t.Errorf("tokens end at %d of %d", last, len(doc))
			}
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		if k.Start != last || k.End < k.Start {
			t.Errorf("a token from %d to %d follows one that ends at %d", k.Start, k.End, last)
		}
		last = k.End
		switch k.Kind {
		case StartTag:
			fmt.Fprintf(&b, "<%s", k.Name)
			for _, a := range k.Attrs {
				v, err := tok.AppendText(nil, a.Value)
				if err != nil {
					return b.String(), err
				}
				fmt.Fprintf(&b, " %s=%q", a.Name, v)
			}
			if k.SelfClosed {
				b.WriteString("/")
			}
			b.WriteString(">\n")
		case EndTag:
			fmt.Fprintf(&b, "</%s>\n", k.Name)
		case TextToken:
			v, err := tok.AppendText(nil, k.Data)
			if err != nil {
				return b.String(), err
			}
			fmt.Fprintf(&b, "%q\n", v)
		case CDATA:
			fmt.Fprintf(&b, "CDATA %q\n", AppendLiteral(nil, k.Data))
		case Comment:
			fmt.Fprintf(&b, "comment %q\n", k.Data)
		case Instruction:
			fmt.Fprintf(&b, "instruction %q\n", k.Data)
		case Doctype:
			fmt.Fprintf(&b, "doctype %q\n", k.Data)
		}
	}
}

func TestTokenizer(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"simple", `<a x="1" y='2'>t</a>`, "<a x=\"1\" y=\"2\">\n\"t\"\n</a>\n"},
		{"spaces", "< a>< /a><a\n x = '1' / ></a >", `"< a>"` + "\n" + `"< /a>"` + "\n<a x=\"1\">\n</a>\n"},
		{"unquoted", "<a x=1 y=a/b z=c/>", "<a x=\"1\" y=\"a/b\" z=\"c\"/>\n"},
		{"without value", "<a checked b=>", "<a checked=\"\" b=\"\">\n"},
		{"greater in value", `<a x="1>2">`, "<a x=\"1>2\">\n"},
		{"less in value", `<a x="<b>" y="2">`, "<a x=\"<b>\" y=\"2\">\n"},
		{"quote not closed", `<a x="1>t</a><b y="2">`, "<a x=\"1\">\n\"t\"\n</a>\n<b y=\"2\">\n"},
		{"repeated", `<a x="1" x="2">`, "<a x=\"1\" x=\"2\">\n"},
		{"cdata", "<![CDATA[<b> & ]] > ]]>x", "CDATA \"<b> & ]] > \"\n\"x\"\n"},
		{"cdata in lower case", "<![cdata[x]]>", "CDATA \"x\"\n"},
		{"comment", "<!-- <a> -- --><!--->x-->", "comment \" <a> -- \"\ncomment \"->x\"\n"},
		{"declaration", "<?xml version='1.0'?><?php echo 1 > 0 ?><?x>y", "instruction \"xml version='1.0'\"\ninstruction \"php echo 1 > 0 \"\ninstruction \"x\"\n\"y\"\n"},
		{"bogus declaration", "<!ELEMENT a>x", "comment \"ELEMENT a\"\n\"x\"\n"},
		{"less in text", "1 < 2 <3 a<b c<d>", "\"1 \"\n\"< 2 \"\n\"<3 a\"\n\"<b c\"\n<d>\n"},
		{"end tag with attributes", "</a x='1'></b", "</a>\n</>\ncut at 10\n"},
		{"end tag not closed", "</a<b>", "</a>\n<b>\n"},
		{"references", "&lt;&#65;&#x42;&#X43;&eacute;&nbsp;&amp;amp;&none;&&#; &#150; &copy &notin; &notit;", "\"<ABCé\\u00a0&amp;&none;&&#; – &copy ∉ &notit;\"\n"},
		{"bad numbers", "&#0;&#1;&#xD800;&#x110000;&#99999999999999999999;&#xFFFE;&#129;.", "\"\uFFFD\uFFFD\uFFFD.\"\n"},
		{"reference without semicolon", "&#65 &#x42z", "\"A Bz\"\n"},
		{"line ends", "a\r\nb\rc<![CDATA[\r\n]]>", "\"a\\nb\\nc\"\nCDATA \"\\n\"\n"},
		{"cut in a tag", "t<a x='1", "\"t\"\n</>\ncut at 1\n"},
		{"cut in cdata", "<![CDATA[half", "CDATA \"half\"\ncut at 0\n"},
		{"cut in a comment", "<!-- half", "comment \"\"\ncut at 0\n"},
		{"cut in a doctype", "<!DOCTYPE rss [ <!ENTITY a 'b'", "doctype \"\"\ncut at 0\n"},
		{"only less", "<", "\"\"\ncut at 0\n"},
		{"doctype", `<!DOCTYPE rss [<!-- ] --><!ENTITY a "x&#38;lt;y"><!ENTITY b '&a;>&a;'><!ENTITY % p "no"><!ENTITY s SYSTEM "file:///x">]><r>&b;&s;&p;</r>`,
			`doctype "DOCTYPE rss [<!-- ] --><!ENTITY a \"x&#38;lt;y\"><!ENTITY b '&a;>&a;'><!ENTITY % p \"no\"><!ENTITY s SYSTEM \"file:///x\">]"` + "\n<r>\n\"x<y>x<y&s;&p;\"\n</r>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tokens(t, tt.in)
			if err != nil || got != tt.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s(error %v)", tt.in, got, tt.want, err)
			}
		})
	}
}

func TestTokenizerNotes(t *testing.T) {
	tok := NewTokenizer([]byte("<a>\n<b x='1' y='2' x='3'>\n<c x='1' x='1'/>"), DefaultLimits)
	var k Token
	for tok.Next(&k) == nil {
	}
	if at, ok := tok.RepeatedAttribute(); !ok || tok.Line(at) != 2 {
		t.Errorf("repeated attribute in line %d (%v), want line 2", tok.Line(at), ok)
	}
}

func TestLimits(t *testing.T) {
	laughs := "<!DOCTYPE r [<!ENTITY l0 'lolololol'>"
	for i := 1; i < 10; i++ {
		laughs += fmt.Sprintf("<!ENTITY l%d '%s'>", i, strings.Repeat(fmt.Sprintf("&l%d;", i-1), 10))
	}
	declared := "<!DOCTYPE r ["
	for i := range 1001 {
		declared += fmt.Sprintf("<!ENTITY e%d 'x'>", i)
	}
	for _, tt := range []struct {
		name, in, what string
		line           int
	}{
		{"attributes", "<a>\n<b " + strings.Repeat("x='1' ", 257) + ">", "attributes of one element", 2},
		{"name", "\n\n<" + strings.Repeat("n", 600) + ">", "bytes of a name", 3},
		{"attribute name", "<a " + strings.Repeat("n", 600) + "='1'>", "bytes of a name", 1},
		{"elements", strings.Repeat("<a>", 1_500_001), "elements", 1},
		{"tokens", strings.Repeat("<?a?>", 4_000_001), "tokens", 1},
		{"laughs", laughs + "]><r>&l9;</r>", "bytes of one entity", 1},
		{"quadratic laughs", "<!DOCTYPE r [<!ENTITY a '" + strings.Repeat("x", 4000) + "'>]><r>" + strings.Repeat("&a;", 300) + "</r>", "bytes from declared entities", 1},
		{"declared entities", declared + "]>", "declared entities", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tok := NewTokenizer([]byte(tt.in), DefaultLimits)
			var k Token
			var err error
			var buf []byte
			for err == nil {
				if err = tok.Next(&k); err == nil && k.Kind == TextToken {
					buf, err = tok.AppendText(buf[:0], k.Data)
				}
			}
			var limit *LimitError
			if !errors.As(err, &limit) || limit.What != tt.what || limit.Line != tt.line {
				t.Errorf("got %v, want a limit for %s in line %d", err, tt.what, tt.line)
			}
		})
	}
}

// TestAllocation reads what is made to cost memory. Reading tokens must cost nearly none.
func TestAllocation(t *testing.T) {
	const size = 4 << 20
	for name, unit := range map[string]string{
		"attributes":       `<a b="1" c="2" d="3"/>`,
		"entities":         `&amp;&lt;&#65;&eacute;`,
		"quotes":           `<a b="`,
		"open tags":        `<a <b `,
		"comments":         `<!--`,
		"cdata":            `<![CDATA[`,
		"end tags":         `</a`,
		"less":             `<`,
		"unknown entities": `&a;&`,
	} {
		t.Run(name, func(t *testing.T) {
			doc := []byte(strings.Repeat(unit, size/len(unit)))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tok := NewTokenizer(doc, Limits{Depth: 1 << 30, Attributes: 1 << 30, Elements: 1 << 30, Tokens: 1 << 30, Name: 512})
			var k Token
			var buf []byte
			for {
				if err := tok.Next(&k); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if k.Kind == TextToken {
					var err error
					if buf, err = tok.AppendText(buf[:0], k.Data); err != nil {
						t.Fatal(err)
					}
				}
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 6*size {
				t.Errorf("%d MiB allocated for %d MiB of %q", used>>20, size>>20, unit)
			}
		})
	}
}

// FuzzTokenizer checks that the tokens cover every input without gap, and that reading ends.
func FuzzTokenizer(f *testing.F) {
	for _, s := range []string{`<a x="1>t</a><b y="2">`, "<![CDATA[x]]>", "<!DOCTYPE a [<!ENTITY b 'c'>]>&b;", "<?x", "1 < 2", "</a x><"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		if _, err := tokens(t, doc); err != nil {
			var limit *LimitError
			if !errors.As(err, &limit) {
				t.Fatal(err)
			}
		}
	})
}
