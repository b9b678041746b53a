package extract

import (
	"strings"
	"time"
)

func german() *language {
	return &language{
		country: "DE", compounds: true, clockSign: "um", short: map[string]string{"h": "stunden", "m": "minuten", "s": "sekunden"},
		thousand: "tausend", joint: "und", joined: map[string]string{"ein": "eins"},
		numerals: germanNumerals(), ordinals: germanOrdinals(),
		streetEnds: []string{"straße", "strasse", "str", "gasse", "weg", "allee", "platz", "ring", "damm", "ufer", "steig", "chaussee", "markt"},
		weekdays:   [7]string{"montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag sonnabend", "sonntag"},
		each:       [7]string{"montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags sonnabends", "sonntags"},
		months: [12]string{"januar jänner jan", "februar feber feb", "märz maerz", "april apr", "mai", "juni juno", "juli", "august aug", "september sept", "oktober okt", "november nov",
			"dezember dez"},
		units: [7]string{"sekunde sekunden", "minute minuten min", "stunde stunden std", "tag tage tagen", "woche wochen", "monat monate monaten", "jahr jahre jahren"},
		signs: map[byte]string{'.': "punkt", '_': "unterstrich", '-': "bindestrich minus strich", '+': "plus"},
		parts: []dayPart{
			{"früh morgens vormittag vormittags morgen", 9 * 60, forenoon},
			{"mittag mittags", 12 * 60, afternoon},
			{"nachmittag nachmittags", 14 * 60, afternoon},
			{"abend abends", 17 * 60, evening},
			{"nacht nachts", 17 * 60, nighttime},
		},
		lists: []list{
			{filler, germanFillers}, {correction, "nein nee ne nö doch lieber quatsch entschuldigung entschuldige sorry meine meinte moment korrektur halt sondern"}, {negation, "nicht statt anstatt kein keinen"},
			{why, "warum wieso weshalb"}, {polite, "bitte danke dankeschön okay ok gerne schön"}, {title, "herr frau dr doktor professor herrn"}, {particle, "von van zu de der am im an auf zum zur"},
			{given, germanGiven}, {given, givenNames}, {common, germanCommon},
			{measure, "prozent grad euro cent personen leute gäste mal kilo kilogramm gramm liter meter kilometer stück tassen eier zimmer karten dollar"},
			{street, "straße strasse str weg platz allee gasse ring markt ufer damm"}, {timed, "dreiviertelstunde viertelstunde"},
			{placeNoun, germanPlaces}, {noPlace, germanNoPlaces}, {spokenAt, "at ät äd klammeraffe"},
			{topDomain, "de com org net at ch eu info io fr nl biz app"},
			{lead, "um am ab bis vor nach gegen für in im den der dem von vom zum seit auf"}, {domainless, "ist lautet an die meine der das adresse email mail und für unter mir es"},
		},
		unfit:  says("geht|passt|klappt nicht", "passt|geht mir|uns|da|leider nicht", "ist schlecht|unmöglich|ungünstig|belegt", "geht|passt leider nicht"),
		denied: says("anstelle von", "kann ich nicht am?"),

		dateRules:       germanDateRules(),
		momentRules:     germanMomentRules(),
		timeRules:       germanTimeRules(),
		durationRules:   germanDurationRules(),
		recurrenceRules: germanRecurrenceRules(),
		frames:          germanFrames(),
		cities:          germanCities + "," + englishCities,
	}
}

func germanDateRules() *ruleset {
	return rules(
		days("heute \n heute #p", ahead(0)),
		days("morgen", tomorrowOrMorning),
		days("übermorgen|uebermorgen", ahead(2)),
		days("gestern \n gestern abend|morgen|nacht", ahead(-1)),
		days("vorgestern", ahead(-2)),
		days("#d", coming(1)),
		days("diesen|dieser|diesem|kommenden|kommender|kommendem #d", coming(0)),
		days("nächsten|nächster|nächste|naechsten|nächstem #d \n nächste woche am? #d \n #d nächste|nächster woche \n #d in der? nächsten woche", weekdayIn(1)),
		days("letzten|letzter|vergangenen #d", past),
		days("den|dem|der? #o #m #y? \n #d den|dem|der? #o #m #y? \n #x #m #y?", monthDay),
		days("am|den|dem|der? #o #d im #m #y?", weekdayOfMonth(0)),
		days("am|den|dem|der? letzten|letzte #d im #m #y?", weekdayOfMonth(-1)),
		days("#d den|dem|der #o", weekdayOnDay),
		days("den|dem|der #o", bareDay),
		days("#o", bareAsked),
		days("am|den|vom|zum|bis? #o #o #y?", monthByNumber),
		days("den|dem|der? #o nächsten monats \n nächsten monat am #o", nextMonthDay),
		days("in etwa|ungefähr|circa? #t \n heute in|über #t", after(1, ahead(0))),
		days("am? letzten|letzter tag des|diesen|dieses monats", lastOfMonth(0)),
		days("am? heiligabend", yearly(12, 24)),
		days("am? silvesterabend \n an|zu|bis silvester", yearly(12, 31)),
		days("am|an? neujahrstag|neujahrsmorgen|neujahr", yearly(1, 1)),
		days("am ersten weihnachtstag|weihnachtsfeiertag", yearly(12, 25)),
		days("am zweiten weihnachtstag|weihnachtsfeiertag", yearly(12, 26)),
		days("vor #t", after(-1, ahead(0))),
		days("morgen in|über #t", after(1, ahead(1))),
		days("#d in|über #t", after(1, coming(1))),
		days("#x", askedDay),
	)
}

func germanMomentRules() *ruleset {
	return rules(on("in etwa|ungefähr|circa|rund|gut? #t \n in den nächsten #t", fromNow))
}

func germanTimeRules() *ruleset {
	return rules(
		on("halb #h", relative(-1, 30)),
		on("viertel nach #h \n viertel nach #h uhr", relative(1, 15)),
		on("viertel vor #h \n viertel vor #h uhr \n dreiviertel|dreiviertl #h", relative(-1, 15)),
		on("viertel #h", relative(-1, 45)),
		on("um|gegen? fünf vor halb #h", relative(-1, 35)),
		on("um|gegen? fünf nach halb #h", relative(-1, 25)),
		on("um|gegen|bis|ab? #n #u? nach #h uhr?", relative(1, 0)),
		on("um|gegen|bis|ab? #n #u? vor #h uhr?", relative(-1, 0)),
		on("#h uhr #i? \n #h uhr #i? #p \n #c uhr #p?", sure),
		on("#c", colon),
		on("um|gegen|ab|bis|nach|vor|so|erst|schon #h uhr? #i? \n um|gegen|ab|bis|nach|vor #c uhr?", sure),
		on("um|gegen|ab|bis #h uhr? #i? #p", sure),
		on("so|etwa|ungefähr um|gegen #h #i?", sure),
		on("zwischen|von #h uhr? #i?", opening),
		on("sagen wir #h", small),
		on("zwölf? mitternacht", fixed(0)),
		on("#h uhr? #i? \n #c uhr?", asked),
	)
}

func germanDurationRules() *ruleset {
	return rules(
		on("#n #u", length(noUnit)),
		on("eine|einer|einem|einen|ein #u", length(noUnit, 1)),
		on("eine|einer|einem? halbe|halben|halber|halbes #u \n ein halbes #u", length(noUnit, .5)),
		on("#n stunde|stunden #n", hoursAnd),
		on("anderthalb|eineinhalb|eineinhalben #u", length(noUnit, 1.5)),
		on("zweieinhalb|zweieinhalben #u", length(noUnit, 2.5)),
		on("dreieinhalb #u", length(noUnit, 3.5)),
		on("viereinhalb #u", length(noUnit, 4.5)),
		on("eine|einer? viertelstunde", length(minute, 15)),
		on("eine|einer? dreiviertelstunde \n drei viertel stunden", length(minute, 45)),
	)
}

func germanRecurrenceRules() *ruleset {
	return rules(
		on("jede|jeden|jedes #u \n einmal am|im|pro|die #u \n einmal in der #u", everyUnit(1, noUnit)),
		on("alle #n #u", everyUnit(0, noUnit)),
		on("jede|jeden|jedes zweite|zweiten|zweites #u", everyUnit(2, noUnit)),
		on("jede|jeden|jedes dritte|dritten|drittes #u", everyUnit(3, noUnit)),
		on("täglich|taeglich|tagtäglich", everyUnit(1, day)),
		on("wöchentlich", everyUnit(1, week)),
		on("monatlich", everyUnit(1, month)),
		on("jährlich", everyUnit(1, year)),
		on("stündlich", everyUnit(1, hour)),
		on("jeden tag außer|ausser|bis auf? am? #w \n täglich|taeglich|tagtäglich außer|ausser am? #w", everyDayBut(everyDays)),
		on("werktags außer|ausser am? #w \n jeden werktag|arbeitstag außer|ausser am? #w", everyDayBut(workdays)),
		on("jeden #w \n #D \n immer #D \n immer am #w \n jede woche am? #w", everyWeekday(1, 0)),
		on("jeden zweiten #d", everyWeekday(2, 0)),
		on("alle #n wochen am? #w \n alle #n wochen immer? #D", everyWeekday(0, 0)),
		on("werktags \n an werktagen \n jeden werktag|arbeitstag \n unter der woche", everyWeekday(1, workdays)),
		on("montag|montags bis freitag|freitags", workweek),
		on("jedes wochenende \n an wochenenden", everyWeekday(1, weekend)),
		on("am #o jeden|jedes|des monats \n jeden monat am #o \n monatlich am #o \n jeden #o des monats|im", everyMonth(0)),
		on("am|zum|jeden? monatsersten", everyMonth(1)),
		on("am|zum|jeden? monatsletzten", everyMonth(-1)),
		on("am|jeden #o #d im|jeden|des monat|monats \n jeden monat am #o #d", everyMonthWeekday(0)),
		on("am|jeden letzten #d im|jeden|des monat|monats", everyMonthWeekday(-1)),
		on("jedes jahr am #o #m \n jährlich am #o #m \n am #o #m jedes jahr \n jeden #o #m", everyYear),
		on("jeden|jede #p", everyUnit(1, day)),
	)
}

// tomorrowOrMorning is "morgen" where it is a day and no part of one.
func tomorrowOrMorning(s *speech, c *capture) time.Time {
	if s.frames.partAfter["morgen"][s.at(c.from-1)] || s.frames.noPart[s.at(c.from-1)] {
		return time.Time{}
	}
	return ahead(1)(s, c)
}

// germanBelow are the numbers below a hundred, and how a one-digit number stands before more of its word.
func germanBelow() (below, joined []string) {
	below = strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn " +
		"sechzehn siebzehn achtzehn neunzehn")
	joined = append([]string{"", "ein"}, below[2:10]...)
	for ten := range strings.FieldsSeq("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig") {
		below = append(below, ten)
		for _, one := range joined[1:] {
			below = append(below, one+"und"+ten)
		}
	}
	return below, joined
}

// germanNumerals are all numbers below a thousand: they are written as one word.
func germanNumerals() map[string]int32 {
	all := map[string]int32{"zwo": 2, "fuenf": 5, "zwoelf": 12, "dreissig": 30, "hundert": wordHundred, "tausend": wordThousand,
		"million": wordMillion, "millionen": wordMillion, "und": wordAnd, "komma": wordPoint, "minus": wordMinus, "doppel": wordDouble,
		"doppelt": wordDouble, "zweimal": wordDouble, "dreimal": wordTriple, "plus": wordPlus}
	for n, stem := range germanStems()[2:11] { // "zu dritt"
		all[stem] = int32(n + 2)
	}
	below, joined := germanBelow()
	for n, word := range below {
		all[word] = int32(n)
		for hundreds, before := range joined {
			if n == 0 {
				word = ""
			}
			if hundreds > 0 || n > 0 {
				all[before+"hundert"+word] = int32(max(hundreds, 1)*100 + n)
			}
		}
	}
	return all
}

// germanStems are what the ordinals up to 31 have before their endings.
func germanStems() []string {
	below, _ := germanBelow()
	stems := below[:32]
	for n, word := range stems {
		stems[n] = word + "t"
		if n >= 20 {
			stems[n] = word + "st"
		}
	}
	stems[1], stems[3], stems[7], stems[8] = "erst", "dritt", "siebt", "acht"
	return stems
}

func germanOrdinals() map[string]int8 {
	all := map[string]int8{}
	for n, stem := range germanStems()[1:] {
		for _, end := range []string{"e", "en", "er"} {
			all[stem+end] = int8(n + 1)
		}
	}
	return all
}

func germanFrames() frames {
	return frames{
		nameIs: says("name ist", "ich heiße|heisse", "heiße|heisse", "auf den namen", "name lautet", "namens", "nachname ist?", "vorname ist?", "unter dem namen", "name wäre"),
		nameMaybe: says("ich bin", "bin ich? die|der", "hier ist", "hier ist die|der", "hier spricht", "das ist", "für", "mit", "nenn mich", "es ist", "für meinen|meine mann|frau|sohn|tochter|freund|freundin",
			"hier", "ist der|die", "für den|die", "mit dem|der", "am apparat ist"),
		speaking: set{}, calling: words("hier"),
		lastName: words("nachname"),
		titles:   map[string]string{"herr": "Herr", "herrn": "Herr", "frau": "Frau", "dr": "Dr.", "doktor": "Dr.", "professor": "Professor"},
		answer: says("das ist", "es ist", "das wäre", "hier ist", "mein name ist", "ich heiße", "ich bin", "ich bin die|der", "der name ist", "ja", "die adresse ist", "meine adresse ist", "ich wohne", "ich wohne in der", "auf den namen",
			"in der", "in", "in dem", "im", "daran"),
		remind: says("erinnere|erinner mich|uns", "erinnerung", "erinnerung an|für", "vergiss nicht", "denk daran|dran", "muss daran|dran denken", "darf nicht vergessen", "lass mich nicht vergessen", "erinnerst du mich",
			"nicht vergessen", "vergiss nicht mich|uns"),
		link:       says("daran", "daran erinnern", "daran erinnern dass ich|wir", "dran", "dass", "dass ich|wir", "daran dass ich|wir", "an", "zu", "ich muss|soll|sollte", "bitte", "auch", "für", "bitte daran", "ein"),
		messageEnd: words("muss soll sollte müssen erinnern"), messageJoin: words("zu"),
		remindAsk: says("kannst|könntest|würdest|kannste du mich|uns", "können|könnten|würden sie mich|uns"), remindEnd: words("erinnern"),
		question: words("was wann wo wer wie warum welche ob wenn nicht später ist sind"),

		placeLead: words("in im nach aus bei zu zur zum auf am beim"), weakLead: words("nach bei zu zum zur auf aus am im beim"),
		placeOf: says("wetter|temperatur|vorhersage in|für", "wetter morgen|heute in", "wohne|lebe|lebt in", "regnet|schneit es in", "regnet|schneit es morgen|heute in", "warm|kalt|heiß ist es in", "warm|kalt|heiß in", "uhr ist es in",
			"wetter wird in", "es in"),
		article: words("der die das den dem einem einer meiner meinem unserem unserer"),

		afterDay: words("ist wäre passt geht oder und würde um ab nachmittags vormittags abends früh mir uns"),
		ofWhole:  words("von der liter"), agoLead: words("vor"), ago: words("her zuvor vorher"), per: words("ein eine einen einer einem"), lasting: words("für dauert etwa lang"),
		code: words("bestellnummer rechnungsnummer kundennummer auftragsnummer vertragsnummer bestellung rechnung postleitzahl plz pin code vorgang artikelnummer"),
		span: words("zwischen von"), either: words("oder"), amounts: words("lautstärke helligkeit temperatur lauter leiser heller dunkler wärmer kälter"), amountLead: words("um auf"), until: words("und bis oder"), bareHour: pattern{say: "#h uhr? #i?"},
		beforePart: says("am", "am frühen", "am späten", "in der"),
		noPart:     words("guten gute schönen gut jeden-tag ganzen ganze"),
		noPartOf:   words("essen routine licht modus"),
		partAfter:  map[string]set{"morgen": words("heute am jeden frühen gestern diesen jedem"), "früh": words("morgen heute übermorgen montag dienstag mittwoch donnerstag freitag samstag sonntag jeden")},

		andHalf: says("einhalb", "und ein|eine halb|halbe|halbes"), andQuarter: says("einviertel", "und ein viertel"), andThree: says("und drei viertel|dreiviertel"),
		surnames: words("kurz lang lange klein groß gut stark schnell jung alt schwarz weiß braun grün roth früh lieb recht klar sommer winter halb ganz toll spät"),
		dayLead:  words("am bis vom ab zum zwischen"), plainDay: words("heute morgen übermorgen gestern"), plainLead: words("bis ab von seit für"),
		travel: words("fahrt autofahrt fußweg entfernt alt später"), fractions: words("drittel viertel fünftel zehntel hälften"),
		hesitation: words("äh ähm öhm hm"),
		placeWord:  words("bad sankt neu alt klein groß st"),
		dialFiller: words("und dann strich die vorwahl ist äh"), emailIs: words("ist lautet email mail"), beforeOne: words("auf kanal lautstärke stufe minus"),
		wholeStreet: set{}, noStreet: set{}, abbreviations: map[string]string{"str": "Straße", "strasse": "Straße"},
	}
}
