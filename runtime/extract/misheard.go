package extract

// This file hears hours that dictation has written as other words.

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
			c.hour = s.language.frames.digitHeard[s.at(i)]
		}
		return relative(sign, minutes)(s, c)
	}
}
