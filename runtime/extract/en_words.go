package extract

// englishFillers stand between a correction and its value, or before an answer, and mean nothing.
const englishFillers = `uh um er erm ah hmm hm well so like let's lets say make it at on for in the i said it's its is that's to be have maybe just oh
 i'd i'll prefer actually rather but yeah`

// englishPlaces are nouns of places where somebody can be.
const englishPlaces = `home house office work school kindergarten university college library church airport station hospital clinic pharmacy bank hotel motel restaurant
 cafe bar pub gym pool park beach mall store shop supermarket market bakery theater theatre cinema museum zoo stadium warehouse garage basement attic kitchen bedroom
 bathroom hallway garden backyard yard patio balcony porch driveway nursery study den room lounge cellar downtown dentist doctor's dentist's barber hairdresser salon studio
 courthouse embassy harbor pier farm lake campground lobby reception cafeteria upstairs downstairs`

// englishNoPlaces follow "in" or "at" and are nowhere.
const englishNoPlaces = `general case time fact advance person bed english german french spanish italian order total mind trouble charge front end beginning middle moment future past
 meantime least most last first once all night noon midnight dot email phone number name week month year weekend day days hour hours minute minutes second seconds peace
 particular short long detail doubt hurry love half addition question course way ways corner dinner lunch breakfast risk hand hands back bottom top side rate cost
 random percent degrees life it you me him them us this that these those music volume celsius fahrenheit`

// englishCommon are words that are no part of a name.
const englishCommon = `a about above across after afternoon again ago ahead alarm all allowed almost already also always am an and annoyed another any anybody anyone anything anytime anyway anywhere
 appointment appointments are aren't around as ask asking at available away back bad be because bed been before behind being best better between bit book booking both
 bored break breakfast bring broken bus business busy but buy by calendar call called calling came can can't cancel car care cause change check child children clean
 cleaner cleaning clear close cold come comes coming confirm contact cool correct could couldn't couple cup customer date day days dear decide definitely delete did didn't
 different dinner do doctor does doesn't doing don't done door down during each early easy eat eight eighteen eighty either eleven else email end enough estimate even
 evening ever every everyone everything exactly except excuse expecting family fast favorite feel few fifteen fifty find fine first five fix flexible follow for forget forty
 four free from full fun game get gets getting give glad go goes going gone good got gotta great guess guy had half happy hard has have haven't having he hear hello help
 her here hers hey hi him his hold home hope hot hour hours house how how's however hundred hungry i i'd i'll i'm i've if important in inside instead interested into is isn't
 it it's its job just keep kids kind kitchen know last late later least leave left less let let's light lights like little living long look looking lost lot lots loud love
 low lunch made make makes making many maybe me mean meant meet meeting message mind mine minute minutes miss moment moments month months more morning most mostly move movie
 much music must my myself name named names near necessary need needed needs never new next nice night nine no nobody none noon nope not note nothing now number o'clock of
 off office often oh ok okay old on once one ones only open or order other others our ours out outside over own paid part party past pay people perfect perhaps phone
 pick place play please point possible prefer pretty probably problem put quick quickly quiet quite rather ready real really reason red remember remind reminder repair
 repeat reschedule right room run running said same saturday save say saying schedule see seems send set seven several shall she should show sick sir sit six sleep slow small
 so some somebody someday someone something sometime sometimes somewhere soon sorry sort sounds speak speaking spell spelled stand start started still stop store stuff such sunday sure sweet swim
 switch table take takes taking talk talking tell ten test text than thank thanks that that's the their theirs them then there there's these they they're thing things
 think thinking third thirsty this those though thought three through thursday time times tired to today together told tomorrow tonight too took top totally toward town
 traffic trash tried trip true try trying tuesday turn twelve twenty twice two type under understand unfortunately until up upset us use used usually very video visit
 volume wait waiting wake walk want wanted wants was wasn't watch water way we we'd we'll we're we've weather wednesday week weekend weeks well went were weren't what
 what's whatever when where where's which while who who's whole whom whose why will window wish with within without woke won't wondering word words work working works world would wouldn't write wrong yeah year
 years yep yes yesterday yet you you'd you'll you're you've your yours yourself zero anymore basically certain certainly currently excited fair fed fewer gladly hopefully
 idea instructions interesting joke joking kidding leaving listening locked major mark's middle minor moving nervous okay others outdoors pleased preferably quote rest
 returning retired safe satisfied secret serious somehow stuck sunny supposed surprise surprised terrible testing unable unavailable unclear unsure urgent useful useless visiting
 weird wonderful worried writing stupid personal private plumber electrician gardener mechanic contractor technician company services service actual amazing awesome afraid alone
 both curious done eating dinner dog dogs cat cats evenings mornings fully half glad god gosh guests honestly information info inquiring kidding literally maintenance may might
 calling's tenant owner landlord manager assistant boss neighbor friend wife husband mom mother dad father brother sister son daughter baby grandma grandpa mum mommy daddy
 everybody client clients delivery package pizza food breakfast lunch coffee tea milk bread dentist haircut plumbing inspection consultation checkup window windows carpet roof
 example instance sake sale rent hire heavens plenty nothing's record questions question answer reply help's details reference purposes purpose`

// givenNames are usual first names that are not also everyday words.
const givenNames = `aaron abby abdul abigail adam adele adrian ahmed aisha alan albert alejandro alex alexander alexandra alexis ali alice alicia alison allison amanda amber amelia amir amy ana andre
 andrea andreas andrew andy angela anita ann anna anne annie anthony antonio anton arthur ashley audrey austin ava barbara beatrice becky ben benjamin bernard beth betty beverly
 bill billy bob bobby brad bradley brandon brenda brian bridget bruce bryan caleb cameron camila carl carla carlos carmen carol caroline carolyn carrie catherine cathy cecilia
 charles charlie charlotte chen cheryl chloe chris christian christina christine christopher cindy claire clara claudia colin connor craig crystal cynthia daisy daniel
 daniela danielle danny darren dave david deborah debbie denise dennis derek diana diane diego dmitri dominic don donald donna doris dorothy doug douglas dylan ed eddie edward eileen
 elaine eleanor elena eli elias elijah elizabeth ella ellen ellie emily emma eric erica erik erin ethan eugene eva evan evelyn fatima felix fernando fiona florian frances francesca francis frank
 frankie fred freddie frederick gabriel gabriela gary george gerald gina giovanni gloria gordon grace graham greg gregory hannah hans harold harriet harry harvey hassan hazel heather
 heidi helen helena henry herbert holly howard hugo hussein ian ibrahim igor ines ingrid irene isaac isabel isabella ivan jack jackie jackson jacob jake james jamie jan jane janet janice
 jason jasmine javier jay jean jeff jeffrey jennifer jenny jeremy jerry jesse jessica jessie jill jim jimmy joan joanna joanne joe joel johan johannes john johnny jon jonas jonathan jordan jorge
 jose joseph josh joshua juan judith judy julia julian julie justin kai karen karl kate katherine kathleen kathy katie keith kelly ken kenneth kevin kim kimberly kirsten klaus kristen kurt
 kyle lars laura lauren lawrence leah lee lena leo leon leonard leslie liam linda lindsay lisa liz logan lorenzo louis louise lucas lucia lucy luis luke lydia madison magdalena
 marc marco marcus margaret maria marie marilyn mario mark markus martha martin martina mary matt matthew maureen max maya megan mehmet melanie melissa mia michael michelle mick miguel mike
 mila mohamed mohammed molly monica monika muhammad nadia nancy naomi natalie natasha nathan neil nicholas nick nicola nicole nikita nina noah nora norman olga oliver olivia omar oscar
 otto owen pamela paolo patricia patrick paul paula pedro peggy pete peter petra phil philip phillip pierre quinn priya rachel rafael raj ralph ramon randy raymond rebecca regina ricardo richard
 rick rita rob robert roberto robin rodrigo roger roland ron ronald rosa rosie ross ruby russell ruth ryan sabrina sally sam samantha samir samuel sandra sara sarah scott sean sebastian
 sergei shannon sharon sheila shirley simon sofia sonia sophia sophie stacy stanley stefan stella stephan stephanie stephen steve steven stuart susan susanne suzanne sven sylvia tamara
 tanya tara ted teresa terry thea theo theodore theresa thomas tiffany tim timothy tina tobias todd tom tommy tony tracy travis trevor tyler ursula valerie vanessa vera veronica
 victor victoria vincent virginia vivian vladimir walter wanda wayne wendy wesley william willie wolfgang xavier yasmin yolanda yuki yusuf yvonne zachary zoe hiroshi kenji ming wei ravi sanjay anil
 deepak sunita lakshmi fatma ayse kofi kwame amara chidi ngozi sofie freya astrid bjorn lukas matteo luca giulia chiara ines joao pedro`

// englishCities are large cities, states and countries.
const englishCities = `new york, new york city, los angeles, chicago, houston, phoenix, philadelphia, san antonio, san diego, dallas, san jose, austin, jacksonville, fort worth, columbus, charlotte,
 san francisco, indianapolis, seattle, denver, washington, washington dc, boston, el paso, nashville, detroit, oklahoma city, portland, las vegas, memphis, louisville, baltimore, milwaukee,
 albuquerque, tucson, fresno, sacramento, kansas city, mesa, atlanta, omaha, colorado springs, raleigh, miami, long beach, virginia beach, oakland, minneapolis, tulsa, tampa, arlington,
 new orleans, honolulu, anchorage, pittsburgh, cincinnati, cleveland, orlando, salt lake city, buffalo, brooklyn, manhattan, queens, toronto, montreal, vancouver, calgary, ottawa, mexico city,
 london, manchester, birmingham, liverpool, leeds, glasgow, edinburgh, bristol, cardiff, belfast, dublin, cork, oxford, cambridge, brighton, sheffield, paris, lyon, marseille, nice, bordeaux, toulouse,
 strasbourg, berlin, hamburg, munich, cologne, frankfurt, stuttgart, dresden, leipzig, vienna, salzburg, graz, zurich, geneva, basel, bern, rome, milan, naples, turin, florence, venice, bologna,
 madrid, barcelona, valencia, seville, malaga, lisbon, porto, amsterdam, rotterdam, brussels, antwerp, copenhagen, stockholm, gothenburg, oslo, bergen, helsinki, reykjavik, warsaw, krakow,
 prague, budapest, bucharest, sofia, athens, istanbul, ankara, moscow, saint petersburg, kiev, kyiv, minsk, riga, vilnius, tallinn, belgrade, zagreb, cairo, casablanca, tunis, lagos, nairobi, accra, addis ababa,
 johannesburg, cape town, durban, dubai, abu dhabi, doha, riyadh, tel aviv, jerusalem, beirut, baghdad, tehran, karachi, lahore, delhi, new delhi, mumbai, bangalore, chennai, kolkata, dhaka,
 colombo, kathmandu, bangkok, hanoi, ho chi minh city, singapore, kuala lumpur, jakarta, bali, manila, hong kong, shanghai, beijing, shenzhen, taipei, seoul, busan, tokyo, osaka, kyoto, sydney,
 melbourne, brisbane, perth, adelaide, auckland, wellington, buenos aires, santiago, lima, bogota, quito, caracas, rio de janeiro, rio, sao paulo, brasilia, havana, kingston, panama city,
 california, texas, florida, hawaii, alaska, oregon, colorado, arizona, nevada, utah, ohio, michigan, illinois, massachusetts, new jersey, pennsylvania, georgia, alabama, england, scotland, wales,
 ireland, northern ireland, france, germany, spain, italy, portugal, austria, switzerland, belgium, netherlands, the netherlands, denmark, norway, sweden, finland, iceland, poland, greece,
 turkey, russia, ukraine, egypt, morocco, kenya, nigeria, ghana, south africa, israel, india, pakistan, china, japan, south korea, korea, thailand, vietnam, indonesia, malaysia, philippines, australia,
 new zealand, canada, mexico, brazil, argentina, chile, peru, colombia, cuba, jamaica, europe, asia, africa, america, springfield`
