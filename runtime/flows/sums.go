package flows

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatterbox/loop/route"
)

// operators are what people say for a sign of mathematics, by language. Longer ones come first.
var operators = map[string][][2]string{
	"en": {
		{"to the power of", "^"}, {"multiplied by", "*"}, {"divided by", "/"}, {"percent of", "% *"}, {"per cent of", "% *"},
		{"the square root of", "sqrt"}, {"square root of", "sqrt"}, {"half of", "0.5 *"}, {"a third of", "1/3 *"}, {"a quarter of", "0.25 *"},
		{"a half of", "0.5 *"}, {"percent", "%"}, {"per cent", "%"}, {"squared", "^2"}, {"cubed", "^3"}, {"factorial", "!"}, {"modulo", "mod"},
		{"times", "*"}, {"plus", "+"}, {"minus", "-"}, {"over", "/"}, {"mod", "mod"}, {"pi", "pi"},
	},
	"de": {
		{"multipliziert mit", "*"}, {"geteilt durch", "/"}, {"dividiert durch", "/"}, {"prozent von", "% *"}, {"die hälfte von", "0.5 *"},
		{"die wurzel aus", "sqrt"}, {"die quadratwurzel aus", "sqrt"}, {"quadratwurzel aus", "sqrt"}, {"wurzel aus", "sqrt"},
		{"ein drittel von", "1/3 *"}, {"ein viertel von", "0.25 *"}, {"zum quadrat", "^2"}, {"im quadrat", "^2"}, {"hoch zwei", "^2"}, {"prozent", "%"},
		{"fakultät", "!"}, {"modulo", "mod"}, {"mal", "*"}, {"plus", "+"}, {"minus", "-"}, {"durch", "/"}, {"hoch", "^"}, {"pi", "pi"},
	},
}

// signs are written for what they mean.
var signs = [][2]string{
	{"% of", "% *"}, {"% von", "% *"}, {"×", "*"}, {"·", "*"}, {"x", "*"}, {"÷", "/"}, {"−", "-"}, {"√", "sqrt"}, {"²", "^2"}, {"³", "^3"}, {"**", "^"},
	{"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"}, {":", "/"}, {"^", "^"}, {"(", "("}, {")", ")"}, {"%", "%"}, {"!", "!"},
}

// sumOf turns "twelve times seven" into 12 * 7. A text with any other word in it, or with nothing to calculate, is no
// sum.
func sumOf(said string, in route.Context) route.Resolved {
	var written []string
	numbers, signed := 0, 0
	for rest := strings.ToLower(strings.TrimSpace(said)); rest != ""; rest = strings.TrimSpace(rest) {
		if number, length := literal(rest, in.Language); length > 0 {
			written, rest = append(written, number), rest[length:]
			numbers++
			continue
		}
		if sign, length := operator(rest, in.Language); length > 0 {
			written, rest = append(written, sign), rest[length:]
			signed++
			continue
		}
		number, length := spokenNumber(rest, in.Language)
		if length == 0 {
			return route.Resolved{}
		}
		written, rest = append(written, number), rest[length:]
		numbers++
	}
	if numbers == 0 || signed == 0 || numbers == 1 && !unary(written) {
		return route.Resolved{}
	}
	return route.Resolved{Value: strings.Join(written, " "), Spoken: said, Sureness: route.Known}
}

// unary tells whether something is calculated of one number alone.
func unary(written []string) bool {
	return slices.ContainsFunc(written, func(sign string) bool {
		return sign == "sqrt" || sign == "!" || sign == "^2" || sign == "^3" || strings.HasSuffix(sign, " *") && sign != "% *"
	})
}

// operator is the sign that a text begins with.
func operator(text, language string) (sign string, length int) {
	for _, known := range operators[language] {
		rest, found := strings.CutPrefix(text, known[0])
		if next, _ := utf8.DecodeRuneInString(rest); found && (rest == "" || !unicode.IsLetter(next)) {
			return known[1], len(known[0])
		}
	}
	for _, known := range signs {
		rest, found := strings.CutPrefix(text, known[0])
		next, _ := utf8.DecodeRuneInString(rest)
		if found && (known[0] != "x" || rest == "" || !unicode.IsLetter(next)) {
			return known[1], len(known[0])
		}
	}
	return "", 0
}

// literal is the number in digits that a text begins with, with a point before its fraction. In German the comma stands
// there, and points stand between thousands.
func literal(text, language string) (number string, length int) {
	for length < len(text) && (text[length] >= '0' && text[length] <= '9' || (text[length] == '.' || text[length] == ',') &&
		length > 0 && length+1 < len(text) && text[length+1] >= '0' && text[length+1] <= '9') {
		length++
	}
	number = text[:length]
	if language == "de" {
		number = strings.ReplaceAll(thousands(number, '.'), ",", ".")
	} else {
		number = thousands(number, ',')
	}
	if next, _ := utf8.DecodeRuneInString(text[length:]); length < len(text) && unicode.IsLetter(next) && next != 'x' {
		return "", 0 // "7th", "3D"
	}
	return number, length
}

// thousands takes the mark out that stands between groups of three digits.
func thousands(number string, mark byte) string {
	groups := strings.Split(number, string(mark))
	for i, group := range groups[1:] {
		whole, _, fraction := strings.Cut(group, map[byte]string{'.': ",", ',': "."}[mark])
		if len(whole) != 3 || fraction && i+2 < len(groups) {
			return number
		}
	}
	return strings.Join(groups, "")
}

// spokenNumber is the longest number in words that a text begins with.
func spokenNumber(text, language string) (number string, length int) {
	words := numberWords(language)
	if words == nil {
		return "", 0
	}
	read := words(text)
	if len(read) == 0 {
		return "", 0
	}
	longest := read[len(read)-1]
	return strconv.FormatFloat(longest.Value, 'f', -1, 64), len(string([]rune(text)[:longest.Runes]))
}

// amountOf turns "2.5", "twenty" or "a" into the number.
func amountOf(said string, in route.Context) route.Resolved {
	text := strings.ToLower(said)
	if slices.Contains([]string{"a", "an", "one", "ein", "eine", "einem", "einer", "einen"}, text) {
		return route.Resolved{Value: 1, Spoken: said, Sureness: route.Known}
	}
	sign := 1.0
	for _, minus := range []string{"minus ", "-"} {
		if rest, found := strings.CutPrefix(text, minus); found {
			text, sign = rest, -1
			break
		}
	}
	number, length := literal(text, in.Language)
	if length == 0 {
		number, length = spokenNumber(text, in.Language)
	}
	value, err := strconv.ParseFloat(number, 64)
	if length != len(text) || err != nil {
		return route.Resolved{}
	}
	return route.Resolved{Value: sign * value, Spoken: said, Sureness: route.Known}
}

// unitOf lets the name of a unit through that the tool convert knows.
func unitOf(said string, _ route.Context) route.Resolved {
	name := strings.ToLower(said)
	if strings.Contains(name, "|") || !strings.Contains(unitNames, "|"+name+"|") {
		return route.Resolved{}
	}
	return route.Resolved{Value: name, Spoken: said, Sureness: route.Known}
}

// unitNames are the names of units that the tool convert knows, between bars.
const unitNames = "|" +
	"metres|metre|meters|meter|m|kilometres|kilometre|kilometers|kilometer|kilometern|km|centimetres|" +
	"centimetre|centimeters|centimeter|zentimeter|zentimetern|cm|millimetres|millimetre|millimeters|millimeter|" +
	"millimetern|mm|miles|mile|mi|meilen|meile|yards|yard|yd|feet|foot|ft|fuß|fuss|inches|inch|in|zoll|" +
	"nautical miles|nautical mile|nmi|seemeilen|seemeile|" +
	"kilograms|kilogram|kilogrammes|kilogramme|kilogramm|kilos|kilo|kg|grams|gram|grammes|gramme|gramm|g|" +
	"milligrams|milligram|milligramm|mg|tonnes|tonne|metric tons|metric ton|tonnen|t|pounds|pound|lbs|lb|" +
	"ounces|ounce|oz|unzen|unze|stone|stones|st|" +
	"litres|litre|liters|liter|litern|l|decilitres|decilitre|deciliters|deciliter|deziliter|dl|centilitres|" +
	"centilitre|centiliters|centiliter|zentiliter|cl|millilitres|millilitre|milliliters|milliliter|millilitern|" +
	"ml|cubic metres|cubic metre|cubic meters|cubic meter|kubikmeter|m3|m³|teaspoons|teaspoon|tsp|teelöffel|" +
	"tablespoons|tablespoon|tbsp|esslöffel|fluid ounces|fluid ounce|fl oz|cups|cup|tassen|tasse|pints|pint|pt|" +
	"quarts|quart|qt|gallons|gallon|gal|gallonen|gallone|" +
	"degrees celsius|degree celsius|celsius|centigrade|grad celsius|°c|c|degrees fahrenheit|degree fahrenheit|" +
	"fahrenheit|grad fahrenheit|°f|f|kelvin|kelvins|k|" +
	"seconds|second|secs|sec|s|sekunden|sekunde|milliseconds|millisecond|ms|millisekunden|millisekunde|minutes|" +
	"minute|mins|min|minuten|hours|hour|hrs|h|stunden|stunde|days|day|tage|tagen|tag|weeks|week|wochen|woche|" +
	"bytes|byte|b|bits|bit|kilobytes|kilobyte|kb|megabytes|megabyte|mb|gigabytes|gigabyte|gb|terabytes|" +
	"terabyte|tb|kibibytes|kibibyte|kib|mebibytes|mebibyte|mib|gibibytes|gibibyte|gib|" +
	"kilometres per hour|kilometers per hour|kilometer pro stunde|stundenkilometer|km/h|kmh|kph|miles per hour|" +
	"meilen pro stunde|mph|metres per second|meters per second|meter pro sekunde|m/s|knots|knot|knoten|kn|" +
	"square metres|square metre|square meters|square meter|quadratmeter|m2|m²|square feet|square foot|" +
	"quadratfuß|ft2|hectares|hectare|hektar|ha|acres|acre|square kilometres|square kilometers|quadratkilometer|" +
	"km2|km²|"
