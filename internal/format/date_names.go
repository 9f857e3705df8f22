package format

import (
	"strings"
	"time"
	"unicode/utf8"
)

// monthByName returns the month of a name or its beginning, lower case, in the languages of Europe; 0 is none.
func monthByName(w string) time.Month {
	for utf8.RuneCountInString(w) >= 3 {
		if m, ok := months[w]; ok {
			return m
		}
		_, n := utf8.DecodeLastRuneInString(w)
		w = w[:len(w)-n]
	}
	return 0
}

// months are the shortest beginnings that tell the months apart, a line a month: English, German, French, Spanish,
// Italian, Portuguese, Dutch, Scandinavian, Polish, Czech, Hungarian, Turkish, Russian, Greek.
var months = func() map[string]time.Month {
	lines := [12]string{
		"jan jän janv ene gen sty led oca янв ιαν",
		"feb fév fev lut úno şub фев φεβ",
		"mar mär mrz maerz mrt márc bře мар μάώ μαώ μάρ μαρ",
		"apr avr abr kwi ápr dub nis апр απρ",
		"may mai maj mei mag máj kvě мая май μάι μαϊ μαι μάϊ",
		"jun juin giu cze jún červen haz июн ιούν ιον ιουν",
		"jul juil lug lip júl červenec tem июл ιούλ ιολ ιουλ",
		"aug aoû aou ago sie srp ağu авг αύγ αυγ",
		"sep set wrz szept zář eyl сен σεπ",
		"oct okt ott out paź pa\u017a říj eki окт οκτ",
		"nov lis kas ноя νοέ νοε",
		"dec dez déc dic gru pro des ara дек δεκ",
	}
	m := map[string]time.Month{}
	for i, line := range lines {
		for name := range strings.FieldsSeq(line) {
			m[name] = time.Month(i + 1)
		}
	}
	return m
}()

// weekdays are names that may stand behind the date.
var weekdays = tagSet("mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday")

// zones are the offsets of named zones in seconds: those of RFC 822, the ones in use, and the short names American
// publishers write. Where a name means several zones, the one of more people counts (IST is India's), but CST and BST
// are the American and the British one, as feeds use them.
var zones = func() map[string]int {
	m := map[string]int{}
	for _, z := range []struct {
		names  string
		offset string
	}{
		{"z ut utc gmt wet uct", "+0000"},
		{"bst ist_ie west cet met mez hnec wat", "+0100"},
		{"cest mest mesz hec eet cat sast", "+0200"},
		{"eest msk eat trt", "+0300"},
		{"msd gst", "+0400"},
		{"pkt", "+0500"},
		{"ist", "+0530"},
		{"npt", "+0545"},
		{"ict wib", "+0700"},
		{"hkt sgt pht awst wita myt", "+0800"},
		{"jst kst wit", "+0900"},
		{"acst", "+0930"},
		{"aest", "+1000"},
		{"acdt", "+1030"},
		{"aedt", "+1100"},
		{"nzst", "+1200"},
		{"nzdt", "+1300"},
		{"nst", "-0330"},
		{"ndt", "-0230"},
		{"brst", "-0200"},
		{"adt brt art clst", "-0300"},
		{"ast at edt clt hae", "-0400"},
		{"est et cdt hne pet cot hac", "-0500"},
		{"cst ct mdt hnc har", "-0600"},
		{"mst mt pdt hnr hap", "-0700"},
		{"pst pt akdt hnp", "-0800"},
		{"akst hdt", "-0900"},
		{"hst", "-1000"},
	} {
		off, _, _ := zoneOffset(z.offset, 1)
		if z.offset[0] == '-' {
			off = -off
		}
		for name := range strings.FieldsSeq(z.names) {
			m[name] = off
		}
	}
	return m
}()

// replaceEastAsian rewrites the characters for year, month, day, morning and afternoon. A Korean date without zone is
// one of Korea's; the Chinese characters are used in more than one zone, so they say nothing.
func replaceEastAsian(s string) string {
	korean := strings.ContainsAny(s, "년월일") || strings.Contains(s, "오전") || strings.Contains(s, "오후")
	if !korean && !strings.ContainsAny(s, "年月日") {
		return s
	}
	afternoon := strings.Contains(s, "오후") || strings.Contains(s, "下午") || strings.Contains(s, "午後")
	morning := strings.Contains(s, "오전") || strings.Contains(s, "上午") || strings.Contains(s, "午前")
	s = eastAsian.Replace(s)
	if afternoon {
		s += " pm"
	} else if morning {
		s += " am"
	}
	if korean {
		s += " KST"
	}
	return s
}

var eastAsian = strings.NewReplacer("년", "-", "월", "-", "일", " ", "年", "-", "月", "-", "日", " ",
	"오전", "", "오후", "", "上午", "", "下午", "", "午前", "", "午後", "")
