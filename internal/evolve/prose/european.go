package prose

var german = language{
	code: "de", typoLetters: 6, stop: ".",
	nouns: words(`Abkommen Amt Angebot Archiv Auto Bad Band Bauwerk Beispiel Bild Boot Buch Budget Büro Denkmal Dokument Dorf
		Ende Ereignis Ergebnis Fahrrad Fahrzeug Fenster Fest Feuer Foto Gebäude Gebiet Gefängnis Geheimnis Gericht Geschäft
		Gesetz Gespräch Getreide Gewitter Gutachten Haus Hochwasser Hotel Institut Interview Jahr Kapitel Kino Kleid Kloster
		Konzert Krankenhaus Kraftwerk Labor Land Lager Licht Lied Magazin Mittel Modell Museum Netz Opfer Orchester Paket
		Papier Parlament Problem Programm Projekt Protokoll Rathaus Rätsel Recht Rezept Schiff Schloss Schreiben Schwimmbad
		Spiel Stadion Stück System Tal Team Theater Tier Tor Treffen Turnier Unternehmen Urteil Verbot Verfahren Verzeichnis
		Viertel Wasser Werk Werkzeug Wetter Wort Zentrum Zeugnis Ziel Zimmer`),
	adjectives: words(`alte anonyme arme bekannte beliebte bittere breite bunte deutliche digitale dunkle einfache elektrische
		endgültige enge erste falsche fremde frische frühere geheime gelbe gemeinsame genaue glatte große grüne gute halbe
		harte heiße helle hohe jährliche junge kalte klare kleine knappe kurze lange laute leere leichte letzte lokale neue
		nördliche offene öffentliche private reiche ruhige runde schmale schnelle schöne schwache schwere seltene sichere
		späte stille strenge südliche teure tiefe trockene verlorene wichtige wilde zweite`),
	verbs: words(`änderte baute bedrohte begann behielt bekam beschrieb bestellte besuchte bezahlte brachte druckte entdeckte
		erfand erfuhr erhielt erklärte erreichte erweiterte fand feierte finanzierte forderte fotografierte gewann
		gründete kannte kaufte korrigierte kritisierte lieferte lobte löschte machte nannte öffnete plante prüfte
		reparierte rettete sah sammelte schickte schloss schrieb schützte senkte stoppte suchte teilte testete übernahm
		übersetzte untersuchte veränderte verbot verkaufte verlor versprach verteilte verwarf wählte zählte zeigte`),
	times: words(`gestern heute am-Montag am-Freitag im-März im-Juni seit-Ostern vor-Weihnachten nach-Mitternacht im-Herbst`),
	syllables: words(`al an au ba bach bel berg bor bur dal dor eb el en er fal feld frie gar ger grün hag hal hart hau hein
		hil hof ing kal kar kir klein knau lan lau lin lö mar mei mün nau neu nie ober ol rau rei ren ro rü sal schä schön
		see sie stein ste tal thal un ut vel vol wal wei wes wil win zel zie`),
	sentences: lines(`
das {a} {n} von {o} {v} das {n} in {p}
{w}, so heißt es, {v} {t} das {a} {n} und {v} das {n}
in {p} {v} das {n} mehr als {#} Mitglieder, und das {a} {n} {v} niemand
„das {n} {v} unser {n} nie“, sagte {w}, dessen {a} {n} {p} {v}
weil das {n} das {a} {n} {v}, {v} auch {o} {t} sein {n}
nicht das {n} {v} das {n} – es war das {a} {n}, sagt {w}
während {p} das {n} {v}, {v} ein {n} aus {p} ganz leise das {a} {n}
was {w} {v}, war ein {n}; was {p} fehlte, war das {a} {n}
niemand bei {o} ahnte, dass {w} das {a} {n} {v}`),
	headlines: lines(`
{o} {v} das {a} {n} in {p}
wie {w} das {n} {v}
warum das {a} {n} {p} {v}
{w} und das {n} von {o}
das {n}, das {n} und {p}
kein {n} für {p}`),
	phrases: phrases("Nachtrag", "(Aktualisiert)", "Berichtigung", "Alle Rechte vorbehalten, auch die der Übersetzung."),
}

var russian = language{
	code: "ru", typoLetters: 6, stop: ".",
	nouns: words(`автомобиль адвокат актёр альбом архив банк берег билет бюджет вагон вечер воздух вокзал вопрос врач выбор
		герой город двигатель дворец день директор договор документ дождь дом журнал завод закон замок запад
		запрос институт инженер источник канал карандаш клуб ключ комитет компьютер конкурс концерт корабль край кризис
		лагерь лес лётчик магазин маршрут мастер матч министр мост музей народ номер обзор океан орган
		остров ответ отдел отчёт пароход паспорт перевод писатель план подарок поезд показатель порт посёлок поток праздник
		президент приговор прогноз проект профессор путь рассказ результат ресторан рисунок роман рынок сад самолёт секрет
		сервер сигнал снег совет спектакль спор способ стадион суд счёт театр телефон тоннель турнир университет урок
		учебник учёный фестиваль фильм фонд хозяин центр цех чемпион шаг экран экзамен язык`),
	adjectives: words(`бедный белый большой быстрый важный верный весёлый военный высокий главный глубокий горячий готовый
		грустный далёкий деревянный добрый дорогой древний другой жёлтый закрытый зелёный зимний иностранный каменный
		короткий красный крупный лёгкий летний личный медный местный молодой морской мощный неизвестный низкий новый общий
		обычный огромный осенний открытый последний постоянный простой прямой редкий северный секретный сильный сложный
		смелый старый странный строгий сухой тёплый тихий точный трудный тяжёлый узкий устойчивый хороший холодный частный
		широкий южный яркий`),
	verbs: words(`вернул видел выбрал выиграл выпустил доказал закрыл заметил записал защитил изменил искал исправил
		исследовал купил нарушил нашёл объявил одобрил описал опроверг оставил остановил осудил открыл отложил отменил
		перевёл подписал получил поддержал показал покинул построил потерял предложил предсказал проверил продал прочитал
		рассмотрел расширил решил сломал снял собрал создал сократил сравнил улучшил упростил утвердил финансирует
		хранил ценил читал`),
	times: words(`вчера сегодня утром вечером в-понедельник в-пятницу в-марте летом осенью зимой после-полуночи накануне`),
	syllables: words(`ал ан ар ба бе бо ва ве вол га гор гра да де дон ен за зе зор ил ин ка кар ки кол кра ла ле лин ло ма
		мар ме мир мо на не ни нов ок ол ор па пер по ра ре ро ру са сер со ста та те тор тул ул фе хо ца че ша яр`),
	sentences: lines(`
{a} {n} компании {o} {v} {n} в городе {p}
{w} {t} {v} {a} {n}, а затем {v} и {n}
в городе {p} {n} {v} больше {#} человек, хотя {a} {n} этого не ждал
«этот {n} никогда не {v} наш {n}», – сказал {w}, чей {a} {n} {v} {p}
пока {p} обсуждал {n}, {a} {n} из города {p} тихо {v} {n}
по словам {w}, {o} {t} {v} {a} {n}, потому что {n} {v} {n}
никто в {o} не знал, что {w} {v} {a} {n}
то, что {v} {w}, был {n}; городу {p} нужен {a} {n}`),
	headlines: lines(`
{o} {v} {a} {n} в городе {p}
как {w} {v} {n}
почему {a} {n} {v} {p}
{w} и {n} компании {o}
{n}, {n} и {p}
{a} {n} для {p}`),
	phrases: phrases("Дополнение", "(обновлено)", "Поправка", "Все права защищены, включая право на перевод."),
}

var greek = language{
	code: "el", typoLetters: 6, stop: ".",
	nouns: words(`αεροδρόμιο άλμπουμ άρθρο αρχείο αυτοκίνητο βιβλίο βουνό βραβείο γεγονός γήπεδο γράμμα γραφείο δάσος δελτίο
		δέντρο δημοψήφισμα δίκτυο δικαστήριο δώρο εισιτήριο εργαστήριο εργοστάσιο έργο ερώτημα έτος θέατρο θέμα ίδρυμα
		καλοκαίρι κανάλι κάστρο κείμενο κεφάλαιο κίνημα κλειδί κόμμα κράτος κτίριο λάθος λεξικό λιμάνι μάθημα μέλλον μέτρο
		μήνυμα μνημείο μουσείο μυθιστόρημα μυστικό νερό νησί νοσοκομείο νόμισμα ξενοδοχείο όνομα όριο παιχνίδι πακέτο
		παλάτι πανεπιστήμιο πανηγύρι περιοδικό πείραμα πλοίο ποίημα ποτάμι πρόβλημα πρόγραμμα πρωτάθλημα ρεύμα σπίτι
		στάδιο στοιχείο συμβούλιο συμπέρασμα σύνορο σύστημα σχέδιο σχολείο ταμείο τελωνείο τέλος τραγούδι τρένο υπουργείο
		φαγητό φάρμακο φεστιβάλ φράγμα φως χαρτί χωριό χρέος`),
	adjectives: words(`αγροτικό ακριβό αλλαγμένο ανοιχτό ανώνυμο απλό αργό αρχαίο ασφαλές βαθύ βαρύ βιομηχανικό γενικό γνωστό
		γρήγορο δημόσιο διάσημο διεθνές δύσκολο εθνικό ειδικό ελαφρύ ελεύθερο εξωτερικό ετήσιο ζεστό ήσυχο θερμό ιδιωτικό
		ισχυρό καθαρό καινούργιο κακό καλό κεντρικό κλειστό κοινό κόκκινο κρυφό κρύο λεπτό μακρινό μεγάλο μικρό μόνιμο
		μοναδικό ναυτικό νέο ξένο ξερό ξύλινο όμορφο παλιό παράξενο πλούσιο πολύτιμο πράσινο πρόσφατο σημαντικό σκληρό
		σπάνιο σταθερό στενό σύντομο σωστό τελευταίο τεχνικό τοπικό φθηνό χαμένο χρήσιμο`),
	verbs: words(`άλλαξε αγόρασε ανακάλυψε ανακοίνωσε ανέβαλε απέρριψε αποκάλυψε άφησε βελτίωσε βρήκε γιόρτασε διάβασε διάλεξε
		διόρθωσε δοκίμασε έγραψε είδε εξέτασε επισκέφθηκε έσωσε έχασε έχτισε ζήτησε θυμήθηκε κατέγραψε κέρδισε κράτησε
		μείωσε μετέφρασε μέτρησε μοίρασε ξέχασε οργάνωσε παρέδωσε πήρε πλήρωσε προστάτευσε πρότεινε πούλησε σταμάτησε
		στήριξε συγκέντρωσε σύγκρινε τέλειωσε τύπωσε υπέγραψε υποσχέθηκε φοβήθηκε χρηματοδότησε`),
	times: words(`χθες σήμερα απόψε τη-Δευτέρα την-Παρασκευή τον-Μάρτιο τον-Ιούνιο πέρυσι φέτος τα-μεσάνυχτα`),
	syllables: words(`αλ αν αρ βα βε βο γα γε γορ δα δε δρο ελ εν ζα ζε θα θε ιο κα κε κο κρι λα λε λι λο μα με μι μο να νε νι νο
		ξα ξε ορ πα πε πλα πο ρα ρε ρι ρο σα σε σο στα τα τε τρι φα φε φι χα χι χρυ ψα`),
	sentences: lines(`
το {a} {n} της {o} {v} το {n} στην πόλη {p}
ο {w} {t} {v} το {a} {n} και ύστερα {v} το {n}
στην πόλη {p} το {n} {v} πάνω από {#} μέλη, αν και το {a} {n} δεν το περίμενε
«το {n} ποτέ δεν {v} το {n} μας», είπε ο {w}, που {v} το {a} {n}
ενώ η πόλη {p} {v} το {n}, ένα {a} {n} από την {p} {v} το {n}
σύμφωνα με τον {w}, η {o} {t} {v} το {a} {n} επειδή το {n} {v} το {n}
κανείς στην {o} δεν ήξερε ότι ο {w} {v} το {a} {n}`),
	headlines: lines(`
η {o} {v} το {a} {n} στην {p}
πώς ο {w} {v} το {n}
γιατί το {a} {n} {v} την {p}
ο {w} και το {n} της {o}
το {n}, το {n} και η {p}`),
	phrases: phrases("Ενημέρωση", "(ενημερώθηκε)", "Διόρθωση", "Με την επιφύλαξη παντός δικαιώματος, και της μετάφρασης."),
}
