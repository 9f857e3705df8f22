package urls

import "strings"

// more are parameters that never identify a page and that tidy-url does not list for every site: click identifiers of
// advertisers (each documented by its vendor as appended to any link), and the session ids of application servers.
var more = []string{
	"dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "_ga", "_gl", "srsltid", // Google
	"msclkid",                      // Microsoft
	"yclid", "ysclid", "_openstat", // Yandex
	"twclid", "ttclid", "li_fat_id", "igshid", "igsh", "epik", "rdt_cid", "scclid", "fb_ref", "fb_source",
	"fb_action_ids", "fb_action_types", "fbadid", // social networks
	"ref_src", "ref_url", // Twitter's embedded time lines
	"irclickid", "cjevent", "sscid", "wickedid", "_branch_match_id", "_branch_referrer",
	"_kx", "_ke", "ml_subscriber", "ml_subscriber_hash", "bsft_clkid", "bsft_eid", "bsft_mid", "bsft_uid",
	"s_cid", "s_kwcid", "ef_id", "sc_cid", "cm_mmc", "cm_mmca1", "ns_mchannel", "ns_source", "ns_campaign",
	"ns_linkname", "ns_fee", // mail and analytics suites
	"guccounter", "guce_referrer", "guce_referrer_sig", "soc_src", "soc_trk", "sr_share", "wt_mc", "wt_zmc", "xtor",
	"at_medium", "at_campaign", "at_campaign_type", "at_custom1", "at_custom2", "at_custom3", "at_custom4",
	"at_link_id", "at_link_type", "at_link_origin", "at_format", "at_ptr_name", "at_bbc_team", "at_creation", // AT Internet
	"jsessionid", "phpsessid", "aspsessionid", "cfid", "cftoken",
}

var anywhere = func() map[string]bool {
	m := make(map[string]bool, len(trackingEverywhere)+len(more))
	for _, names := range [][]string{trackingEverywhere, more} {
		for _, name := range names {
			m[name] = true
		}
	}
	return m
}()

// tracks reports whether a query parameter says nothing of which page is meant.
func tracks(name, value, host string) bool {
	var room [48]byte
	lower := room[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower = append(lower, c)
	}
	switch {
	case strings.HasPrefix(string(lower), "utm_"), anywhere[string(lower)]:
		return true
	case string(lower) == "amp":
		return value == "" || value == "1" || value == "true"
	case string(lower) == "sid":
		// Story 4711 is a page; 32 hex digits are a session of a bulletin board.
		return len(value) == 32 && strings.Trim(strings.ToLower(value), "0123456789abcdef") == ""
	}
	for domain, more := host, true; more; _, domain, more = strings.Cut(domain, ".") {
		for _, listed := range trackingOn[domain] {
			if listed == string(lower) {
				return true
			}
		}
	}
	return false
}
