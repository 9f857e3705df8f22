package sanitize

// An element is what is known of an HTML element that may be shown.
type element struct {
	attrs []string // may come through, in this order
	void  bool     // has no content and no closing tag
	// block elements are not closed by the closing tag of an inline element around them.
	block bool
	// parents are the elements it must stand in directly; empty is anywhere.
	parents []string
}

var (
	inTable = []string{"table"}
	inRows  = []string{"table", "thead", "tbody", "tfoot"}
	inRow   = []string{"tr"}
)

// elements are the HTML elements that are shown. The tags of others are dropped, their content stays.
var elements = map[string]element{
	"a":          {attrs: []string{"href", "title"}},
	"abbr":       {attrs: []string{"title"}},
	"acronym":    {attrs: []string{"title"}},
	"address":    {block: true},
	"article":    {block: true},
	"aside":      {block: true},
	"audio":      {attrs: []string{"src"}, block: true},
	"b":          {},
	"bdi":        {},
	"bdo":        {},
	"big":        {},
	"blockquote": {attrs: []string{"cite"}, block: true},
	"br":         {void: true},
	"caption":    {block: true, parents: inTable},
	"center":     {block: true},
	"cite":       {},
	"code":       {},
	"col":        {void: true, attrs: []string{"span"}, parents: []string{"table", "colgroup"}},
	"colgroup":   {attrs: []string{"span"}, block: true, parents: inTable},
	"dd":         {block: true, parents: []string{"dl"}},
	"del":        {attrs: []string{"cite", "datetime"}},
	"details":    {block: true},
	"dfn":        {attrs: []string{"title"}},
	"div":        {block: true},
	"dl":         {block: true},
	"dt":         {block: true, parents: []string{"dl"}},
	"em":         {},
	"figcaption": {block: true},
	"figure":     {block: true},
	"footer":     {block: true},
	"h1":         {block: true},
	"h2":         {block: true},
	"h3":         {block: true},
	"h4":         {block: true},
	"h5":         {block: true},
	"h6":         {block: true},
	"header":     {block: true},
	"hr":         {void: true},
	"i":          {},
	"img":        {void: true, attrs: []string{"src", "data-src", "data-lazy-src", "data-original", "alt", "title", "width", "height"}},
	"ins":        {attrs: []string{"cite", "datetime"}},
	"kbd":        {},
	"li":         {attrs: []string{"value"}, block: true, parents: []string{"ul", "ol"}},
	"mark":       {},
	"ol":         {attrs: []string{"start", "reversed", "type"}, block: true},
	"p":          {block: true},
	"picture":    {},
	"pre":        {block: true},
	"q":          {attrs: []string{"cite"}},
	"rp":         {},
	"rt":         {},
	"ruby":       {},
	"s":          {},
	"samp":       {},
	"section":    {block: true},
	"small":      {},
	"source":     {void: true, attrs: []string{"src", "type"}, parents: []string{"audio", "video"}},
	"span":       {},
	"strike":     {},
	"strong":     {},
	"sub":        {},
	"summary":    {block: true, parents: []string{"details"}},
	"sup":        {},
	"table":      {block: true},
	"tbody":      {block: true, parents: inTable},
	"td":         {attrs: []string{"colspan", "rowspan"}, block: true, parents: inRow},
	"tfoot":      {block: true, parents: inTable},
	"th":         {attrs: []string{"colspan", "rowspan", "scope"}, block: true, parents: inRow},
	"thead":      {block: true, parents: inTable},
	"time":       {attrs: []string{"datetime"}},
	"tr":         {block: true, parents: inRows},
	"tt":         {},
	"u":          {},
	"ul":         {block: true},
	"var":        {},
	"video":      {attrs: []string{"src", "poster", "width", "height"}, block: true},
	"wbr":        {void: true},
}

// closedBy says which open elements a start tag closes where their closing tag is missing (HTML 13.1.2.4), so that
// lists and tables written without closing tags do not nest.
var closedBy = map[string]struct{ close, within []string }{
	"li":      {[]string{"li"}, []string{"ul", "ol"}},
	"dt":      {[]string{"dt", "dd"}, []string{"dl"}},
	"dd":      {[]string{"dt", "dd"}, []string{"dl"}},
	"td":      {[]string{"td", "th"}, []string{"tr"}},
	"th":      {[]string{"td", "th"}, []string{"tr"}},
	"tr":      {[]string{"tr", "caption", "colgroup"}, []string{"table"}},
	"tbody":   {[]string{"tbody", "thead", "tfoot", "caption", "colgroup"}, []string{"table"}},
	"thead":   {[]string{"tbody", "thead", "tfoot", "caption", "colgroup"}, []string{"table"}},
	"tfoot":   {[]string{"tbody", "thead", "tfoot", "caption", "colgroup"}, []string{"table"}},
	"a":       {[]string{"a"}, nil},
	"summary": {[]string{"summary"}, []string{"details"}},
}
