package loop

var claimGerman = claimWords{
	lists: map[string]string{
		"lead": `ok okay ja gut gern gerne klar alles_klar natürlich selbstverständlich sicher super perfekt prima verstanden
			in_ordnung kein_problem sehr_gern sehr_gerne jawohl bitte bitte_schön so dann und toll wunderbar einverstanden wie_gewünscht
			wie_gewünscht_, geht_klar sofort hallo danke na_klar fertig erledigt gute_nacht großartig bestens passt also schon gesagt_getan`,
		"adv": `jetzt nun gerade eben soeben bereits schon auch erfolgreich sofort gleich dann hiermit direkt umgehend gerne gern
			natürlich selbstverständlich endlich wieder alles beides somit damit mal so_eben fertig soweit bestens`,
		"done": `eingeschaltet angeschaltet angemacht ausgeschaltet ausgemacht abgeschaltet umgeschaltet hochgeschaltet aufgedreht
			hochgedreht runtergedreht heruntergedreht zurückgedreht abgedreht gebucht umgebucht reserviert vereinbart ausgemacht
			eingetragen bestätigt abgesagt storniert verschoben verlegt vorverlegt gelöscht entfernt hinzugefügt aufgenommen gesetzt
			gespeichert gesichert hinterlegt vermerkt vorgemerkt gesendet geschickt verschickt versendet abgeschickt abgesendet
			geschrieben benachrichtigt informiert angerufen bestellt gekauft bezahlt überwiesen beglichen abgeschlossen verriegelt
			zugesperrt abgesperrt aufgeschlossen entriegelt aufgesperrt geöffnet aufgemacht geschlossen zugemacht gestartet gestoppt
			angehalten beendet pausiert fortgesetzt abgespielt gedimmt heruntergedimmt runtergedimmt abgedunkelt aufgehellt erhöht
			verringert reduziert gesenkt abgesenkt angepasst geändert umgeändert aktualisiert eingestellt gestellt umgestellt
			hochgefahren runtergefahren heruntergefahren aufgefahren zugefahren hochgestellt aktiviert deaktiviert
			scharfgeschaltet scharf_geschaltet erstellt angelegt eingerichtet geplant eingeplant angesetzt terminiert registriert
			angemeldet abgemeldet übermittelt weitergeleitet weitergegeben veröffentlicht erledigt gemacht getan veranlasst verbunden
			getrennt gesperrt entsperrt stummgeschaltet stumm_geschaltet gewechselt ausgelöst ausgeführt durchgeführt umgesetzt
			übernommen umbenannt ersetzt zurückgesetzt neu_gestartet neugestartet angekündigt durchgesagt ausgerichtet mitgeteilt
			gestrichen freigegeben verlängert verkürzt abgestellt angestellt gegossen gereinigt aufgetragen bescheid_gesagt
			bescheid_gegeben bescheid_gegeben weggeräumt gepostet hochgeladen heruntergeladen geteilt eingeladen notiert_auf
			laufen_lassen laut_gestellt leiser_gestellt lauter_gestellt leiser_gemacht lauter_gemacht übertragen gewählt passiert aufgegeben`,
		"infinitive": `einschalten anschalten anmachen ausschalten ausmachen abschalten umschalten aufdrehen hochdrehen herunterdrehen
			runterdrehen buchen umbuchen reservieren vereinbaren eintragen bestätigen absagen stornieren verschieben verlegen löschen
			entfernen hinzufügen setzen speichern senden schicken verschicken versenden abschicken schreiben benachrichtigen
			informieren anrufen bestellen kaufen bezahlen überweisen abschließen verriegeln zusperren absperren aufschließen
			entriegeln öffnen aufmachen schließen zumachen starten stoppen anhalten beenden pausieren fortsetzen abspielen spielen
			dimmen erhöhen verringern reduzieren senken anpassen ändern aktualisieren einstellen stellen umstellen hochfahren
			herunterfahren runterfahren aktivieren deaktivieren scharfschalten erstellen anlegen einrichten einplanen planen
			registrieren anmelden abmelden übermitteln weiterleiten erledigen veranlassen verbinden trennen sperren entsperren
			stummschalten wechseln auslösen ausführen durchführen umbenennen ersetzen zurücksetzen ankündigen durchsagen ausrichten
			mitteilen erinnern wecken melden kümmern bescheid_sagen bescheid_geben machen tun`,
		"present": `buche reserviere schicke sende verschicke versende lösche entferne öffne schließe starte stoppe dimme bestelle
			bezahle überweise speichere verschiebe storniere aktiviere deaktiviere ändere aktualisiere erhöhe senke verringere
			reduziere benachrichtige informiere sperre entsperre verriegele verriegle entriegele erledige vereinbare erinnere wecke
			pausiere beende verbinde übermittle veranlasse bestätige plane erstelle kümmere verlege schalte`,
		"split":    `mache mach drehe dreh fahre stelle stell setze setz lege trage füge rufe sage sag gebe gib richte nehme teile leite leg melde`,
		"particle": `an aus ein auf zu ab hoch runter herunter leiser lauter heller dunkler wärmer kälter hinzu bescheid weiter mit um fort`,
		"onoff": `an aus ein auf zu offen weg raus scharf fertig aktiv inaktiv online stumm unterwegs erledigt eingeschaltet gesetzt
			verschlossen pausiert gelöscht abgeschlossen leise laut`,
		"thing": `licht lichter lampe lampen deckenlicht heizung thermostat timer wecker alarm erinnerung nachricht mail e-mail sms
			termin termine besprechung buchung reservierung anruf tür haustür garage garagentor tor fenster rollladen rollläden
			rollos rollo jalousie jalousien vorhang vorhänge musik radio fernseher lautstärke helligkeit temperatur ofen wasserkocher
			staubsauger saugroboter roboter szene lied playlist film kamera alarmanlage tisch ticket steckdose schloss eintrag
			aufgabe datei ventilator lüfter kaffeemaschine waschmaschine spülmaschine lautsprecher klimaanlage alles sie er es
			\S*licht \S*lampe \S*termin \S*timer \S*heizung küchenlicht`,
		"be":  `ist sind wurde wurden ward`,
		"say": `sag\S* gib\S* geb\S* nenn\S* bestätig\S* zustimm\S* möcht\S* will\S* wollen brauch\S* mag\S* mög\S* wünsch\S* entscheid\S* mitteil\S* kenn\S* weiß habe wähl\S* ja`,
	},
	expand: []string{" kein problem ", " okay ", " hab ", " habe ", " hab's ", " habe es ", " ist's ", " ist es ", " ich's ", " ich es ", " werd ", " werde "},
	patterns: map[claimKind][]string{
		acted: {
			` (?:ich|wir) (?:habe|haben) (?:\S+ ){0,16}?{done} `,
			` (?:habe|haben) (?:ich|wir) (?:\S+ ){0,16}?{done} `,
			` (?:ich|wir) (?:bin|sind) (?:{adv} )*(?:dabei|dran) `,
			`^ (?:{lead} (?:, )?)*(?:{adv} )*(?:das |es |alles )?(?:(?:ist|wäre|wurde|habe ich) )?(?:{adv} )*(?:erledigt|gemacht|passiert|fertig|getan|geschafft|geregelt)(?: (?:worden|, .*))? (?:$|, )`,
			` (?:betrachte|betrachten|sieh|sehen) (?:\S+ ){1,4}?als (?:erledigt|gebucht|gemacht|abgehakt) `,
			` (?:buchung|bestellung|zahlung|reservierung|stornierung|änderung|anfrage|alles|es|das) (?:hat|haben) (?:\S+ )?geklappt `,
			` (?:sie sind|du bist|ihr seid|wir sind) (?:\S+ ){0,8}?(?:gebucht|eingetragen|angemeldet|registriert|vorgemerkt|eingecheckt) `,
			`^ (?:{lead} (?:, )?)*habe (?:\S+ ){0,14}?{done} `,
			` (?:habe|haben) (?:ich|wir)? ?(?:es |das )?(?:für (?:sie|dich) )?(?:{adv} )*{done} `,
		},
		promise: {
			` (?:ich|wir) (?:werde|werden) (?:\S+ ){0,16}?(?:\S*zu)?{infinitive} `,
			` (?:werde|werden) (?:ich|wir) (?:\S+ ){0,16}?{infinitive} `,
			` ich (?:{adv} )*{present} `,
			` {present} ich `,
			` (?:ich (?:{adv} )*|(?:jetzt|nun|dann|gleich|sofort) )(?:spiele|spiel) (?:(?:jetzt|nun|dir|ihnen|euch|etwas|gleich|ich) )*\S+ (?:im \S+ |für \S+ |ab )*(?:$|, )`,
			` ich (?:{adv} )*schreibe (?:jetzt |nun )?(?:ihm|ihr|ihnen|an|[a-zäöü]+ (?:eine|die|dass|, dass)) `,
			` (?:du wirst|ihr werdet|sie werden|wirst du|werden sie) (?:\S+ ){0,8}?(?:erinnert|geweckt|benachrichtigt|informiert|angerufen) `,
			` (?:du bekommst|sie bekommen|sie erhalten|du erhältst|du kriegst) (?:\S+ ){0,6}?(?:erinnerung|benachrichtigung|bestätigung|nachricht) `,
			` (?:ich (?:{adv} )*{split}|{split} ich) (?:\S+ ){0,14}?{particle} `,
			` (?:ich (?:{adv} )*(?:stelle|setze|drehe|fahre|lege|schreibe)|(?:stelle|setze|drehe|fahre|lege) ich) (?:\S+ ){1,8}?(?:auf|in) (?:\S+ ){1,4}`,
			` (?:wird|werden) (?:{adv} )*(?:gemacht|erledigt) `,
			`^ (?:{lead} (?:, )?)*(?:(?:mache|mach|kümmere) ich|geht klar)(?: (?:mich darum|gerne?|sofort))? (?:$|, )`,
		},
		stands: {
			` {be} (?:\S+ ){0,14}?{done} `,
			` (?:wird|werden) (?:\S+ ){0,10}?{done} `,
			` (?:ist|sind) (?:\S+ ){0,6}?{onoff} (?:$|, |und |aber )`,
			` (?:sollte|sollten|müsste|müssten|dürfte|dürften) (?:\S+ ){0,8}?(?:{onoff}|{done}) (?:sein|worden sein) `,
			` {thing} (?:\S+ ){0,3}?(?:läuft|laufen|brennt|brennen|leuchtet|leuchten|startet|spielt|öffnet sich|schließt sich|fährt|steht) `,
			` (?:steht|stehen) (?:\S+ ){0,3}?(?:auf|in) (?:der|deiner|ihrer|dem|deinem|ihrem|eurer) (?:\S+ )?(?:\S*liste|\S*kalender|warenkorb) `,
			` (?:läuft|saugt|spielt|wischt) (?:jetzt|nun) `,
			`^ (?:{lead} (?:, )?)*\S+ läuft (?:$|, )`,
			` (?:ging|gingen|geht|gehen) (?:\S+ ){0,6}?(?:raus|an|aus|auf|zu) (?:$|, )`,
			`^ (?:{lead} (?:, )?)*(?:{adv} )*(?:worden )?{done}(?: {adv})* (?:$|, |für |auf |an |von |um |am )`,
			`^ (?:{lead} (?:, )?)*(?:(?:der|die|das|dein|deine|ihr|ihre|alle|ein|eine) )?(?:\S+ ){0,2}?{thing} (?:\S+ ){0,8}?(?:{done}|an|aus|offen|zu)(?: {adv})* (?:$|, |für |am |um )`,
		},
	},
	unless:  `^ (?:ich|wir) (?:habe|haben) (?:\S+ ){0,8}?(?:gesagt|gelesen|gesehen|gefunden|gehört|gemerkt) |^ ich (?:{adv} )*(?:sage|gebe|nehme|stelle|spiele) (?:dir |ihnen |dazu )?(?:mal |gern )?(?:an|mir|vor|fest) (?:$|, )`,
	denied:  ` (?:nicht|nichts|kein|keine|keinen|keiner|keinem|keines|nie|niemals|niemand|weder|ohne|ungern) `,
	remains: ` (?:noch|weiterhin|immer|meist|meistens|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|täglich|auf deutsch|auf englisch|oft|normalerweise|üblicherweise|gewöhnlich|stets|nur|bleibt|bleiben|gedacht|km|kilometer|meter|weit|belegt) `,
	already: ` (?:schon|bereits|noch) `,
	before:  ` (?:wenn|ob|sobald|falls|bevor|nachdem|bis|solange|dass|weil|damit|welche|welcher|welches|wie du|vorausgesetzt|wo|wer|hätte|hätten|würde|würden|könnte|könnten|kann|können|soll|sollen) `,
	bound:   ` (?:wenn|sobald|falls|bevor|erst|nachdem|solange) (?:\S+ ){0,10}?{say} | (?:nur|erst) `,
	past:    ` (?:gestern|vorgestern|letzte|letzten|letzter|letztes|vorhin|seit|damals|1\d\d\d|20\d\d|vor (?:\S+ )?(?:minuten|stunden|tagen|wochen|jahren)|von (?:\S+ )?[a-zäöü]{3,} (?:\S+ )?{done}) `,
	told:    ` (?:sagt|schreibt|steht|laut|wurde|wurden|weil|zeigt|meldet) `,
	gerund:  `^ \x00`,
	asks: `^ (?:(?:hey|hallo|ok|okay|und|bitte|chatterbox|also|äh|ähm) (?:, )?)*(?:was|wann|wo|wer|wem|wen|wessen|welche\S*|wie|warum|wieso|weshalb|woran|wofür|wozu|woher|wohin|worauf|ist|sind|war|waren|wurde|wurden|hat|haben|habe|hast|gibt|steht|läuft|brauche|muss|darf|` +
		`sag (?:mir|uns)|zeig\S*|lies|lese|schau\S*|prüf\S*|nenn\S*|erklär\S*|beschreib\S*|such\S*|finde|gib mir|erzähl\S*|check\S*) `,
	commands: ` (?:und|dann|,) (?:bitte |auch |dann )*(?:mach|mache|schalt|schalte|stell|stelle|setz|setze|erinner|erinnere|buch|buche|schick|schicke|send|sende|lösch|lösche|ruf|rufe|spiel|spiele|öffne|schließ|schließe|dimm|dimme|start|starte|stopp|stoppe|trag|trage|füg|füge|verschieb|verschiebe|bestell|bestelle|dreh|drehe|weck|wecke|schreib|schreibe) |` +
		`^ (?:wie wär\S*|ist es möglich|was hältst) `,
	playful: ` (?:wie sagt man|übersetz\S*|was heißt .* auf|erzähl\S* (?:mir |uns )?(?:\S+ ){0,2}?(?:geschichte|witz|märchen|rätsel)|schreib\S* (?:mir )?(?:eine |ein )?(?:\S+ )?(?:geschichte|gedicht|lied)|buchstabier\S*|sing) `,
	tag:     `^ (?:, )(?:richtig|stimmt's|oder|nicht wahr|korrekt|ja) \? $`,
	safe:    `^ (?:{lead} (?:, )?)*(?:was|welche\S*|wer|wo|wie|warum|wann|möchten|möchtest|soll|sollen|kann|kannst|können|könnten|darf|willst|wollen|leider) \S+ `,
	harmless: `^ (?:[a-zäöüß-]+ ){1,5}?(?:kann|können|könnte|könnten|könntest|darf|muss|müssen|möchte|möchten|brauche|kostet|kosten|bedeutet|heißt|regnet|schneit|liegt|lebt|leben|gibt) \S+ |` +
		`^ (?:{lead} , )*es (?:ist|sind|hat) (?:ca |etwa |gerade )?\d\S* `,
	boundary: `^(?:und|aber|also|dann|ich|wir|habe|hab|haben|ist|sind|wurde|wurden|werde|wird|erledigt|alles|das|die|der|betrachte|wenn|dass)$`,
	subject:  `^(?:das|die|der)$`,
}
