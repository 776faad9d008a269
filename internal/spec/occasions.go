package spec

import "unicode"

// occasions are the languages in which a hint of when to use a skill is
// recognised. The lists are generous: a hint that is none costs an advice, an
// advice that is wrong costs trust.
var occasions = []language{
	{name: "English", marks: "the and of to for with from into by your about this that these those which using their its through between against across without within",
		hints: []string{"when", "whenever", "if", "while", "before", "after", "during", "once", "upon", "unless", "until", "anytime", "always",
			"use", "used", "useful", "trigger*", "keywords", "invoke*", "activate*", "asks", "asked", "asking", "mention*", "wants", "needs", "needed", "needing",
			"user request", "users request", "on request", "requested", "in case", "in cases", "use case", "encounter*",
			"suitable", "ideal", "handy", "intended", "relevant", "appropriate", "scenario*", "situation*", "must", "should", "whether"}},
	{name: "German", marks: "der die das und mit für von ein eine zu aus",
		hints: []string{"wenn", "falls", "sobald", "beim", "bevor", "nachdem", "während", "immer", "verwende*", "nutze*", "benutze*", "einsetz*", "geeignet", "hilfreich", "bei"}},
	{name: "Dutch", marks: "het een van voor met uit",
		hints: []string{"wanneer", "als", "zodra", "tijdens", "bij", "indien", "gebruik*", "geschikt", "handig"}},
	{name: "French", marks: "le la les des du un une et pour avec dans",
		hints: []string{"quand", "lorsque", "lorsqu", "lors", "dès", "si", "utilise*", "utiliser", "employer", "avant", "après", "pendant", "chaque", "utile", "déclench*", "cas"}},
	{name: "Spanish", marks: "el los las del una y para con en de",
		hints: []string{"cuando", "si", "al", "usa", "usar", "use", "úsese", "úsalo", "úsala", "utiliza*", "utilice*", "siempre", "durante", "antes", "después", "cada", "útil", "caso"}},
	{name: "Portuguese", marks: "o os as do da dos das um uma e para com em de",
		hints: []string{"quando", "se", "ao", "sempre", "caso", "usar", "use", "utilize*", "utilizar", "durante", "antes", "depois", "após", "cada", "útil"}},
	{name: "Italian", marks: "il lo gli della del un una e per con di da",
		hints: []string{"quando", "se", "qualora", "usa", "usare", "usalo", "utilizza*", "durante", "prima", "dopo", "ogni", "utile", "caso"}},
	{name: "Polish", marks: "i w z na do dla oraz się",
		hints: []string{"gdy", "kiedy", "jeśli", "jeżeli", "podczas", "przed", "po", "przy", "zawsze", "używaj", "użyj", "stosuj", "przydatn*"}},
	{name: "Czech and Slovak", marks: "a v z na do pro a se",
		hints: []string{"když", "pokud", "jakmile", "při", "během", "před", "použij*", "používej*", "keď", "ak", "použi", "použite", "používaj*", "počas"}},
	{name: "Nordic", marks: "och som för med av til og på en et",
		hints: []string{"när", "om", "når", "hvis", "under", "innan", "før", "efter", "etter", "använd*", "brug", "bruk", "brukes", "bruges", "användbar"}},
	{name: "Finnish", marks: "ja tai sekä on", hints: []string{"kun", "jos", "käytä", "ennen", "jälkeen", "aina", "silloin"}},
	{name: "Hungarian", marks: "és az egy vagy", hints: []string{"amikor", "ha", "mikor", "használd", "használja", "előtt", "után", "közben", "mindig", "esetén"}},
	{name: "Romanian", marks: "și din pentru cu la un", hints: []string{"când", "dacă", "folosește", "folosiți", "utilizează", "înainte", "după", "timpul", "ori", "atunci"}},
	{name: "Turkish", marks: "ve bir ile için", hints: []string{"zaman", "*ken", "*ince", "*ınca", "*unca", "*ünce", "*rsa", "*rse", "eğer", "kullan", "kullanın", "kullanılır", "durumunda", "sırasında", "önce", "sonra", "*diğinde", "*dığında", "*tiğinde", "*tığında", "*duğunda", "*düğünde"}},
	{name: "Vietnamese", marks: "và các cho từ của với", hints: []string{"khi", "nếu", "lúc", "trước", "sau", "dùng", "sử dụng"}},
	{name: "Indonesian and Malay", marks: "dan dari untuk yang dengan", hints: []string{"ketika", "saat", "jika", "bila", "apabila", "gunakan", "sebelum", "setelah", "selama", "kalau"}},
	{name: "Russian and kin", script: unicode.Cyrillic, hints: []string{"когда", "если", "при", "во время", "перед", "после", "использ*", "примен*", "всегда", "подходит", "полез*", "случа*",
		"коли", "якщо", "під час", "використ*", "застосов*", "когато", "ако", "използва*", "када", "кад", "користи*", "калі"}},
	{name: "Greek", script: unicode.Greek, hints: []string{"όταν", "εάν", "αν", "κατά", "πριν", "μετά", "χρησιμοποι*", "όποτε", "για χρήση"}},
	{name: "Hebrew", script: unicode.Hebrew, hints: []string{"כאשר", "כש*", "אם", "בעת", "לפני", "אחרי", "השתמש*", "בזמן", "מתי", "יש להשתמש"}},
	{name: "Arabic and Persian", script: unicode.Arabic, hints: []string{"عندما", "عند", "إذا", "اذا", "حين", "حينما", "كلما", "قبل", "بعد", "أثناء", "استخدم*", "يستخدم", "تستخدم", "يُستخدم", "وقتی", "هنگام*", "اگر", "زمانی", "استفاده", "جب", "اگر"}},
	{name: "Hindi and kin", script: unicode.Devanagari, parts: true, hints: []string{"जब", "यदि", "अगर", "उपयोग", "प्रयोग", "दौरान", "पहले", "बाद", "जेव्हा", "जर", "समय", "इस्तेमाल"}},
	{name: "Bengali", script: unicode.Bengali, parts: true, hints: []string{"যখন", "যদি", "ব্যবহার", "সময়", "আগে", "পরে"}},
	{name: "Thai", script: unicode.Thai, parts: true, hints: []string{"เมื่อ", "ถ้า", "หาก", "ขณะ", "ก่อน", "หลัง", "เวลา", "ใช้", "กรณี", "ตอน"}},
	{name: "Korean", script: unicode.Hangul, parts: true, hints: []string{"때", "경우", "시에", " 시 ", "면 ", "사용", "이용", "활용", "전에", "후에", "동안", "요청"}},
	{name: "Japanese", script: japanese, parts: true, hints: []string{"とき", "時", "場合", "際", "たら", "れば", "なら", "前に", "後に", "使用", "利用", "使う", "使い", "使って", "用いる", "依頼", "求め", "トリガー", "たい", "必要"}},
	{name: "Chinese", script: unicode.Han, parts: true, hints: []string{"当", "當", "时", "時", "如果", "若", "用于", "用於", "适用", "適用", "适合", "適合", "使用", "场景", "場景", "情况", "情況", "触发", "觸發", "需要", "请求", "請求", "之前", "之后", "每次", "每当", "必须", "一旦", "可用", "调用", "想要", "要求", "提到", "凡是", "遇到"}},
}

// japanese is what tells Japanese from Chinese.
var japanese = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x30FF, Stride: 1}}}
