package route

import (
	"strings"
	"sync"
)

// wordGroups are everyday English words that are said for the same things, one group a line. They know nothing of any
// tool: they are what a thesaurus would say, for the things that people ask a computer for.
const wordGroups = `
weather forecast rain raining rainy snow snowing sunny wind windy storm temperature climate umbrella humidity cloudy
temperature hot cold warm cool heat heating thermostat degree celsius fahrenheit
film movie cinema
song music track album playlist artist listen audio tune singer
play start resume
movie video watch stream show
volume loud quiet louder quieter mute sound
light lamp bulb bright brightness dim
switch turn toggle power on off
lock unlock door
camera video view
picture photo image photograph
buy purchase order shop
pay payment transfer transaction
price cost fare fee charge expensive cheap
money currency dollar euro pound yen usd eur gbp
convert conversion exchange change
book reserve reservation booking
appointment meeting event calendar schedule session
trip travel journey vacation holiday flight tour itinerary
taxi cab ride
car vehicle automobile
hotel stay accommodation lodging
apartment house home property flat residence
restaurant eat food dinner lunch meal dine dining cuisine
recipe cook cooking dish ingredient
train bus flight ticket transport
route direction navigate navigation distance path drive map
location place address city where near nearby
person people who contact user
phone telephone mobile call
email mail message
message text sms send
notify notification alert tell inform
remind reminder remember
alarm timer countdown
date day time when
today tomorrow tonight yesterday date
time clock hour now current
find search look locate lookup query seek
what who search information
information info detail data about
news headline article
get fetch retrieve obtain give
show display view list
create make add new generate
add put insert
add sum plus total
subtract minus difference
multiply multiplied product
divide divided quotient ratio
calculate calculation compute determine evaluate
calculate arithmetic plus minus add subtract multiply divide
much many amount number count price cost
delete remove cancel erase clear
change update modify edit adjust alter
set change adjust
stop end halt pause
start begin launch run initiate
check verify validate confirm status
compare comparison versus difference
translate translation language
doctor dentist physician medical clinic
therapist counselor psychologist psychiatrist
hair salon stylist barber haircut
job work career employment
big large size
fast speed velocity quick
weight mass heavy
height tall
probability chance likelihood odds
average mean
loan mortgage interest
stock share ticker market
account balance bank
tax income salary
law court legal lawyer lawsuit
crime police criminal
disease symptom illness health
game match score sport
team player league
country nation
school university college student
course class lesson
book author novel publication
museum art painting exhibition gallery artwork
concert festival theater theatre show event
file document folder directory
error bug issue problem ticket
help assist support advice guidance
human agent operator representative
database sql table record
command shell execute terminal script
website web url page internet online link
drink beverage coffee tea
clean wash vacuum
room kitchen bedroom bathroom
available availability free
inventory stock product item
color colour
language speak
year annual
month monthly
week weekly
percent percentage
rent rental hire
`

// translations are German words for what people have done at home, with the English ones that tools describe
// themselves by, one a line.
const translations = `
wetter weather
regen weather rain
regnet weather rain
temperatur temperature
licht light
lampe lamp light
heizung heating thermostat
musik music
lied song
lauter volume
leiser volume
uhr clock time
uhrzeit time
datum date
termin appointment calendar
kalender calendar
besprechung meeting
erinnere remind reminder
erinnerung reminder
wecker alarm
nachricht message
nachrichten news message
anrufen call phone
anruf call phone
kontakt contact
kunde customer
kamera camera
bild picture image
tür door
garage garage
küche kitchen
schlafzimmer bedroom
wohnzimmer room
ort location place
adresse address
stadt city
wegbeschreibung route direction
zug train
flug flight
preis price
geld money
kaufen buy
bestellen order
buche book
buchen book
reservieren reserve
einkaufsliste shopping list
liste list
suche search
finde find
zeige show
öffne open
schließe close
lösche delete
storniere cancel
absagen cancel
verschieben reschedule
ändere change
stelle set
schalte switch turn
spiele play
rechne calculate
übersetze translate
erstelle create
sende send
schicke send
heute today date
morgen tomorrow date
`

// related gives, by stem, the stems that mean much the same.
var related = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for group := range strings.Lines(wordGroups) {
		words := stems(group)
		for _, word := range words {
			for _, other := range words {
				if other != word {
					out[word] = append(out[word], other)
				}
			}
		}
	}
	return out
})

// translated gives, by stem of a German word, the stems of English ones.
var translated = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(translations) {
		if words := stems(line); len(words) > 1 {
			out[words[0]] = words[1:]
		}
	}
	return out
})

func stems(line string) []string {
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = stem(word)
	}
	return words
}

// signs are what people write instead of words.
var signs = [...][2]string{
	{"$", "dollar"}, {"€", "euro"}, {"£", "pound"}, {"¥", "yen"}, {"%", "percent"}, {"°", "degree"},
	{"*", "multiply"}, {"×", "multiply"}, {"÷", "divide"}, {"+", "add"},
}
