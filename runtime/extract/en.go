package extract

func english() *language {
	return &language{
		country: "US", numberFirst: true, clockSign: "at", short: map[string]string{"h": "hours", "m": "minutes", "s": "seconds"},
		numerals: map[string]int32{
			"zero": 0, "nought": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
			"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
			"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": wordDozen,
			"hundred": wordHundred, "thousand": wordThousand, "million": wordMillion, "and": wordAnd, "point": wordPoint, "minus": wordMinus, "negative": wordMinus,
			"a": wordA, "oh": wordOh, "o": wordOh, "double": wordDouble, "triple": wordTriple, "plus": wordPlus,
		},
		ordinals: map[string]int8{
			"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11,
			"twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
			"twentieth": 20, "thirtieth": 30,
		},
		weekdays: [7]string{"monday monday's mon", "tuesday tuesday's tue tues teusday", "wednesday wednesday's wed wensday wednsday wendsday", "thursday thursday's thu thur thurs",
			"friday friday's fri", "saturday saturday's", "sunday sunday's"},
		each:   [7]string{"mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"},
		months: [12]string{"january jan", "february feb febuary", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec"},
		units: map[unit]string{second: "second seconds sec secs", minute: "minute minutes min mins", hour: "hour hours hr hrs", day: "day days", week: "week weeks",
			month: "month months", year: "year years"},
		halves: [2]string{"am", "pm"},
		signs:  map[byte]string{'.': "dot point period", '_': "underscore", '-': "dash hyphen minus", '+': "plus"},
		parts: []dayPart{
			{"morning mornings", 9 * 60, true, forenoon},
			{"afternoon afternoons", 14 * 60, true, afternoon},
			{"evening evenings", 17 * 60, true, evening},
			{"tonight tonight's night nights", 17 * 60, true, nighttime},
			{"lunchtime", 12 * 60, true, afternoon},
		},
		lists: []list{
			{filler, englishFillers}, {correction, "no nope wait actually sorry mean meant rather scratch correction oops"}, {negation, "not isn't"}, {why, "why if"},
			{polite, "please thanks thank you ok okay then cheers"}, {title, "mr mrs ms miss dr doctor professor mister"},
			{particle, "de da del della di du la le van von der den bin ibn al el dos san"}, {given, givenNames}, {common, englishCommon},
			{measure, "percent degrees degree dollars dollar euros euro pounds bucks people persons guests times miles mile meters metres feet foot inches kilometers kilograms grams liters cups cup bedrooms rooms items pieces eggs tickets"},
			{street, "street st avenue ave av road rd drive dr lane ln boulevard blvd court ct place pl way terrace circle cir square sq parkway pkwy crescent highway hwy close alley row walk plaza trail grove gardens hill mews broadway"},
			{direction, "north south east west northeast northwest southeast southwest n s e w ne nw se sw"}, {timed, "fortnight"}, {unitWord, "apartment apt unit suite flat floor"},
			{placeNoun, englishPlaces}, {noPlace, englishNoPlaces},
			{spokenAt, "at"}, {spokenDot, "dot point period"}, {topDomain, "com org net edu gov io co uk de fr nl fm dev app info biz me us ca au at ch eu tv mail"},
			{lead, "at on by for in before after around until till from this about the starting beginning"}, {domainless, "is to it's at the my are as address email and for with mail me"},
		},
		unfit: says("doesn't|does not? work|suit|fit", "don't work", "won't work|do", "is|isn't|are not|no? good|possible|bad|impossible|booked|full", "is not good|possible|ideal", "isn't ideal|great|convenient|possible|good",
			"is? no good|use", "is bad|out|impossible|taken"),
		denied: says("instead of", "rather than", "can't do|make|come|on", "cannot do|make", "anything but", "any day but", "except for?", "anytime but"),

		dateRules:       englishDateRules(),
		momentRules:     englishMomentRules(),
		timeRules:       englishTimeRules(),
		durationRules:   englishDurationRules(),
		recurrenceRules: englishRecurrenceRules(),
		frames:          englishFrames(),
		cities:          englishCities,
	}
}

func englishDateRules() *ruleset {
	return rules(
		on("today|today's|tonight|tonight's \n this #p \n later today", ahead(0)),
		on("tomorrow|tomorrow's|tomorow|tommorow|tommorrow|tomorrows \n to morrow", ahead(1)),
		on("the? day after tomorrow \n the? day after to morrow", ahead(2)),
		on("yesterday|yesterday's \n last night", ahead(-1)),
		on("the? day before yesterday", ahead(-2)),
		on("#d", coming(1)),
		on("this|coming #d \n this coming #d \n the coming #d", coming(0)),
		on("next #d \n #d next week \n next week on? #d \n #d of next week", weekdayIn(1)),
		on("the? #d after next \n the week after next on? #d", weekdayIn(2)),
		on("last #d \n this? past #d", past),
		on("#m the? #o|#x #y? \n the? #o|#x of? #m #y? \n the? #o day of #m", monthDay),
		on("the? #o #d in|of #m #y?", weekdayOfMonth),
		on("the? last #d in|of #m #y?", lastWeekdayOfMonth),
		on("#d the? #o|#x of? #m #y? \n #d #m the? #o|#x #y?", monthDay),
		on("next|this? #d the? #o", dayOfMonth),
		on("the #o", bareDay),
		on("#o", bareAsked),
		on("the? #o of next month \n next month on? the? #o", nextMonthDay),
		on("the? #o of this month", dayOfMonth),
		on("in about? #t \n in #t time|times|time's \n #t from now|today \n #t today", after),
		on("#t ago", before),
		on("#t from|after tomorrow \n #t tomorrow", afterDays(1)),
		on("#t from|after|on next? #d ", afterWeekday),
		on("#d week", weekAfter),
		on("let's|lets say|do|make the #o \n make it the #o \n how|what about the #o", suggestedDay),
		on("the? last day of the|this month", lastOfMonth(0)),
		on("the? last day of next month", lastOfMonth(1)),
		on("christmas eve", yearly(12, 24)),
		on("christmas day", yearly(12, 25)),
		on("boxing day", yearly(12, 26)),
		on("new year's|years eve", yearly(12, 31)),
		on("new year's|years day", yearly(1, 1)),
		on("valentine's|valentines day", yearly(2, 14)),
		on("#x", askedDay),
	)
}

func englishMomentRules() *ruleset {
	return rules(on("in about|around|roughly? #t \n #t from now \n in #t time \n in just|another? #t", fromNow))
}

func englishTimeRules() *ruleset {
	return rules(
		on("half past|passed|pass|after #h #a?", relative(1, 30)),
		on("half past|passed for|to|too|ate #a?", misheardNear(1, 30)),
		on("half #h #a?", relative(1, 30)),
		on("a? quarter past|passed|pass|after #h #a?", relative(1, 15)),
		on("a? quarter past|passed for|to|too|ate #a?", misheardNear(1, 15)),
		on("a? quarter to|too|till|til|until|before|of|two #h #a?", relative(-1, 15)),
		on("a? quarter to|till for|to|too|ate #a?", misheardNear(-1, 15)),
		on("at|by|around|before|after|until? #n #u? past|passed|after #h #a? \n make it|that #n #u? past|after #h #a? \n let's|lets do|say|make #n #u? past|after #h #a?", relative(1, 0)),
		on("at|by|around|before|after|until? #n #u? to|till|til|before|of #h #a? \n make it|that #n #u? to|till|til|before #h #a? \n let's|lets do|say|make #n #u? to|till|til|before #h #a?", relative(-1, 0)),
		on("at|by|before|after|around|until|about? #h o'clock|oclock #a? \n at|by|before|after|around|until|about? #h o clock #a?", sure),
		on("#h #i? #a \n #c #a", oclock),
		on("#c", colon),
		on("at|by|before|after|around|until|till|til|past|round|since #h #i? #a? ish? \n at|by|before|after|around|until #c #a?", sure),
		on("between|from #h #i? #a?", opening),
		on("at about|around|like|exactly|roughly|maybe|say|probably #h #i? #a?", sure),
		on("make it|that #h #i? \n let's|lets do|say|make #h #i? \n how|what about #h #i?", small),
		on("#h #i", usualMinutes),
		on("#h #i? in the #p \n #h #i? at|this? #p \n #h #i? tomorrow|today #p", sure),
		on("#p at|around|about? #h #i? \n #p at around|about #h #i? \n #p by|before|after #h #i?", sure),
		on("twelve? noon|midday|noontime", fixed(12*60)),
		on("twelve? midnight", fixed(0)),
		on("at? for #a \n at for #i #a? \n at for o'clock|oclock \n at for o clock", misheard(4)),
		on("at? to|too #a \n at to|too #i #a? \n at to|too o'clock|oclock \n at to|too o clock", misheard(2)),
		on("at? ate #a \n at ate o'clock|oclock \n at ate o clock \n at ate #i? #a?", misheard(8)),
		on("#h sharp|ish", sure),
		on("#h #i?", openingHalf),
		on("#h #i? \n #c", asked),
	)
}

func englishDurationRules() *ruleset {
	return rules(
		on("#n #u", counting(0)),
		on("#n and a? half #u \n #n #u and a half", counting(.5)),
		on("a|an|one #u and a half", several(1.5)),
		on("a|an|one #u and a quarter", several(1.25)),
		on("half an|a #u \n a half #u \n half #u", several(.5)),
		on("a|an #u", several(1)),
		on("a? couple of? #u", several(2)),
		on("a? quarter of an #u \n a quarter #u", several(.25)),
		on("three quarters of an #u", several(.75)),
		on("an hour #n minutes?|mins? \n an hour and #n", length(hour, 1)),
		on("#n hour|hours #n", hoursAnd),
		on("#n hours|hour #n minutes|mins", length(hour)),
		on("a fortnight", length(day, 14)),
	)
}

func englishRecurrenceRules() *ruleset {
	return rules(
		on("every|each single? #u \n once a|per|each|every #u \n one time a|per #u", everyUnit(1, noUnit)),
		on("every #n #u \n once every #n #u", everyUnit(0, noUnit)),
		on("every other|second #u", everyUnit(2, noUnit)),
		on("every third #u", everyUnit(3, noUnit)),
		on("daily", everyUnit(1, day)),
		on("weekly", everyUnit(1, week)),
		on("monthly", everyUnit(1, month)),
		on("yearly|annually", everyUnit(1, year)),
		on("hourly", everyUnit(1, hour)),
		on("biweekly|fortnightly", everyUnit(2, week)),
		on("everyday", everyDay),
		on("every|each #w \n every week on #w \n weekly on #w \n #D \n #w every week \n every single #w", everyWeekday(1, 0)),
		on("every #n weeks? on #w", everyWeekday(0, 0)),
		on("every other|second #d \n every two weeks on #d \n every other week on #d", everyWeekday(2, 0)),
		on("every|each|on? weekday|weekdays|workday|workdays \n every|each working|work|business day", everyWeekday(1, workdays)),
		on("monday to|through|thru friday", workweek),
		on("every|each weekend \n on? weekends \n the? weekends", everyWeekday(1, weekend)),
		on("the? #o of every|each|the month \n every|each month on the? #o \n monthly on the? #o \n the? #o day of every|each|the month \n every #o of the month \n the #o every|each month", everyMonth),
		on("the? last day of every|each month", onMonthDay(-1)),
		on("the? #o #d of every|each|the month \n every|each #o #d of the month \n every|each month on the? #o #d \n the? #o #d every|each month", everyMonthWeekday(0)),
		on("the? last #d of every|each|the month \n every|each last #d of the month \n every|each month on the? last #d", everyMonthWeekday(-1)),
		on("every|each year on the? #o of #m \n every|each year on #m the? #o|#x \n every|each #m the? #o|#x \n #m the? #o|#x every|each year \n the? #o of #m every|each year \n yearly on #m #o|#x \n every #o of #m", everyYear),
		on("every|each #p", everyPart),
	)
}

func englishFrames() frames {
	return frames{
		nameIs: says("name is", "name's", "names", "name was", "name will be", "name of", "under the? name", "under the name of", "first name", "last name", "first name is", "last name is",
			"surname is?", "name is actually|uh|um|now", "name it's", "name would be", "name should be", "customer|client|neighbor|he|she is called", "he's|she's called", "it's|its|is|booked|put|reservation|appointment under", "put|book|file it? under"),
		nameMaybe: says("i'm", "i am", "im", "this is", "it's", "its", "it is", "that's", "that is", "for", "with", "call me", "under", "call", "phone", "ring", "contact", "customer is", "speaking to", "for my|our? friend|colleague|wife|husband|boss|mother|father|daughter|son",
			"with my|our? friend|colleague|wife|husband|boss|sister|brother", "name", "as", "here is", "client is", "should be"),
		speaking: words("speaking"), calling: words("here"),
		lastName: words("last surname"),
		titles:   map[string]string{"mr": "Mr.", "mister": "Mr.", "mrs": "Mrs.", "ms": "Ms.", "miss": "Miss", "dr": "Dr.", "doctor": "Dr.", "professor": "Professor"},
		answer: says("it's", "its", "it is", "that's", "that is", "that would be", "this is", "i'm", "i am", "the|my name is", "my name's", "yes|yeah|sure", "put it? under", "under", "call me", "i think", "just",
			"you can call me", "the name is", "name is", "write down", "just? put", "my|the address is", "here", "for", "remind me", "the answer is"),
		remind: says("remind me", "remind us", "a|the|new|another reminder", "reminder to|for|that|about", "let me forget", "need to remember", "want to remember", "have to remember", "must remember", "sure i remember",
			"make sure i don't forget", "make sure that i don't forget", "set reminder", "add reminder", "create reminder", "i can't forget", "i mustn't forget", "i must not forget", "don't forget", "remember to", "be reminded", "get reminded"),
		link: says("to", "that", "about", "of", "for", "for me", "i have to", "i need to", "i should", "i must", "i've got to", "i gotta", "i want to", "i'm supposed to", "that i have|need|want to", "that i should|must", "saying", "which says", "called", "please", "again",
			"it's time to", "we have|need to"),
		messageEnd: words("for later"), remindAsk: says(),
		question: words("what what's when where who why how which whether again later me is are do does did"),

		placeLead: words("in at near to from around for into inside outside by"), weakLead: words("for by around"),
		placeOf: says("weather|forecast|temperature|climate in|for|at|near|around", "live|lives|living|located|based|stay|staying in|near", "is it in", "raining|snowing|sunny|warm|cold|hot|windy|cloudy|humid|rain|snow in|at",
			"place called", "city of", "town of", "weather like in|at", "i'm|i am in", "fly|flying|travel|traveling|moving|drive|driving to", "time in", "weather be in|like? in"),
		article: words("the a my our your his her their"),

		noDay:    words("black cyber casual taco manic bloody super"),
		afterDay: words("is would works work sounds will should looks was if or and might could suits good fine instead but that it we i can maybe too as"),
		ofWhole:  words("of cup teaspoon tablespoon inch full finished"),
		ago:      words("ago earlier"), per: words("a an"), lasting: words("for takes take lasts last about within lasting"),
		code: words("order invoice account ticket case reference booking confirmation pin code zip room channel serial article model tracking flight gate version policy"),
		span: words("between from"), either: words("or"), amounts: words("volume brightness temperature thermostat increase decrease raise lower dim dimmer louder quieter brighter warmer cooler turn"), amountLead: words("by to"),
		wordNames: words("will may april june august art hope joy faith summer dawn chase penny rich miles page drew chip gene rose lily autumn jade ivy iris olive pearl violet daisy mark grace"), until: words("and to until till or through -"), bareHour: say("#h #i? #a?"),
		beforePart: says("in the", "during the", "sometime in the", "first thing in the", "later", "early", "late", "in the early", "in the late", "this", "at", "early in the"),
		noPart:     words("good last all whole wedding date game movie opening fine lovely nice great wonderful"),
		noPartOf:   words("light lights mode routine news shift person sickness tea coffee show owl stand club out dress star everyone everybody folks"),
		plural: func(t token) bool {
			n := len(t.lower)
			return n > 3 && !t.digits && t.lower[n-1] == 's' && t.lower[n-2] != 's' && t.lower[n-2] != '\'' && !t.entry.is(common|filler|polite|correction|lead) && t.entry.weekday == 0 && t.entry.part == 0 && t.entry.unit == noUnit
		},
		area: words("area"), dialFiller: words("then and dash area code hyphen space the number is uh um"),
		emailIs: words("is address it's email"),
		dayLead: words("on by until till before after for from since"), plainDay: words("today tomorrow tonight yesterday"), plainLead: words("by until before for from till"),
		travel: words("drive walk ride flight trip away old later"), fractions: words("thirds quarters halves fifths tenths third"),
		hesitation: words("uh um er erm hmm"),
		placeWord:  words("living dining laundry guest main master front kids family play new old bad big little great high long upper lower saint st fort port"),
		beforeOne:  words("to volume number level channel setting minus option"),

		digitHeard: map[string]int{"to": 2, "too": 2, "for": 4, "ate": 8}, addressLead: words("at is it's its"),
		wholeStreet: words("broadway"), noStreet: words("way bedroom star minute hour mile lane story bathroom car person from"),
		abbreviations: map[string]string{"st": "Street", "ave": "Avenue", "av": "Avenue", "rd": "Road", "dr": "Drive", "ln": "Lane", "blvd": "Boulevard", "ct": "Court", "pl": "Place", "cir": "Circle", "sq": "Square", "pkwy": "Parkway", "hwy": "Highway"},
	}
}
