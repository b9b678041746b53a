package extract

// germanFillers stand between a correction and its value, or before an answer, and mean nothing.
const germanFillers = `äh ähm öhm hm also um am im in es ist auf den der das dem wäre sagen wir mal vielleicht so gegen ich ja dann eher doch besser naja tja
 eigentlich machen ab für zum bitte`

const germanPlaces = `hause haus büro arbeit schule kindergarten universität uni bücherei bibliothek kirche flughafen bahnhof hauptbahnhof krankenhaus klinik apotheke bank hotel restaurant
 café cafe bar kneipe fitnessstudio schwimmbad park strand supermarkt markt bäckerei theater kino museum zoo stadion garage keller dachboden küche schlafzimmer badezimmer bad flur
 wohnzimmer esszimmer garten terrasse balkon arbeitszimmer kinderzimmer zahnarzt arzt friseur rathaus innenstadt gästezimmer werkstatt praxis`

const germanNoPlaces = `allgemeinen ordnung ruhe zukunft eile zeit fall falle bett moment anfang ende prinzip etwa kürze zwischenzeit wirklichkeit wahrheit sicht deutsch englisch
 bezug zusammenhang form gedanken not stimmung minuten stunden tagen wochen lautstärke grad prozent fernsehen radio internet leben woche monat jahr hälfte durchschnitt urlaub ferien`

const germanCommon = `ab aber abend alle allein alles als also am an andere anderen ändern anruf anrufen antwort auch auf aus bald bei beim bekomme besser bestellen bestimmt bin bis bisschen bitte brauche brauchen
 buchen da dabei daher danke dann daran das dass dein deine dem den denn der des dich die dies diese diesen dieser dieses dir doch dort draußen du durch dürfen egal eigentlich ein eine einem einen einer
 eines einfach einmal er erst es etwas euch fertig frage fragen früh für ganz gar geben gegen geh gehe gehen geht genau gerade gern gerne gestern gib gibt gleich groß gut gute guten guter hab
 habe haben halb hallo halt hast hat hatte hätte heißt helfen heute hier hilfe hin hunger ich ihm ihn ihr ihre immer in ins ist ja jede jeden jeder jemand jetzt kalt kann kannst kein keine keinen keiner
 klar klein kurz komme kommen kommt können könnte krank lang lange langsam lass laut leben leider licht lieber los mach mache machen mal man mehr mein meine meinem meinen meiner meinst mich mir mit mittag möchte
 moment morgen muss müde müssen nach nächste nächsten name namen natürlich neben nein nett neue nicht nichts nie niemand noch nun nur ob oder ohne okay paar passt perfekt prima pünktlich recht richtig
 ruf rufen sage sagen schade schicken schnell schon schön sehe sehr sei sein seine seit sich sicher sie sind so soll sollte sondern spät später spreche stimmt stunde suche tag termin termine toll tut
 über uhr um und ungefähr uns unser unten unter unterwegs vereinbaren vergessen verspätet verstanden viel vielen vielleicht von vor vorbei wann war wäre warte warten warum was weg weil weiß weit welche wem
 wen wenig wenn wer werde werden wie wieder will wir wird wirklich wo woche wohl wohne wohnen wollen wollte wollen worden wovon würde würden zeit ziemlich zu zufrieden zuhause zum zur zurück zusammen zwischen
 kunde kundin mann frau sohn tochter mama papa mutter vater bruder schwester oma opa chef kollege freund freundin nachbar zahnarzt arzt klempner handwerker wetter wohnung haus auto müll hund katze
 essen trinken kaffee küche angebot reinigung besichtigung telefonnummer nummer adresse erinnere erinner erinnerung stell stelle dringend wichtig anderes uhrzeit datum ganze mitarbeiter`

const germanGiven = `sabine jürgen uwe heike ute petra birgit gisela ingrid renate helga karin brigitte erika ursula monika angelika gabriele christa heinz horst günter günther werner wolfgang dieter manfred klaus
 bernd detlef rainer reiner jens sven thorsten torsten holger ralf rolf axel kai stefan matthias andreas michael thomas christian markus florian tobias sebastian jan jonas lukas leon finn ben paul
 felix maximilian moritz niklas tim anna anja anke antje katrin kathrin katja kerstin silke sonja tanja nicole nadine jana jasmin julia laura lena lea leonie hanna hannah mia emma sophie marie johanna
 charlotte clara frieda greta ida lotte mathilda friedrich heinrich wilhelm hermann karl otto gerd gerhard harald hartmut helmut herbert joachim jochen jörg johannes josef ludwig lothar max peter
 philipp robert rudolf siegfried stephan ulrich udo volker walter wilfried gudrun hannelore heidi hildegard irmgard jutta marion martina regina rita rosemarie silvia susanne sigrid waltraud mehmet ayşe fatma`

const germanCities = `münchen, köln, frankfurt, frankfurt am main, düsseldorf, dortmund, essen, bremen, hannover, nürnberg, duisburg, bochum, wuppertal, bielefeld, bonn, münster, karlsruhe, mannheim, augsburg,
 wiesbaden, mainz, kiel, lübeck, rostock, erfurt, jena, magdeburg, halle, potsdam, freiburg, heidelberg, ulm, würzburg, regensburg, passau, kassel, göttingen, braunschweig, wolfsburg, oldenburg, osnabrück,
 saarbrücken, trier, koblenz, aachen, krefeld, wien, linz, innsbruck, klagenfurt, bregenz, zürich, genf, luzern, rom, mailand, venedig, neapel, florenz, lissabon, brüssel, antwerpen, kopenhagen, warschau,
 krakau, prag, athen, moskau, kairo, peking, tokio, neu delhi, deutschland, österreich, die schweiz, schweiz, frankreich, italien, spanien, griechenland, türkei, polen, tschechien, ungarn, dänemark,
 schweden, norwegen, finnland, england, schottland, irland, amerika, usa, bayern, hessen, sachsen, thüringen, brandenburg, niedersachsen, baden-württemberg, nordrhein-westfalen, straßburg, mallorca, südtirol`
