package prose

import "strings"

// A language is a grammar of patterns (see Writer.fill) with its words.
type language struct {
	code        string
	unspaced    bool // no spaces between words
	typoLetters int  // letters a word needs to be misspelt and still be recognised
	stop        string

	nouns, adjectives, verbs, times []string
	syllables                       []string // names are made of two or three
	sentences, headlines            []string
	phrases                         map[string]string
}

// words splits a vocabulary at white space; a hyphen stands for a space within one of its words.
func words(s string) []string {
	ws := strings.Fields(s)
	for i, w := range ws {
		ws[i] = strings.ReplaceAll(w, "-", " ")
	}
	return ws
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

func phrases(update, updated, correction, footer string) map[string]string {
	return map[string]string{"update": update, "updated": updated, "correction": correction, "footer": footer}
}

var languages = []language{english, german, russian, greek, arabic, chinese, japanese, korean, hindi}

var english = language{
	code: "en", typoLetters: 6, stop: ".",
	nouns: words(`account airport album alliance analyst answer archive argument army artist audience author autumn
		balance bank battery beach bicycle board bridge budget building camera campaign capital carpenter castle century
		champion channel chapter charity charter cinema citizen climate coach coast college column comet committee
		commission company compiler complaint computer concert conference contract copy corner council country court
		crisis culture customer database daughter deadline debate decision delay demand department design desert dinner
		discovery district doctor document drought economy editor election embassy engine engineer enquiry estate
		evening evidence exhibition experiment factory farm farmer festival figure film finance fire flood football
		forecast foreign-minister forest fortune founder framework future garden gallery gesture glacier government
		graduate guide harbour harvest headline hearing highway history holiday hospital hotel housing hurricane idea
		image import income industry inflation injury inquest inspector institute insurance interview invention island
		issue journal journey judge kernel keyboard kitchen laboratory lake language lawyer league lecture lesson letter
		library licence lighthouse machine magazine manager market medicine meeting member memory merger message mine
		mineral minister mission mistake mobile model monument motorway mountain museum musician network newspaper
		novel nurse ocean office opera orchard orchestra outage owner packet painting palace paper parcel parliament
		partner passenger patient pattern payment pension people period phone photograph picture pilot pipeline planet
		platform player plot poem police policy poll population portrait president price prison problem processor
		professor programme project proposal protest protocol province publisher question quarter railway rainfall
		record recipe referee reform refuge region release report research reservoir resident restaurant result review
		river road robot route ruling runway satellite scandal school science scientist season secret senate series
		server settlement share ship shop signal singer society software soldier solution song source spacecraft speech
		stadium station statue storm strategy street strike student study suburb summer summit supplier survey
		swimmer system teacher team telescope temple theatre theory ticket timetable tournament tower town trade
		tradition traffic trail train transport treaty trial tribunal tunnel university uprising vaccine valley vehicle
		verdict village vineyard violin visitor volcano vote voyage wage warehouse warning water weather website
		wedding wildlife window winter witness workshop writer`),
	adjectives: words(`able abandoned ambitious ancient annual anonymous average awkward bitter bold brief bright broken
		busy calm careful central cheap civil clean clever coastal cold common complete complex costly crowded curious
		current daily dangerous decent deep delicate digital distant domestic double dry early eastern elaborate elderly
		electric empty enormous entire equal exact expensive faint fair familiar famous federal final fine flat foreign
		fragile free fresh full gentle global golden grand green hidden historic hollow honest huge independent
		industrial informal joint junior large late lean legal light likely little local lonely long loud lucky lunar
		magnetic marine medical mild military minor modern modest mutual narrow national native nervous northern
		obscure odd official old online open ordinary outer overdue parallel patient permanent plain polite popular
		powerful precious private proper proud public quick quiet rapid rare raw reluctant remote rich rival rough round
		royal rural safe secret senior separate serious shallow sharp short silent simple slow small solar solid
		southern spare special spoken square stable steady steep strange strict strong sudden technical temporary
		thin tidal tired tough tropical unlikely unpaid unusual urban useful usual vacant vague vast violent visible
		vital warm weak western wide wild wooden yearly young`),
	verbs: words(`abandoned accepted accused acquired adjusted admired adopted announced approved arranged attacked avoided
		backed banned blamed blocked borrowed bought broke built cancelled carried celebrated challenged changed checked
		chose claimed cleared closed collected compared completed condemned confirmed confused considered contained
		copied corrected counted created criticised crossed dated declined defended defied delayed delivered demanded
		described designed destroyed discovered discussed dismissed divided doubled drafted drew dropped earned edited
		ended examined expanded expected explained exported extended feared financed finished followed forced forgot
		found funded granted guarded halted halved helped hid hired hosted ignored improved included increased
		inherited inspected interrupted invented joined judged kept launched left limited linked located lost
		maintained managed measured mended merged missed moved named needed noticed obtained offered opened opposed
		ordered overtook owned paid painted passed planned postponed praised predicted prepared presented prevented
		printed produced promised protected proved published purchased questioned raised reached received recorded
		recovered reduced refused rejected released removed renamed repaired repeated replaced reported rescued restored
		revealed reversed reviewed ruined sank saved scrapped searched shared shook signed simplified sold solved
		spoiled started stopped studied suggested supported surprised suspended tested threatened toured traced trained
		translated trusted uncovered upset visited warned watched weakened welcomed won wrote`),
	times: words(`yesterday today tonight on-Monday on-Tuesday on-Friday last-week last-month this-spring this-autumn in-June
		in-March before-dawn at-noon after-midnight during-lunch over-Easter since-winter`),
	syllables: words(`al an ar ba bel ber bo bran cal car cor da dan del dor el en er fal fen fin ga gal gor gran ha hal har
		hen il in jar jo kel ker kin la lan lin lo lor ma mar mel mi mon na nel nor o or os pa per pol ra ran ren ri ro
		sal san sel sor ta tan tel tor u ul va val ver vin wal wen wil yar yor za zel zor`),
	sentences: lines(`
the {a} {n} {v} the {n} of {o} in {p}
{w}, who leads the {n} at {o}, {v} a {a} {n} and later {v} the {n}
in {p}, the {n} {v} more than {#} members of the {a} {n} {t}
“the {n} never {v} our {n},” said {w}, whose {a} {n} {v} {p} {t}
it’s not the {n} that {v} the {n} – it’s the {a} {n}, according to {w}
according to {w}, {o} {v} its {a} {n} {t} because a {n} {v} the {n}
after a {a} {n}, the {n} of {p} {v} {w} and the {a} {n}
nobody at {o} expected that the {n} {v} a {n}, a {n} and a {a} {n}
the {n} is {a}, the {n} is {a}, and the {n} that {w} {v} isn’t either
while {p} {v} the {n}, a {a} {n} from {p} quietly {v} its {n}
{#} of the people in {p} say that the {n} {v} their {a} {n} {t}
what {w} {v} was a {n}; what {p} needed was a {a} {n}
a {n} without a {n} is only a {a} {n}, as {w} of {o} {v} {t}`),
	headlines: lines(`
{o} {v} {a} {n} in {p}
how {w} {v} the {n}
why the {a} {n} {v} {p}
{p}’s {n} {v} a {a} {n}
{w} on the {n} that {v} {o}
the {n}, the {n} and {p}
inside the {a} {n} of {o}
a {a} {n} for {p}`),
	phrases: phrases("Update", "(Updated)", "Correction", "Copyright by the publisher. All rights reserved, also those of translation."),
}
