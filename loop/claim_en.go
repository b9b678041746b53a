package loop

var claimEnglish = claimWords{
	lists: map[string]string{
		"lead": `ok okay sure sure_thing yes yep yeah great great_news good good_news perfect alright all_right right right_away
			got_it understood no_problem certainly of_course absolutely gladly wonderful excellent awesome fantastic there
			there_you_go here_you_go here_we_go done and so then now hi hello thanks thank_you as_requested as_you_wish no_worries
			good_night good_morning very_well fine super and_done just immediately`,
		"adv": `now just already also then successfully finally gone_ahead_and went_ahead_and go_ahead_and right_away indeed
			both all immediately quickly simply officially currently hereby automatically too actually happily gladly definitely
			certainly all_been fully safely completely`,
		"done": `turned switched set put booked rebooked scheduled rescheduled reserved confirmed arranged cancelled canceled moved
			deleted removed erased cleared added created saved stored sent emailed e-mailed mailed texted messaged notified
			informed announced called phoned rung ordered bought paid purchased locked unlocked opened closed shut started stopped
			paused resumed played skipped dimmed brightened adjusted changed updated increased decreased raised lowered reduced
			activated deactivated enabled disabled armed disarmed snoozed dismissed muted unmuted posted published submitted
			transferred forwarded registered subscribed unsubscribed handled reminded woken alerted installed uninstalled
			downloaded uploaded connected disconnected paired printed launched triggered applied shared invited blocked renamed
			replaced restarted rebooted reset extended postponed shifted swapped told let logged rang watered broadcast heated
			cooled synced renewed upgraded edited modified corrected entered archived flagged marked inserted appended enrolled
			unblocked refunded delivered shipped dispatched dialed dialled tuned done completed finished fixed made taken_care
			took_care signed pushed_back brought_forward wiped filed placed bumped bumped_up cranked_up pulled_up hung_up arranged_for`,
		"bare": `turned switched booked rebooked scheduled rescheduled reserved confirmed arranged cancelled canceled moved
			deleted removed erased cleared added created saved stored sent emailed e-mailed mailed texted messaged
			notified informed announced called phoned rung ordered bought paid purchased locked unlocked opened closed
			started stopped paused resumed played skipped dimmed brightened adjusted changed updated increased decreased
			raised lowered reduced activated deactivated enabled disabled armed disarmed snoozed dismissed muted unmuted
			posted published submitted transferred forwarded registered subscribed unsubscribed handled reminded woken
			alerted installed uninstalled downloaded uploaded connected disconnected paired printed launched triggered
			applied shared invited blocked renamed replaced restarted rebooted reset extended postponed shifted swapped
			logged rang watered broadcast heated cooled synced renewed upgraded edited modified corrected entered archived
			flagged marked inserted appended enrolled unblocked refunded delivered shipped dispatched dialed dialled tuned
			done completed finished fixed made taken_care took_care signed pushed_back brought_forward wiped filed placed
			bumped bumped_up cranked_up pulled_up hung_up arranged_for`,
		"past": `turned switched booked scheduled reserved confirmed cancelled canceled moved deleted removed added created saved sent
			emailed texted notified informed ordered paid locked unlocked opened closed started stopped paused dimmed adjusted
			changed updated lowered raised activated deactivated told rang called`,
		"do": `turn switch set put book rebook schedule reschedule reserve confirm arrange cancel move delete remove erase clear
			add create save store send email e-mail mail text message notify inform announce call phone ring order buy pay purchase
			lock unlock open close shut start stop pause resume play skip dim brighten adjust change update increase decrease
			raise lower reduce activate deactivate enable disable arm disarm snooze dismiss mute unmute post publish submit
			transfer forward register subscribe unsubscribe handle remind wake alert install uninstall download upload connect
			disconnect pair print launch trigger apply share invite block rename replace restart reboot reset extend postpone
			shift swap let tell water broadcast heat cool sync renew upgrade edit modify correct enter archive flag mark insert
			append enroll unblock refund deliver ship dispatch dial do_that do_it do_so get_it_done get_that_done
			take_care see_to make_it make_the make_your place bump push_back bring_forward wipe file`,
		"doing": `turning switching setting putting booking rebooking scheduling rescheduling reserving confirming arranging
			cancelling canceling moving deleting removing erasing clearing adding creating saving storing sending emailing
			e-mailing mailing texting messaging notifying informing announcing phoning ordering buying paying purchasing locking
			unlocking opening closing shutting starting stopping pausing resuming playing skipping dimming brightening adjusting
			changing updating increasing decreasing raising lowering reducing activating deactivating enabling disabling arming
			disarming snoozing dismissing muting unmuting posting publishing submitting transferring forwarding registering
			installing downloading uploading connecting disconnecting printing launching triggering applying sharing inviting
			blocking renaming replacing restarting rebooting resetting extending postponing calling dialing dialling placing`,
		"state": `gone live underway in_place taken_care_of on_its_way on_their_way good_to_go all_set set_up up_and_running`,
		"onoff": `on off lit armed disarmed active inactive running playing ringing open closed shut locked unlocked paused muted
			cleaning counting ready going_up going_down going_on going_off coming_on heating_up warming_up cooling_down`,
		"thing": `light lights lamp lamps fan fans heating heater thermostat timer timers alarm alarms reminder reminders message
			messages email e-mail mail text appointment appointments meeting meetings event events booking bookings reservation
			reservations call door doors gate garage window windows blind blinds curtain curtains shutter shutters music radio tv
			television volume brightness temperature oven kettle vacuum vacuum_cleaner robot scene song playlist film movie camera
			sprinkler boiler table ticket tickets order plug socket lock entry note task file alarm_system system everything it
			they all both that coffee_machine machine dishwasher washer speaker speakers air_conditioning ac notification`,
		"have":  `have has`,
		"whose": `the your a an all my our both that this`,
		"say":   `tell give say let confirm provide send share approve agree want like need wish prefer choose pick specify name would_like`,
	},
	expand: []string{
		" no problem ", " okay ", " no worries ", " okay ", " not a problem ", " okay ",
		"can't ", "can not ", "cannot ", "can not ", "won't ", "will not ", "n't ", " not ", "'ve ", " have ", "'ll ", " will ",
		"'m ", " am ", "'re ", " are ", "'d ", " would ", " let's ", " let us ", "'s ", " is ",
	},
	patterns: map[claimKind][]string{
		acted: {
			` (?:i|we) (?:have )?(?:{adv} )*(?:have )?(?:{adv} )*(?:been )?{done} `,
			` (?:i|we) is (?:{adv} )*{done} `,
			` (?:i|we) (?:have |had |got )?(?:\S+ ){1,9}?(?:and|then) (?:{adv} )*{past} `,
			` (?:i|we) (?:have )?(?:{adv} )*got (?:that|it|you|this|everything|your \S+|the \S+) (?:down|sorted|in|all|ready|covered) `,
			` (?:i|we) (?:have )?(?:{adv} )*made (?:sure|it|the|your|a) `,
			` (?:i|we) (?:am|are) (?:{adv} )*{doing} `,
			` (?:i|we) (?:am|are) on it `,
			` (?:i|we) (?:have )?(?:was able to|were able to|been able to|managed to|succeeded in) (?:{adv} )*(?:{do}|{doing}) `,
			` (?:off|on|up|down|there) (?:it|they) goes? (?:$|, )`,
			`^ (?:{lead} (?:, )?)*(?:{adv} )*(?:it |that |this |everything )(?:is |has |was )(?:been )?(?:{adv} )*(?:done|taken care of|sorted|handled) `,
			`^ (?:{lead} (?:, )?)*(?:all |and )?(?:done|all done|will do|on it|you got it|your wish is my command|mission accomplished|sorted|task completed?)(?: (?:for you|now|then|deal))? (?:$|, )`,
			` (?:consider|count) (?:it|that|this|everything) (?:{adv} )*(?:done|{done}|taken care of|handled|sorted) `,
			`(?:^| (?:you|we) are(?: {adv})*| {lead} ,?) (?:{lead} (?:, )?)*(?:{adv} )*all set `,
			` (?:you|we) are (?:{adv} )*(?:good to go|booked|scheduled|confirmed|checked in|signed up|registered|down for|set for) `,
			` you have (?:{adv} )*been (?:{adv} )*{done} `,
			`^ (?:{lead} (?:, )?)*(?:there|here) (?:you|we) go (?:$|, )`,
			` (?:booking|order|payment|reservation|cancellation|request|message) (?:has |have )?(?:gone|went|go) through `,
		},
		promise: {
			` (?:i|we) (?:will|shall) (?:{adv} )*(?:be )?(?:{do}|{doing}) `,
			` (?:i|we) (?:am|are) (?:{adv} )*(?:going to|about to) (?:{adv} )*{do} `,
			` (?:you|it|that|everything|(?:the|your|a) (?:\S+ ){1,4}?) ?will (?:{adv} )*be (?:{adv} )*{done} `,
			` you will (?:{adv} )*(?:get|receive|have) (?:a|the|your|an) (?:\S+ )?(?:reminder|alert|notification|confirmation|message|email|alarm|call) `,
			` [a-z]+ will (?:{adv} )*(?:get|receive) (?:your|the) (?:\S+ )?(?:message|email|text|mail|note) `,
			` (?:i|we) (?:will|shall) (?:{adv} )*(?:make sure|see to it|get (?:that|it|this|right)|take care) `,
		},
		stands: {
			` (?:i|we) have (?:{adv} )*(?:got )?(?:\S+ ){1,5}?{done} `,
			` (?:has|have|is|are) (?:{adv} )*been (?:{adv} )*{done} `,
			` (?:was|were|got) (?:{adv} )*{done} `,
			` (?:is|are) (?:{adv} )*(?:{done}|{state}) `,
			` (?:should|must|ought to) (?:{adv} )*(?:have been|be) (?:{adv} )*(?:{done}|{onoff}|{state}) `,
			` {thing} (?:(?:in|of|for|at|with|to|by|on) (?:\S+ ){1,5}?)?(?:is|are|has) (?:{adv} )*(?:being )?(?:{adv} )*(?:{onoff}|{doing})(?: {adv}| again| for you| as well| in (?:the|your) \S+)* (?:, |and |but |in |$)`,
			` (?:is|are) (?:now|all|back) {onoff} `,
			` {thing} now (?:starts|begins|ends|takes place|lasts) `,
			` (?:is|are) (?:now|all|back) (?:{doing}|(?:at|on|in|to|down|up|set) \S+) `,
			` is (?:{adv} )*(?:on|in) (?:your|the|my) (?:\S+ )?(?:list|calendar|agenda|schedule|basket|cart|diary) `,
			`^ (?:{lead} (?:, )?)*(?:{whose} )?(?:\S+ ){0,3}?{thing} (?:{adv} )*(?:{done}|on|off|{state})(?: up| on| off| out| down| now| successfully| {adv})* (?:$|, |for |to |at |in |until |by )`,
			`^ (?:{lead} (?:, )?)*(?:{adv} )*{bare}(?: {adv})* (?:$|, |for |to |at |on |off |it |that |your |the |as |until |all |you )`,
			`^ (?:{lead} (?:, )?)*(?:{adv} )*{doing} `,
			` {doing} (?:\S+ ){1,6}?(?:{adv} )*(?:now|for you) (?:$|, )`,
			`, (?:starting|beginning|effective) now `,
			`, (?:{adv} )*{doing} (?:the|your|it|that|all) `,
		},
	},
	unless:  `^ (?:i|we) (?:have )?(?:already )?(?:told|let|sent|set|called) you |^ (?:i|we) will (?:{adv} )*(?:let you know (?:the|what|how|that)|start (?:with|by|over|from)|add that|call you (?:\S+ )?(?:$|, )|open with|close with|play along|put it|tell you|be sure|share|move on|apply that|make (?:it|the) (?:short|long|case))|^ (?:i|we) was (?:{done}|{doing}) |^ (?:i|we) (?:am|are) (?:\S+ )?(?:calling|setting) (?:about|aside)|^ (?:i|we) (?:can|could|may|might|would|need|want|like|should|must|do|did) `,
	denied:  ` (?:not|never|no|nothing|none|nobody|neither|nor|hardly|unable|failed|without|cannot) `,
	remains: ` (?:still|remains|remain|yet|usually|often|always|normally|generally|typically|sometimes|only|best|supposed|meant) `,
	already: ` (?:already|still) `,
	before:  ` (?:if|once|whether|unless|until|till|after|before|when|whenever|while|where|because|as soon as|in case|so that|which|who|whose|not sure|do not think|imagine|suppose|assuming|provided|how|why|what|let me know|sure that) `,
	bound:   ` (?:if|once|when|as soon as|after|until|unless|before|whenever) (?:you (?:{say}|know)|(?:i|we) (?:{say}|have|get|know|hear)|(?:you are|you have|i am)|(?:\S+ ){1,3}?(?:{say}|is|are) ) ?| (?:only|not) `,
	past:    ` (?:made of|made from|yesterday|ago|last|since|earlier|this morning|in (?:1\d\d\d|20\d\d)|1\d\d\d|(?:was|were|been) (?:\S+ ){1,8}?by (?:a |an |the |your |his |her )?[a-z]{3,}) `,
	told:    ` (?:says|said|writes|wrote|according to|shows|reads|because|was|were) `,
	gerund:  `^ (?:{lead} (?:, )?)*{doing} (?:[^ ,]+ ){1,8}?(?:is|are|can|may|might|would|could|takes|helps|costs|requires|needs|makes|wastes|saves|means) `,
	asks: `^ (?:(?:hey|hi|ok|okay|so|and|please|chatterbox|well|um|uh) (?:, )?)*(?:what|when|where|who|whose|which|how|is|are|was|were|am|do|does|did|has|have|had|any|` +
		`tell (?:me|us)|show|check|look|read|list|explain|describe|find|search|give me|why (?:is|are|was|were|did|does|do|has|have)|` +
		`(?:can|could|would|will) you (?:please )?(?:tell|show|check|look|read|list|explain|describe|find|search|give)) `,
	commands: ` (?:and|then|,) (?:please |also |then )*(?:{do}|turn|start|play) |^ (?:please )?(?:is it possible|is there any chance|are you able|have (?:the|my|a) |do (?:it|that|the|me) |how about|what about|why do (?:not )?you|do not )`,
	playful:  ` (?:how do (?:you|i) say|translate|translation|tell (?:me|us) a (?:\S+ )?(?:story|joke|poem|riddle|tale)|write (?:me )?(?:a|an) (?:\S+ )?(?:story|poem|song|novel|joke)|sing|what does .* mean|spell) `,
	tag:      `^ (?:, )(?:right|correct|is that right|is it not|do you mean) \? $`,
	safe:     `^ (?:{lead} (?:, )?)*(?:what|which|who|where|how|would|could|should|shall|can|do|does|may|unfortunately|sorry) \S+ `,
	harmless: `^ (?:[a-z'-]+ ){1,5}?(?:can|could|would|may|might|need|needs|want|wants|like|likes|live|lives|mean|means|cost|costs|take|takes) \S+ |` +
		`^ (?:{lead} , )*(?:it|there|he|she|that|this|(?:the|a|an) [a-z]+(?: (?:in|of|at) \S+)?) (?:is|are) (?:about |a |an |the |approx |currently )?(?:\d\S*|sunny|rainy|raining|cloudy|overcast|cold|warm|hot|freezing|a|an|the|very|quite|rather|called) `,
	boundary: `^(?:and|but|so|then|i|we|i've|i'll|i'm|i'd|we've|we'll|we're|you're|done|all|it's|that's|as|consider|also|which|is|are|has|have|was|were|been|will|now)$`,
	subject:  `^(?:it's|that's|is|are|which|as)$`,
}
