package extract

// This file hears hours that are said as one number, and those that dictation has written as other words.

// military is "fifteen hundred hours" and "oh eight hundred": hours and minutes as one number.
func military(s *speech, c *capture) (found, bool) {
	n := int(c.numbers[0])
	if float64(n) != c.numbers[0] || n < 100 || n > 2400 || n%100 >= 60 || s.goesOn(c.to) {
		return found{}, false
	}
	return at(n/100*60%dayMinutes+n%100, false)
}

// hundreds is "at fifteen hundred", in words.
func hundreds(s *speech, c *capture) (found, bool) {
	if n := c.numbers[0]; n < 1300 || int(n)%100 != 0 || s.tokens[c.from+1].digits {
		return found{}, false
	}
	return military(s, c)
}

// onTheDay is an hour of the twenty-four: "fifteen thirty hours".
func onTheDay(_ *speech, c *capture) (found, bool) {
	return at(c.hour*60%dayMinutes+c.minute, false)
}

// misheard is an hour that was written down as another word: "at for thirty".
func misheard(hour int) func(*speech, *capture) (found, bool) {
	return func(s *speech, c *capture) (found, bool) {
		c.hour = hour
		return sure(s, c)
	}
}

// misheardNear is "half past", "quarter past" or "quarter to" such an hour.
func misheardNear(sign, minutes int) func(*speech, *capture) (found, bool) {
	return func(s *speech, c *capture) (found, bool) {
		for i := c.to - 1; i > c.from && c.hour == 0; i-- {
			c.hour = s.frames.digitHeard[s.at(i)]
		}
		return relative(sign, minutes)(s, c)
	}
}
