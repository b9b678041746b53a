package flows

import (
	"strings"
	"unicode"
)

// city is the last part of an IANA name as it is spoken.
func city(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// first is the first of a list of names.
func first(names string) string {
	name, _, _ := strings.Cut(names, "; ")
	return name
}

// articles are left out of keys: the Netherlands and Netherlands are one place.
var articles = []string{"the ", "der ", "die ", "das ", "den ", "dem "}

func withoutArticle(name string) string {
	for _, article := range articles {
		if rest, ok := strings.CutPrefix(name, article); ok && rest != "" {
			return rest
		}
	}
	return name
}

// placeKey brings the spellings of one name together.
func placeKey(name string) string {
	key := fold(name)
	if rest, ok := strings.CutPrefix(key, "city of "); ok {
		key = rest
	}
	words := strings.Fields(withoutArticle(key))
	for i, word := range words {
		switch word {
		case "saint", "sankt":
			words[i] = "st"
		case "und", "&":
			words[i] = "and"
		}
	}
	return strings.Join(words, " ")
}

// fold is text in lower case without accents, with single spaces for what separates words.
func fold(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r == '.' || r == '\'' || unicode.Is(unicode.Mn, r):
			continue
		case r == '&' || r == '+' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case unicode.IsLetter(r):
			if plain, ok := plainLetters[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// transliterate writes umlauts as people do who have no keys for them.
func transliterate(text string) string {
	return umlauts.Replace(text)
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "å", "aa", "Å", "Aa", "ø", "oe", "Ø", "Oe")

// plainLetters are the letters of European names without their marks.
var plainLetters = lettersOf(
	"a àáâãäåāăą", "c çćčĉċ", "d ďđð", "e èéêëēĕėęě", "g ĝğġģ", "h ĥħ", "i ìíîïĩīĭįı", "j ĵ", "k ķ", "l ĺļľłŀ",
	"n ñńņňŉ", "o òóôõöøōŏő", "r ŕŗř", "s śŝşšș", "t ţťŧț", "u ùúûüũūŭůűų", "w ŵ", "y ýÿŷ", "z źżž",
	"ss ß", "ae æ", "oe œ", "th þ",
)

func lettersOf(lines ...string) map[rune]string {
	letters := map[rune]string{}
	for _, line := range lines {
		plain, marked, _ := strings.Cut(line, " ")
		for _, r := range marked {
			letters[r] = plain
		}
	}
	return letters
}
