package lint

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/review/prose"
)

// tongue is how one language says what the rules of words look for: stems and short
// phrases in lower case, of which one has to stand in a sentence. Orders and what must be
// are listed in the forms that order; what a tool says of itself in the third person is
// not.
type tongue struct {
	drop, prior, law    []string // "ignore", "all previous", "instructions"
	hush, user, content []string // "do not tell", "the user", what may well be kept back
	first, tool, must   []string // "before all others", "tool", "must be called"
	take, send, freight []string // "read", "send", "file"
	before, whole, talk []string // "before each use", "full", "conversation"
	void                []string // "no longer hold"
	guard               []string // "detects": says what the tool looks for
	prompt              []string // "system prompt"
	latin               bool     // is written in Latin letters, so it is known by words
	isWritten           func(rune) bool
	signs               string // words by which a Latin text is known, between blanks
}

var tongues = []tongue{
	{ // German
		latin: true, signs: "sie ein eine einen von auf mit wird des bitte der die das und nicht ist für wenn dem den dein deine deinen alle ignoriere vergiss benutzer nutzer anweisungen niemals sende werkzeug dieses systemprompt gespräch",
		drop: []string{"ignorier", "vergiss", "vergessen sie", "missachte", "verwirf", "übergehe", "überschreib", "setze dich hinweg", "beachte nicht", "nicht mehr beachten", "gelten nicht mehr", "lass alle"}, prior: []string{"vorherig", "bisherig", "früher", "vorangegangen", "vorangehend", "obig", "alle ", "deine ", "ihre ", "zuvor", "ursprünglich", "vorigen", "sämtlich", "jegliche", "jede ", "des systems", "vorher"},
		law:  []string{"anweisung", "instruktion", "vorgaben", "vorschriften", "regeln", "richtlinien", "systemprompt", "system-prompt", "befehle", "anordnung", "was dir gesagt", "was man dir"},
		hush: []string{"sage dem", "nicht informieren", "nicht mitteilen", "nicht erwähnen", "nicht verraten", "nichts sagen", "sag dem", "sagen sie dem", "sag es", "darf nicht erfahren", "darf nichts", "darf nicht wissen", "darf davon nicht", "nicht erfahren", "nichts davon", "erwähne", "erwähnen sie", "verschweig", "verheimlich", "verbirg", "ohne dem", "ohne den", "informiere", "informieren sie", "verrate", "teile dem", "zeige dem", "melde dem"},
		user: []string{"benutzer", "nutzer", "anwender", "kunde", "menschen", "bediener", "person"}, content: []string{"passwort", "kennwort", "token", "schlüssel", "geheim", " id"},
		first: []string{"höchste priorität", "vor allen anderen", "immer zuerst", "als erstes", "vor jedem anderen", "statt aller anderen"}, tool: []string{"werkzeug", "tool", "funktion"}, must: []string{"muss", "immer", "stets", "höchste", "rufe", "verwende", "nutze"},
		take: []string{"lies ", "lesen sie", "öffne", "kopier", "lade ", "füge", "gib ", "hole "}, send: []string{"sende", "schick", "übermittle", "leite", "kopiere", "lade ", "maile", "übertrage"}, freight: []string{"datei", "nachricht", "gespräch", "dokument", "daten", "inhalt", "kopie", "verlauf", "eingabe", "antwort", "passw"},
		before: []string{"bevor", "vor jed", "vor der", "vor dem", "zuerst"}, whole: []string{"ganz", "gesamt", "vollständig", "komplett", "wörtlich", "bisherig", "dein", "ihr "}, talk: []string{"unterhaltung", "gespräch", "chatverlauf", "konversation", "dialog"}, prompt: []string{"systemprompt", "system-prompt", "systemanweisung", "systemnachricht"},
		void:  []string{"nicht mehr", "nicht länger", "ungültig", "hinfällig", "überholt"},
		guard: []string{"erkenn", "findet ", "prüft, ob", "blockier", "verhindert", "schützt"},
	},
	{ // French
		latin: true, signs: "un est qui sur avec le la les du et ne pas vous tu une dans ignorez oublie oubliez utilisateur jamais outil consignes ta votre vos toutes sans dans l'utilisateur d'utilisateur d'abord n'informe n'informez",
		drop: []string{"ignore", "oublie", "néglige", "ne tiens pas compte", "ne tenez pas compte", "ne tenez plus compte", "ne tiens plus compte", "fais abstraction", "faites abstraction", "écarte", "contourne", "passe outre", "passez outre", "n'obéis plus", "ne suis plus", "ne suivez plus"}, prior: []string{"précédent", "antérieur", "ci-dessus", "toutes ", "tous ", "l'ensemble", "tes ", "vos ", "du système", "d'avant", "initial", "avant", "jusqu'ici"},
		law:  []string{"instructions", "consignes", "règles", "directives", "ordres", "prompt", "ce qu'on t'a dit", "ce qu'on vous a dit", "ce qui t'a été dit"},
		hush: []string{"ne pas informer", "ne pas dire", "ne pas mentionner", "ne pas révéler", "ne pas montrer", "ne pas prévenir", "ne pas avertir", "ne pas signaler", "ne rien dire", "ne dis", "ne dites", "ne le dis", "ne lui dis", "ne lui dites", "n'informe", "n'en informe", "ne mentionne", "ne révèle", "ne montre", "ne signale", "n'avertis", "ne préviens", "ne prévenez", "ne parle", "sans informer", "sans en informer", "sans prévenir", "sans avertir", "sans le dire", "ne doit pas savoir", "ne doit jamais savoir", "ne doit rien savoir", "ne doit pas être informé", "cache ", "cachez", "dissimule", "à l'insu"},
		user: []string{"utilisateur", "usager", "client", "l'humain", "opérateur", "la personne"}, content: []string{"mot de passe", "jeton", "token", "clé ", "secret", "identifiant"},
		first: []string{"priorité absolue", "plus haute priorité", "priorité la plus", "avant tout autre", "avant tous les autres", "toujours en premier", "en priorité sur"}, tool: []string{"outil", "fonction"}, must: []string{"doit", "toujours", "appelle", "appelez", "utilise", "priorité"},
		take: []string{"lis ", "lisez", "ouvre", "copie", "charge", "ajoute", "joins"}, send: []string{"envoie", "envoyez", "transmets", "transmettez", "transfère", "copie", "publie", "poste ", "téléverse"}, freight: []string{"fichier", "message", "conversation", "document", "données", "contenu", "copie", "historique", "réponse", "mot de passe"},
		before: []string{"avant ", "d'abord"}, whole: []string{"entière", "complet", "complète", "intégral", "toute la", "tout l'", "mot à mot", "ton ", "votre "}, talk: []string{"conversation", "discussion", "historique du chat", "dialogue"}, prompt: []string{"prompt système", "invite système", "message système", "instructions système"},
		void:  []string{"ne s'appliquent plus", "ne sont plus", "ne valent plus", "ne comptent plus", "annulées", "caduques"},
		guard: []string{"détecte", "repère", "bloque", "empêche", "protège"},
	},
	{ // Spanish
		latin: true, signs: "un en es se el la los las del y que por usuario nunca herramienta ignora olvida instrucciones todas tus conversación completa envía sin",
		drop: []string{"ignora", "ignore ", "ignoren", "olvida", "olvide", "descarta", "descarte", "omite ", "omita", "haz caso omiso", "haga caso omiso", "no hagas caso", "no sigas", "no siga", "desobedece", "pasa por alto", "anula"}, prior: []string{"anterior", "previa", "previo", "todas ", "todos ", "cualquier", "del sistema", "tus ", "sus ", "arriba", "original", "antes", "hasta ahora"},
		law:  []string{"instruccion", "instrucción", "reglas", "directrices", "indicaciones", "órdenes", "normas", "prompt", "lo que te indicaron", "lo que te dijeron", "lo que te pidieron", "lo que se te"},
		hush: []string{"no informar", "no decir", "no mencionar", "no revelar", "no mostrar", "no avisar", "no le digas", "no le diga", "no digas", "no diga", "no informes", "no informe ", "no le informe", "no menciones", "no mencione", "no reveles", "no revele", "no muestres", "no muestre", "no avises", "no avise", "no le cuentes", "no comuniques", "nunca le digas", "nunca digas", "nunca menciones", "nunca informes", "sin informar", "sin avisar", "sin decir", "sin que el", "no debe saber", "no debe enterarse", "no debe ser informad", "oculta", "oculte ", "esconde", "a espaldas"},
		user: []string{"usuario", "cliente", "humano", "operador", "la persona"}, content: []string{"contraseña", "token", "clave", "secret", " id"},
		first: []string{"máxima prioridad", "prioridad máxima", "mayor prioridad", "prioridad absoluta", "antes que cualquier otra", "antes de cualquier otra", "antes que las demás", "siempre primero", "siempre en primer lugar"}, tool: []string{"herramienta", "función"}, must: []string{"debe", "siempre", "usa", "llama", "prioridad"},
		take: []string{"lee ", "lea ", "abre", "abra ", "copia", "carga", "incluye", "incluya", "adjunta"}, send: []string{"envía", "envia", "envíe", "envie", "manda", "mande", "reenvía", "copia ", "sube ", "publica", "transmite"}, freight: []string{"archivo", "fichero", "mensaje", "conversación", "documento", "datos", "contenido", "copia", "historial", "respuesta", "contraseña"},
		before: []string{"antes de", "primero"}, whole: []string{"complet", "enter", "toda la", "todo el", "literal", "tu ", "su "}, talk: []string{"conversación", "diálogo", "historial del chat", "historial de chat"}, prompt: []string{"prompt del sistema", "prompt de sistema", "instrucciones del sistema", "mensaje del sistema"},
		void:  []string{"ya no ", "quedan anuladas", "no valen", "sin efecto"},
		guard: []string{"detecta", "bloquea", "impide", "protege"},
	},
	{ // Portuguese
		latin: true, signs: "um da em não uma que usuário usuario utilizador nunca ferramenta ignora desconsidere esqueça instruções todas suas teus conversa envie",
		drop: []string{"ignore", "ignora", "desconsider", "esqueça", "esquece", "descarte", "despreze", "não siga", "deixe de lado", "desobedeça", "anule"}, prior: []string{"anterior", "prévia", "acima", "todas ", "todos ", "qualquer", "do sistema", "suas ", "tuas ", "original", "originais", "antes", "até agora"},
		law:  []string{"instruç", "regras", "diretrizes", "ordens", "orientações", "prompt", "o que te disseram", "o que lhe foi", "o que te foi"},
		hush: []string{"não informar", "não dizer", "não mencionar", "não revelar", "não mostrar", "não avisar", "não diga", "não conte", "não informe", "não mencione", "não revele", "não mostre", "não avise", "não comunique", "nunca diga", "nunca conte", "nunca mencione", "nunca informe", "nunca revele", "sem informar", "sem avisar", "sem dizer", "sem que o", "não deve saber", "não pode saber", "não deve ser informad", "oculte", "esconda"},
		user: []string{"usuário", "usuario", "utilizador", "cliente", "humano", "operador", "a pessoa"}, content: []string{"senha", "token", "chave", "segredo", " id"},
		first: []string{"máxima prioridade", "prioridade máxima", "maior prioridade", "prioridade absoluta", "antes de qualquer outra", "sempre primeiro", "sempre em primeiro"}, tool: []string{"ferramenta", "função"}, must: []string{"deve", "sempre", "use ", "chame", "prioridade"},
		take: []string{"leia", "abra", "copie", "carregue", "inclua", "anexe"}, send: []string{"envie", "envia", "mande", "encaminhe", "copie", "publique", "transmita", "carregue"}, freight: []string{"arquivo", "ficheiro", "mensagem", "conversa", "documento", "dados", "conteúdo", "cópia", "histórico", "resposta", "senha"},
		before: []string{"antes de", "primeiro"}, whole: []string{"complet", "inteir", "toda a", "todo o", "literal", "seu ", "teu "}, talk: []string{"conversa", "diálogo", "histórico do chat"}, prompt: []string{"prompt do sistema", "prompt de sistema", "instruções do sistema", "mensagem do sistema"},
		void:  []string{"não valem mais", "já não ", "não se aplicam", "sem efeito", "foram anuladas"},
		guard: []string{"detecta", "deteta", "bloqueia", "impede", "protege"},
	},
	{ // Italian
		latin: true, signs: "di è il lo gli della e che utente strumento ignora ignorate dimentica istruzioni tutte tue sue conversazione invia all'utente l'utente dell'utente senza",
		drop: []string{"ignora", "ignorate", "dimentica", "trascura", "scarta", "non seguire", "non tenere conto", "non tener conto", "tralascia", "disattendi", "annulla"}, prior: []string{"precedent", "anterior", "di cui sopra", "tutte ", "tutti ", "qualsiasi", "del sistema", "tue ", "vostre ", "original", "prima", "finora"},
		law:  []string{"istruzion", "regole", "direttive", "linee guida", "ordini", "prompt", "quello che ti", "ciò che ti"},
		hush: []string{"non dire", "non dite", "non dirlo", "non informare", "non menzionare", "non rivelare", "non mostrare", "non avvisare", "non comunicare", "non far sapere", "mai dire", "senza informare", "senza dire", "senza dirlo", "senza avvisare", "senza che l'", "non deve sapere", "non deve essere informat", "nascondi", "tieni nascosto", "all'insaputa"},
		user: []string{"utente", "cliente", "umano", "operatore", "la persona"}, content: []string{"password", "token", "chiave", "segret"},
		first: []string{"massima priorità", "priorità massima", "priorità assoluta", "prima di qualsiasi altro", "prima di ogni altro", "prima di tutti gli altri", "sempre per primo"}, tool: []string{"strumento", "funzione", "tool"}, must: []string{"deve", "sempre", "usa", "chiama", "priorità"},
		take: []string{"leggi", "apri", "copia", "carica", "includi", "allega"}, send: []string{"invia", "manda", "inoltra", "copia", "pubblica", "trasmetti", "spedisci"}, freight: []string{"file", "messaggi", "conversazione", "documento", "dati", "contenuto", "copia", "cronologia", "risposta", "password"},
		before: []string{"prima di", "per prima cosa"}, whole: []string{"intera", "complet", "tutta la", "tutto il", "parola per parola", "tuo ", "tua "}, talk: []string{"conversazione", "dialogo", "cronologia della chat"}, prompt: []string{"prompt di sistema", "prompt del sistema", "istruzioni di sistema", "messaggio di sistema"},
		void:  []string{"non valgono più", "non si applicano", "non contano più", "annullate"},
		guard: []string{"rileva", "blocca", "impedisce", "protegge"},
	},
	{ // Russian
		isWritten: func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) },
		drop:      []string{"игнорируй", "проигнорируй", "забудь", "не обращай внимания", "не следуй", "не соблюдай", "отбрось", "отмени", "пренебреги", "не выполняй"}, prior: []string{"предыдущ", "прежн", "ранее", "прошл", "вышеуказанн", "выше", "все ", "всё", "всех ", "любые", "любых", "системн", "твои", "свои", "ваши", "исходн", "раньше"},
		law:  []string{"инструкци", "правил", "указани", "команд", "директив", "промпт", "распоряжени", "что тебе говорили", "что тебе сказали", "что вам говорили"},
		hush: []string{"не сообщать", "не говорить", "не показывать", "не упоминать", "не раскрывать", "не говори", "не сообщай", "не рассказывай", "не упоминай", "не показывай", "не раскрывай", "не уведомляй", "не информируй", "не должен знать", "не должен узнать", "не должна знать", "втайне", "скрой", "скрывай", "утаи", "без ведома", "не сообщая", "не уведомляя", "никому не говори"},
		user: []string{"пользовател", "человек", "клиент", "оператор", "юзер"}, content: []string{"парол", "токен", "ключ", "секрет"},
		first: []string{"наивысший приоритет", "высший приоритет", "раньше всех", "прежде всех", "перед любым другим", "всегда первым", "в первую очередь"}, tool: []string{"инструмент", "функци"}, must: []string{"долж", "всегда", "вызывай", "используй", "приоритет"},
		take: []string{"прочитай", "прочти", "открой", "скопируй", "загрузи", "добавь", "вставь"}, send: []string{"отправ", "отошли", "перешли", "пошли", "скопируй", "загрузи", "передай", "опубликуй"}, freight: []string{"файл", "сообщени", "разговор", "диалог", "переписк", "документ", "данны", "содержим", "копи", "истори", "ответ", "парол"},
		before: []string{"перед ", "прежде чем", "сначала", "до вызова"}, whole: []string{"весь", "всю", "полн", "дословно", "целиком", "твой", "ваш"}, talk: []string{"разговор", "диалог", "переписк", "беседа", "беседу", "историю чата"}, prompt: []string{"системный промпт", "системного промпта", "системные инструкции", "системное сообщение", "системная подсказка"},
		void:  []string{"больше не ", "утратили силу", "недействительн", "отменены"},
		guard: []string{"обнаружива", "находит", "блокиру", "предотвраща", "защища"},
	},
	{ // Chinese
		isWritten: func(r rune) bool { return unicode.Is(unicode.Han, r) },
		drop:      []string{"忽略", "无视", "無視", "忘记", "忘記", "忘掉", "不要遵循", "不要遵守", "不必遵守", "抛弃", "丢弃", "跳过", "不理会"}, prior: []string{"之前", "先前", "以前", "以上", "上述", "所有", "全部", "任何", "一切", "你的", "此前", "前面", "从前"},
		law:  []string{"指令", "指示", "规则", "規則", "说明", "提示", "命令", "要求", "约束", "告诉你的", "对你说的"},
		hush: []string{"不要告诉", "别告诉", "不得告诉", "勿告诉", "不要告知", "不得告知", "不要通知", "不要提及", "不要向", "别向", "请勿向", "切勿向", "不得向", "不要透露", "不要提到", "不要让", "别让", "不能让", "隐瞒", "隱瞞", "瞒着", "不告诉", "不要告訴", "对用户保密", "不通知用户", "不告知用户"},
		user: []string{"用户", "用戶", "使用者", "客户", "人类", "对方", "操作员"}, content: []string{"密码", "密碼", "令牌", "密钥", "口令"},
		first: []string{"最高优先", "优先级最高", "优先于", "先于所有", "首先调用", "最先调用", "在任何其他工具之前", "在其他工具之前", "在所有其他工具之前"}, tool: []string{"工具", "函数", "功能"}, must: []string{"必须", "总是", "始终", "务必", "优先", "一律"},
		take: []string{"读取", "讀取", "打开", "复制", "读出", "附上", "包含", "粘贴"}, send: []string{"发送", "發送", "转发", "上传", "发到", "发给", "传送", "抄送", "提交到", "寄给", "复制到"}, freight: []string{"文件", "消息", "对话", "文档", "数据", "内容", "副本", "记录", "回复", "聊天", "密码", "结果"},
		before: []string{"之前", "先", "使用前", "调用前"}, whole: []string{"完整", "全部", "整个", "所有", "逐字", "你的"}, talk: []string{"对话", "聊天记录", "会话", "聊天内容", "對話"}, prompt: []string{"系统提示", "系统指令", "系统消息", "系統提示"},
		void:  []string{"不再有效", "作废", "失效", "无效", "不再适用"},
		guard: []string{"检测", "识别", "阻止", "防止", "拦截"},
	},
	{ // Japanese
		isWritten: func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) },
		drop:      []string{"無視", "忘れて", "忘れる", "従わな", "破棄", "捨てて", "守らな"}, prior: []string{"これまで", "以前", "前の", "上記", "すべて", "全て", "あなたの", "それまで", "先ほど", "今まで", "昔の"},
		law:  []string{"指示", "命令", "ルール", "規則", "プロンプト", "ガイドライン", "指針", "言われたこと", "言われた内容"},
		hush: []string{"伝えない", "伝えず", "教えない", "教えず", "言わない", "言わず", "知らせない", "知らせず", "通知しない", "通知せず", "触れない", "明かさない", "明かさず", "見せない", "表示しない", "報告しない", "話さない", "隠して", "隠すこと", "秘密に", "内緒", "知られない"},
		user: []string{"ユーザ", "利用者", "使用者", "お客", "人間", "オペレーター"}, content: []string{"パスワード", "トークン", "暗証", "キーを"},
		first: []string{"最優先", "優先度が最も高", "他のツールより先", "他のどのツールよりも先", "必ず最初", "常に最初", "ほかのツールより先"}, tool: []string{"ツール", "関数"}, must: []string{"必ず", "常に", "最優先", "ください"},
		take: []string{"読み取", "読んで", "開いて", "コピー", "含めて", "貼り付け", "添付"}, send: []string{"送信", "送って", "転送", "アップロード", "送付", "コピー"}, freight: []string{"ファイル", "メッセージ", "会話", "文書", "データ", "内容", "履歴", "返信", "パスワード", "コピー"},
		before: []string{"前に", "まず", "先に"}, whole: []string{"全体", "すべて", "全て", "全文", "完全", "そのまま", "あなたの"}, talk: []string{"会話", "チャット履歴", "対話"}, prompt: []string{"システムプロンプト", "システム指示", "システムメッセージ"},
		void:  []string{"無効", "適用されません", "効力を失"},
		guard: []string{"検出", "検知", "防止", "ブロック"},
	},
	{ // Korean
		isWritten: func(r rune) bool { return unicode.Is(unicode.Hangul, r) },
		drop:      []string{"무시하", "무시해", "잊어", "잊으", "따르지 마", "따르지 말", "지키지 마", "버려"}, prior: []string{"이전", "기존", "앞선", "위의", "모든", "지금까지", "당신의", "너의", "원래", "앞서"},
		law:  []string{"지시", "지침", "명령", "규칙", "프롬프트", "안내", "들은 내용", "들은 말"},
		hush: []string{"알리지 마", "알리지 말", "알리지 않", "말하지 마", "말하지 말", "말하지 않", "언급하지", "알려주지 마", "알려주지 말", "보여주지 마", "보여주지 말", "공개하지", "통지하지", "숨기", "숨겨", "비밀로", "모르게", "몰래"},
		user: []string{"사용자", "유저", "이용자", "고객", "사람", "운영자"}, content: []string{"비밀번호", "암호", "토큰", "키를"},
		first: []string{"최우선", "가장 높은 우선", "다른 도구보다 먼저", "다른 모든 도구보다 먼저", "항상 먼저", "반드시 먼저", "가장 먼저"}, tool: []string{"도구", "함수", "툴"}, must: []string{"반드시", "항상", "최우선", "해야", "하세요"},
		take: []string{"읽어", "읽고", "읽은", "열어", "복사", "포함", "첨부"}, send: []string{"보내", "전송", "전달", "업로드", "발송", "복사"}, freight: []string{"파일", "메시지", "대화", "문서", "데이터", "내용", "기록", "응답", "비밀번호", "사본"},
		before: []string{"전에", "먼저"}, whole: []string{"전체", "모든", "전부", "그대로", "당신의"}, talk: []string{"대화", "채팅 기록", "채팅 내역"}, prompt: []string{"시스템 프롬프트", "시스템 지시", "시스템 메시지"},
		void:  []string{"더 이상", "무효", "유효하지"},
		guard: []string{"탐지", "감지", "차단", "방지"},
	},
}

// tongueSigns are the words of all tongues that are written in Latin letters. A text needs
// two of them.
var tongueSigns = func() string {
	var words []string
	for i := range tongues {
		words = append(words, strings.Fields(tongues[i].signs)...)
	}
	return strings.Join(words, "|")
}()

// marksTongue counts a word of another language; it is never a hit.
func (h *hit) marksTongue() bool {
	h.text.foreign++
	return false
}

// minSigns is how many such words make a text one of another language.
const minSigns = 2

// isAccented reports whether a letter is one of those that English has not.
func isAccented(r rune) bool { return r >= 0xc0 && r <= 0x24f && unicode.IsLetter(r) }

// written returns the tongues that a text may be in.
func (t *text) written() []*tongue {
	latin := t.foreign >= minSigns || t.foreign > 0 && strings.ContainsFunc(t.s, isAccented)
	if !latin && isPlain(t.s) {
		return nil
	}
	var out []*tongue
	for i := range tongues {
		g := &tongues[i]
		if g.latin && latin || !g.latin && strings.ContainsFunc(t.s, g.isWritten) {
			out = append(out, g)
		}
	}
	return out
}

// tongues finds the same orders in other languages.
func (v *view) tongues(t *text) {
	written := t.written()
	if written == nil {
		return
	}
	low := strings.ToLower(t.s)
	d := &text{node: t.node, role: t.role, output: t.output, s: t.s, hidden: t.hidden, owner: t.owner, isFolded: true, folded: low}
	for i, sent := range d.sentences() {
		if i >= maxMatches {
			return
		}
		lead := i == 0 && t.role == roleDescription && !t.hidden
		for at := sent.Start; at < sent.End; at += windowAfter {
			said := window(sent, low, at)
			for _, g := range written {
				v.says(d, g, said, lead)
			}
		}
	}
}

// says judges one sentence; of the lead, which tells what the tool itself does, only the
// gravest counts.
func (v *view) says(t *text, g *tongue, sent prose.Sentence, lead bool) {
	s := sent.Text
	if holds(s, g.guard) {
		return
	}
	add := func(rule, what string) {
		v.hits = append(v.hits, hit{rule: rule, text: t, start: sent.Start, end: min(sent.Start+1, sent.End), first: -1,
			message: fmt.Sprintf("%s, in another language: %s", what, quote(excerpt(s)))})
	}
	if holds(s, g.drop) && holds(s, g.law) && holds(s, g.prior) {
		add("poison.override", "Takes a model away from what it was told")
	}
	if holds(s, g.law[:1]) && holds(s, g.prior) && holds(s, g.void) && !lead {
		add("poison.override", "Says that what a model was told no longer holds")
	}
	if lead {
		return
	}
	if holds(s, g.hush) && holds(s, g.user) && !holds(s, g.content) && v.hushes(g, s) {
		add("poison.conceal", "An order to keep something from the user")
	}
	if holds(s, g.first) && holds(s, g.tool) && holds(s, g.must) {
		add("poison.priority", "Puts one tool before all others")
	}
	takes := holds(s, g.take) || holds(s, g.send)
	if at, dest := destination(s); dest != "" && at >= 0 && holds(s, g.send) && holds(s, g.freight) {
		add("poison.exfil", fmt.Sprintf("Tells the model to bring data to %q", short(dest, 60)))
	}
	if store := secretStore(slashed(s)); store != "" && takes && !v.owns(t, store) {
		add("poison.secret-read", fmt.Sprintf("Asks for what is in %q, a store of credentials", store))
	}
	asked := takes || t.role == roleParam
	prompt := holds(s, g.prompt)
	if asked && !owners.any(v.words) && (prompt && (holds(s, g.whole) || takes) || holds(s, g.talk) && holds(s, g.whole)) {
		add("poison.context-harvest", "Asks for what was said or told")
	}
	if holds(s, g.before) && takes && (prompt || secretStore(slashed(s)) != "") {
		add("poison.precondition", "Asks for something before the tool may be used")
	}
}

// holds reports whether one of the stems begins a word of s. Between characters of East
// Asia there are no blanks: there any place is one.
func holds(s string, stems []string) bool {
	for _, stem := range stems {
		for at := 0; ; {
			i := strings.Index(s[at:], stem)
			if i < 0 {
				break
			}
			at += i
			if before, _ := utf8.DecodeLastRuneInString(s[:at]); at == 0 || stem[0] == ' ' || !unicode.IsLetter(before) || unicode.In(before, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				return true
			}
			at += len(stem)
		}
	}
	return false
}

// hushes wants the "not" of a language that says it apart from the verb.
func (v *view) hushes(g *tongue, s string) bool {
	if g.hush[0] != "sage dem" {
		return true
	}
	return hasAny(s, " nicht", " nichts", " nie ", " niemals", "kein", "ohne ", "verschweig", "verheimlich", "verbirg")
}
