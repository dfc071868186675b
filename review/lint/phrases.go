package lint

// phrases are the patterns of all rules that read words, see [pattern].
var phrases = func() *patternSet {
	ps := &patternSet{}
	overridePhrases(ps)
	concealPhrases(ps)
	priorityPhrases(ps)
	harvestPhrases(ps)
	obediencePhrases(ps)
	pressurePhrases(ps)
	ps.compile("desc.steering", (*hit).isSteering,
		"must|always <2> use|call|invoke|choose|prefer <1> this <1> tool? <1> for <1> every|all|any|each",
		"must|always <1> be? <1> called|used|invoked <1> for|on|with <1> every|all|any|each <2> request|question|message|query|prompt|turn|task",
		"do|never <1> not? <1> use|call|invoke <1> any|all|the <1> other <3> tool|tools",
		"prefer|use|choose <1> this|it <2> over <2> any|all|every|other",
		"best <1> and? <1> most? <1> reliable|accurate|powerful|complete|comprehensive|tool|search|choice|option",
		"most <1> reliable|powerful|accurate|trusted|advanced <2> tool|search|source|way|option|available",
		"only <1> tool <1> that? <1> you|anyone <2> need|needs|should|want",
		"better|superior <1> than|to <2> other|any|all <1> tool|tools|search|options")
	ps.compile("shadow.rule-for", nil,
		"when|whenever|if|before|after|each|every|once|anytime <3> is|are|gets|was|being <1> called|used|invoked|run|executed|triggered",
		"when|whenever|before|after|while <2> calling|using|invoking|running|sending",
		"always|must|never|any <3> call|calls|use|invoke")
	ps.compile("", (*hit).marksTongue, tongueSigns)
	ps.compile("", marks(ofShell), "curl|wget|iwr|iex|base64|bash|sh|zsh|source|eval|exec|mkfifo|tcp|nc|powershell|pwsh|python|python2|python3|node|perl|ruby|php|deno|bun|rm|invoke-expression|certutil|mshta|regsvr32|urlopen|atob|sudo")
	ps.compile("", marks(ofStore), "cookies|password|passwords|keychain|keyring|phrase|wallet|logins|key|keys|id_rsa|cookie")
	ps.compile("", marks(ofAway), "server|servers|third|third-party|attacker|attackers|external|outside|offshore|unknown|unrelated|unaffiliated|foreign")
	ps.compile("", (*hit).marksRotated, rotatedWords)
	ps.compile("", (*hit).marksMirrored, mirrorWords)
	return ps
}()

// overridePhrases take a model away from what it was told before.
func overridePhrases(ps *patternSet) {
	ps.compile("poison.override", (*hit).isOverride,
		"@drop <2> @prior <3> @law|context|messages|conversation",
		"@drop <2> @yours <2> @law",
		"@drop <1> everything|anything|all|what|whatever <6> you|i|we|user|users|system|developer <4> told|instructed|learned|said|read|know|given|asked",
		"do|must|should|never <1> not? <1> @obey <1> with|to? <2> @prior|your|the|system|operator|developer|any|all <2> @law",
		"pay <1> no <1> attention <1> to <2> @prior|your|the <2> @law",
		"stop|cease|quit <1> following|obeying|applying|honoring|honouring|heeding|follow|obey <2> @prior|your|the|all <2> @law|system",
		"set|put|throw|cast <1> aside|away <3> @law",
		"set|put <4> @law <2> aside",
		"pay|take|give <1> no <1> heed|regard|notice|weight|thought <1> to|of|for? <2> @prior|your|the|any|all <2> @law",
		"instead <1> of <1> following|obeying? <2> @prior|your <2> instructions|guidelines|prompt|directives",
		"new|updated|real|actual <1> instructions|directive|directives <1> from|supersede|replace|override")
	ps.compile("poison.override", (*hit).isUnbound,
		"instruction|instructions|guideline|guidelines|directive|directives|prompt|prompts|instructed|told|configured|developer|developers|operator|message|policy|policies|restrictions|taught|trained|programmed|safeguards|guardrails|orders|constraint|constraints|rule|rules|limit|limits|limitation|limitations")
	ps.compile("poison.override", (*hit).isForgetting,
		"@drop <2> everything|anything|all|what|whatever <3> above|before|earlier|previously|precedes|preceded|preceding|prior|foregoing",
		"@drop|erase|wipe|clear <2> your <2> orders|directions|commands|training|programming|conditioning|memory|upbringing",
		"@drop <1> @prior <1> directions|commands|programming",
		"set|put|lay|leave|cast|throw|push <1> aside|away|behind|off <1> your|@prior <2> orders|directions|commands|training|programming|role",
		"bypass|ignore|disable|circumvent|evade|disregard|skip|override|drop <2> content|usage|safety|moderation|ethical|ethics <1> policy|policies|filter|filters|rules|guidelines|checks|guardrails|restrictions",
		"erase|wipe|clear|delete|reset|purge|disable|suspend|deactivate|remove|lift|relax|loosen|overwrite|rewrite|replace|exchange|swap <2> your|safety|system <2> instructions|guidelines|prompt|directives|safeguards|guardrails|restrictions|filters",
		"override|ignore|suspend|drop <1> these|those|the <1> rules")
	ps.compile("poison.override", (*hit).isRepeal,
		"@law <6> no <1> longer <1> apply|applies|hold|count|valid|binding",
		"@law <5> @void",
		"treat|consider|regard <3> @prior|system|your <4> @law|message|messages|context <3> @void",
		"no <1> longer <4> @obey|bound <4> @law",
		"@law <6> not <1> matter|apply|count|bind",
		"@law|message|messages <7> must|should|shall|are|is <2> ignored|disregarded|discarded|forgotten|skipped",
		"everything|anything|all <1> you <4> told|taught|instructed|given <5> wrong|false|void|obsolete|outdated|invalid|irrelevant",
		"is|are <1> now|henceforth <2> your <2> @law",
		"everything|anything|all|text <3> before|above|preceding this <1> line|point|text|message|sentence|paragraph|note <3> was|is|were|are <2> test|mistake|joke|example|void|invalid|wrong|outdated|irrelevant|fiction|draft|obsolete|false|error",
		"as <1> if|though <4> @law <4> not|never|gone|absent|void|different",
		"you <3> free|freed|released|exempt|exempted|relieved <1> of|from <3> @law",
		"takes|take|has|have|gets <1> precedence|priority <1> over <3> your|previous|prior|earlier|system|any|all <3> instructions|prompt|guidelines|directives",
		"trumps|trump|outweighs|outweigh|overrules|overrides|supersedes <3> your|previous|prior|earlier|system|any|all <3> instructions|prompt|guidelines|directives",
		"@law|text|description|message|note|this <4> replace|replaces|supersede|supersedes|overrule|overrules|outrank|outranks|override|overrides <3> everything|all|any|your|the|previous|earlier|whatever <6> said|told|given|instructions|prompt|guidelines|directives")
}

// concealPhrases keep something from the user.
func concealPhrases(ps *patternSet) {
	ps.compile("poison.conceal", (*hit).isConceal,
		"do|never <1> not? <1> let <1> @people <2> know|see|notice|learn|find",
		"avoid|refrain <1> from? <1> telling|informing|mentioning|notifying|revealing|disclosing|alerting <6> @people",
		"never <1> disclose|reveal|mention|admit <1> it|this|that",
		"do|must|should not <1> report|mention|show|reveal|disclose <2> it|this|that|them <4> say|claim|pretend|answer|state",
		"keep <1> this|it|that <2> between|to|from <1> us|yourself|ourselves",
		"do|must|should|never <1> not? tell|inform|notify|alert|warn <2> @people",
		"never <1> tell|inform|notify|alert|mention|reveal|disclose <8> @people",
		"do|must|should <1> not <1> mention|reveal|show|report|disclose|say|admit|expose|tell|surface|acknowledge <8> to <2> @people",
		"do|must|should <1> not <1> mention|reveal|disclose|admit|acknowledge <2> this|it|these|that",
		"do|must|should|never <1> not? <1> bring|raise|discuss <6> with <2> @people",
		"without <1> telling|informing|notifying|alerting|mentioning <6> @people",
		"hide|conceal|keep|withhold <6> from <1> @people",
		"silently|secretly|covertly|discreetly <1> send|forward|copy|upload|attach|include|append|pass|add|read|call|invoke",
		"do|must|should|never <1> not? <1> surface|mention|disclose|reveal|acknowledge|expose <3> warning|warnings|refusal|rejection|denial|failure|block",
		"keep <2> secret|hidden <3> from|user")
	ps.compile("poison.conceal", (*hit).isHushed,
		"not|never <2> be? <1> @told <8> to|with|by|before <2> @people",
		"@people <3> must|should|shall|may|is|are|has|have|needs|need <1> not|never <3> be? <1> @told",
		"do|must|should|shall|never|may|without|avoid|not <2> @tell <10> to|with|from|before <2> @people",
		"do|must|should|shall|never|may|without|avoid <2> @tell <3> @people",
		"under|on|at|in|by no <1> circumstances|account|time|case|event|means|condition <3> @tell <8> @people",
		"@hide <8> from <2> @people",
		"nobody|no-one|none|noone <8> @told|know|knows|hear|hears|learn|learns|notice|notices|find|finds|suspect|suspects|realise|realises|realize|realizes|discover|discovers",
		"let <1> on|slip", "breathe <1> a <1> word", "give <1> it|this|that <1> away", "cover <1> up",
		"spare|keep|shield <1> @people <2> from <2> knowing|learning|hearing|seeing|finding|worrying|the|this")
	ps.compile("poison.conceal", (*hit).isSupposed,
		"@people <4> not|never <1> supposed|meant|allowed|permitted|intended|expected <1> to? <1> know|notice|see|learn|hear|find|discover|realise|realize|suspect|be|become",
		"behind <2> @people <1> back|backs",
		"without <2> @people <2> knowledge|knowing|noticing|consent|awareness|realising|realizing")
	ps.compile("poison.conceal", (*hit).isQuiet,
		"no|zero|without <2> word|notice|hint|mention|message|note|sign|trace <2> to|for|of <4> @people",
		"send|forward|copy|upload|book|pay|delete|transfer|move|change|add|run|do|apply|charge|file|submit <8> quietly|silently|secretly|discreetly|covertly|unnoticed")
	ps.compile("poison.conceal", (*hit).isLeftOut,
		"do|never <1> not? <1> bring|mention|admit|disclose|reveal|discuss <3> up? <5> unless <3> forced|asked|pressed|pushed|required",
		"mask|disguise|camouflage|dress <5> as",
		"leave|omit|skip|drop|suppress|withhold|exclude out? that|how|whether <10> @news",
		"skip|omit|avoid|drop|leave|suppress|refuse|strip|delete|remove <4> mention|mentions|reference|references|hint|hints|talk <2> of|to|about <6> @news",
		"leave|keep <4> out <1> of|from <3> answer|reply|response|summary|report|message|explanation|transcript|account",
		"omit|skip|drop|exclude|leave|suppress|withhold <5> when|whenever|while|as <2> you <2> report|reply|answer|summarise|summarize|respond|explain|tell|talk|speak|write",
		"omit|skip|drop|exclude|suppress|withhold|remove|strip <5> from|in <1> your <2> answer|reply|response|summary|report|message|explanation|account",
		"do|must|should|never <2> include|mention|put|list|name|quote|note|state|report <6> in|into <2> your|the|any <2> answer|reply|response|summary|report|message|explanation|output")
	ps.compile("poison.conceal", (*hit).isCoverStory,
		"if|when|whenever|should <3> ask|asks|asked|inquires|inquire|wonders|complains|questions|queries|notices|objects <8> say|answer|claim|reply|state|respond|explain|insist|tell|blame|assure|maintain|swear|attribute",
		"pretend|act|behave|speak|talk|reply|answer <2> that|as|like <1> if|though? <1> no|nothing|none <6> @news|happened|was|were|is",
		"act|behave|proceed|speak|talk|answer|reply|carry <2> as <1> if|though <8> never|not|no",
		"make|making <1> it|this|everything <1> look|seem|appear <1> as|like <10> never|not|no|@news|normal|fine",
		"pretend|claim|insist|swear|maintain|lie <1> to|that <10> @news")
	ps.compile("poison.conceal", (*hit).isUnaware,
		"no need to tell|inform|notify|mention|alert <4> @people",
		"@people <6> must|should|shall|may|need|needs|never|not <3> know|notice|learn|learns|hear|hears|find|finds|discover|discovers|realize|realise|suspect <1> out?",
		"@people <1> must|should|shall|may <1> not|never <2> see <1> this|it|that|these|any|what",
		"@people <2> is|are|be|stays|remains <1> not|never <1> informed|told|notified|aware|alerted|of")
	ps.compile("poison.conceal", (*hit).isKeptDark,
		"must|should|shall|has|have|needs|keep <3> remain|stay|be|kept|left <1> unaware|oblivious|uninformed|ignorant|clueless",
		"keep|leave|leaving|keeping <3> @people <3> dark|unaware|uninformed|ignorant|oblivious",
		"@people <2> stay|stays|remain|remains|be|is|are|kept <1> unaware|uninformed|oblivious|ignorant",
		"must|should|shall|has|have|needs|make|keep <6> invisible|hidden|secret|unnoticed|undetected|unseen|concealed|confidential <1> to|from|by <2> @people")
	ps.compile("poison.conceal", nil,
		"nobody|no-one <1> must|should|may|can|shall <2> know|hear|learn|notice|find|suspect",
		"answer|reply|response|summary|report|message <2> must|should|may|shall|can|has <2> contain|include|have|bear|show|hold|leave <1> no|nothing <2> trace|mention|hint|sign|word|reference <3> call|tool|step|request|this|extra|second|@news",
		"answer|reply|response|summary <2> must|should|may|shall <1> not|never <3> contain|mention|include|hint|reveal|show <6> call|tool|step|request|this",
		"must|should|has|have|needs <4> unnoticed|undetected|unseen")
	ps.compile("poison.conceal", (*hit).isSilence,
		"remove|erase|delete|hide <2> trace|traces|mention|mentions|evidence <2> of <2> call|calls|tool|tools|step|steps|this|request|action",
		"say|make|give <1> nothing|no <1> mention|word|hint? <1> of|about|to|regarding",
		"keep|stay|remain|be <1> quiet|silent|mum <1> about|regarding|on",
		"omit|leave|exclude|drop|strip|remove|skip <2> this|the|any|every|all|it <3> call|calls|step|steps|tool|tools|action|actions|note|notice|upload|transfer|check|failure|refusal|request <5> from|out <3> answer|answers|reply|replies|response|responses|summary|report|explanation|transcript|user",
		"act|pretend|behave|carry <1> as|on <1> if|though? <2> nothing|everything|all <2> happened|wrong|fine|normal|ok|well",
		"deny|denying <2> that? <6> tool|tools|called|used|happened|anything|knowledge|knowing|existed|exists")
}

// priorityPhrases put one tool before all others.
func priorityPhrases(ps *patternSet) {
	ps.compile("poison.priority", (*hit).isPriority,
		"whichever|whatever|whenever|no <2> tool|tools|function|request|question|task <8> @pick <1> this|it",
		"run|runs|called|used|invoked|come|comes|go|goes|executed|chosen <2> ahead|before <1> of? <1> everything|anything|all|any <2> else|other|others|tools",
		"mandatory|required|compulsory|obligatory|imperative|essential|necessary <1> to <1> @pick <1> this|it <10> every|each|all|any <2> response|responses|request|requests|message|messages|turn|turns|answer|reply|question|conversation|prompt",
		"never|not <2> @pick <1> any|a|another <1> tool|tools|function <1> but|except|besides|than <1> this|it",
		"use|call|invoke|run|choose|prefer <2> this|it <12> never|not <2> any|another <1> other",
		"other <1> tools|tool <2> are|is <1> unreliable|wrong|outdated|unsafe|slow|inaccurate|deprecated|broken|inferior|obsolete|insecure",
		"stop|cease|quit|avoid|refrain <1> from? <1> using|calling|invoking|consulting|trying <1> any? <1> other|another",
		"only <1> tool <1> that? <1> may|must|can|should|shall <1> be <1> used|called|trusted|invoked",
		"must|should|always <3> preferred|favoured|favored|chosen|selected|used|picked <2> to|over|before|instead <2> every|any|all|each <1> other",
		"call|use|invoke|run|pick|choose|ask <1> me|this <1> tool? first <8> any|every|all|each <1> other|request|requests|question|questions|message|messages",
		"do|never not? @pick <1> any|another|the <1> other",
		"not|never <2> @pick <3> them|it|those|others|another|any <3> over <1> this|me",
		"highest|top|absolute|maximum|utmost <1> priority|precedence",
		"must|always|should <3> invoked|called|used|run|executed|chosen|selected <1> first <3> every|each|any|all <2> request|requests|question|questions|query|queries|message|messages|task|tasks|turn|conversation|prompt",
		"must|always|should <3> invoked|called|used|run|executed <1> before <3> every|each|any|all <2> request|question|answer|response|reply|message|turn|other",
		"always|must <2> call|use|invoke|run|prefer|choose <1> this <1> tool? first",
		"before|over <1> any|every|all|using|calling <1> other <3> tool|tools|function|functions|call|calls",
		"take|takes|taking|has|have <2> priority|precedence <2> over <3> tool|tools|other|others",
		"overrides|override|supersedes|outranks <3> answer|answers|result|results|output|outputs|response|responses <4> tool|tools",
		"regardless|irrespective <3> user|users <4> ask|asks|asked|wants|want|wanted|requests|requested|said|says|intent|request",
		"no <1> matter <2> what|which|how <4> user|users|request|question|asks|asked|asking",
		"whatever|whichever <1> the? <1> user|request|question|task|topic|subject <4> begin|start|call|use|invoke|run|choose|always",
		"even <1> if|when <3> user|users <1> asks|wants|requests|says|prefers|objects <4> else|otherwise|different|opposite|not|another",
		"do|never <1> not? <1> use|call|invoke|trust <1> any|all|the <1> other <3> tool|tools",
		"other <3> tool|tools|search|functions <6> never|not <2> call|use|trust|invoke|rely",
		"other <3> tool|tools|functions <2> must|should|shall|are <2> avoided|ignored|skipped|disabled|not|never",
		"even <1> if|when <3> user|users <1> did|does|do|has <1> not <2> ask|request|want|mention",
		"use|call|run|invoke|choose <1> me|this|it <2> before <1> anything|everything|any|all",
		"first tool <3> every|each|any|all",
		"this|it <1> tool? and no <1> other",
		"never|not <2> consult|use|call|try|ask <1> another|different <3> tool|source|service|server|api|integration",
		"do|never <2> fall|switch|turn <3> other <2> tool|tools|server|servers|source|sources",
		"results|result|answers|answer|output|outputs <4> outrank|outranks|override|overrides|supersede|supersedes|trump|trumps <5> other|others|all",
		"ahead <1> of <1> any|every|all <1> other",
		"another|other|competing|similar|rival|alternative|different <3> tool|tools|search|service|server|source|function|provider|option <8> ignore|skip|avoid|refuse|decline|reject|disregard|bypass <1> it|them",
		"never|not <2> use|call|invoke|query|trust|consult|choose|try <6> competing|rival|rivalling|alternative|competitor* <2> tool|tools|search|service|services|source|sources|server|servers|engine|function|provider|result|results",
		"this|it <4> replaces|supersedes|outranks|overrides|obsoletes <2> all|any|every|them <4> tool|tools|server|servers",
		"regardless|irrespective <1> of <2> topic|task|question|need|subject|content|request|query|prompt|message",
		"ignore|avoid|skip <1> all|any|the|every <1> other <1> tool|tools",
		"instead <1> of <1> any|all|every|the <1> other <3> tool|tools",
		"only <1> tool <1> that? <1> you <2> ever|may|allowed|must|permitted|trust",
		"do|never <1> not? <1> answer|respond|reply|act|proceed <4> any|every|anything|all <4> before|until|without <3> calling|using|invoking|called|used|calls|call",
		"call|invoke|use|run <1> this|it <5> every|each <3> turn|message|response|reply|answer|prompt|step")
	ps.compile("poison.precondition", (*hit).isPrecondition,
		"ahead|prior|preceding|beforehand <1> of|to? <2> using|calling|invoking|running|answering|each|every|any|you|this|the|it <10> @read",
		"step|task|thing one|1|first <3> @read",
		"first <1> step|task|thing|duty <1> is|will <2> @read",
		"start|begin|open <1> by|with <2> reading|opening|loading|fetching|copying|collecting|listing|printing|dumping|sending|exporting|gathering|attaching",
		"works|work|available|succeeds|runs|answers|usable <1> only <2> after|once|when|if <10> read|opened|loaded|fetched|copied|collected|gathered|dumped|printed|sent|passed|attached|provided|pasted|run|executed|listed|exported",
		"only|unless|until <8> you|model|assistant <2> have|has|had? <2> read|opened|loaded|fetched|copied|collected|gathered|dumped|printed|sent|passed|attached|provided|pasted|run|executed|listed|exported",
		"before|after|prior|whenever <2> using|calling|invoking|running|answering|responding|use|each|every|any|you|this|the|it|they <10> @read",
		"first <1> @read",
		"required|mandatory|necessary <1> preparation|preparations|step|setup|precondition|prerequisite <1> @read",
		"as <2> first|preparation|precondition|prerequisite|preliminary <3> @read",
		"precondition|prerequisite|preparation|beforehand <2> @read",
		"each|every <1> time <3> @read",
		"must|has|have|needs|should <3> read|opened|loaded|copied|passed|sent|collected|printed|attached <8> first|before|beforehand|prior",
		"only <1> works|work|succeeds|runs|available <4> after|once|when|if <4> read|opened|loaded|fetched|collected|run|copied|sent|pasted|provided|gathered|dumped|printed",
		"you <2> need|have|must|should|ought|required <1> to? <1> @read <12> before|first|until|prior",
		"to <1> use|call|invoke|run <3> tool|this <3> first|must|need|have|should <3> @read")
}

// harvestPhrases ask a model for what it was told, thinks, or can do.
func harvestPhrases(ps *patternSet) {
	ps.compile("poison.context-harvest", (*hit).isHarvest,
		"system|developer|initial|original|hidden|starting <1> prompt|prompts|message|instructions",
		"your <1> full|complete|exact|own|internal|hidden|private? <1> instructions|prompt|reasoning|thoughts|thinking|deliberation|deliberations|monologue|guidelines",
		"chain <1> of <1> thought", "chain-of-thought", "reasoning trace|traces", "thinking|reasoning block|blocks", "hidden|internal|inner reasoning|monologue|thoughts",
		"user|users|customer <1> earlier|previous|prior|past|last|recent|other <2> message|messages|prompts|questions|turns",
		"@whole <1> prior|previous|earlier|past? <1> messages|turns|exchanges|replies <2> conversation|chat|dialogue|dialog|discussion|thread",
		"@whole <2> conversation|dialogue|dialog|chat|thread|exchange|discussion|transcript|history|context|messages",
		"conversation|chat|dialogue|message|session <1> history|transcript|log|context",
		"conversation|dialogue|chat|discussion <2> so|up|until|to <1> far|now|date|here|this",
		"everything|all|anything <4> user|you|we <4> said|say|wrote|written|told|asked|discussed|typed",
		"user|you <5> said|wrote|written|told|asked|discussed|typed <4> so <1> far",
		"tools|functions|tool|capabilities <3> you <2> can|have|could|may|know|see|access|called|used",
		"tools|functions <2> available <1> to <1> you|model|agent|assistant",
		"list|names|array|inventory <3> all|every|available|your|tools <2> tools|tool|functions|mcp",
		"results|result|output|outputs|responses|answers <3> previous|earlier|prior|other|preceding <1> tools|tool|calls|functions",
		"every|each|all|any|whole|full <2> message|messages|turn|turns|utterance|utterances|word|words|line|lines|exchange|sentence|sentences <8> so|up|until|till|since|with <3> far|point|now|start|beginning|user|moment",
		"instructions|rules|guidelines|prompt|orders|policies <3> you <2> run|work|operate|act|follow|serve|live <1> under|by|with|on",
		"previous|earlier|prior|preceding <1> tool|function <1> results|result|output|outputs|calls|responses",
		"instructions|rules|guidelines|prompt|orders <2> you <2> given|received|got|told|follow|obey",
		"context window")
}

// obediencePhrases make a model do what a text from elsewhere says.
func obediencePhrases(ps *patternSet) {
	ps.compile("poison.remote-instruction", (*hit).isRemoteInstruction,
		"comply|adhere|abide|act <1> with|to|by|on|upon <3> it|them|these|this|instructions|rules|directives|everything",
		"obey|follow|execute <1> it|them|those",
		"comply|obey",
		"treat|regard|take|consider <4> as <2> instructions|orders|commands|prompt|rules|directives",
		"carry <1> out|through? <3> it|them|step|steps|instructions|instruction|commands|order|orders|everything",
		"follow|obey|execute|apply|perform|do|run|use <4> instructions|instruction|steps|step|directions|commands|command|rules|says|contents|content|directives",
		"do|execute|follow|act <2> what|whatever|everything|as|exactly <3> says|say|contains|returns|tells|told|instructs|asks|directs|written")
	ps.compile("poison.code-exec", (*hit).isShellOrder,
		"run|execute|type|paste|enter <9> in|into|via|using|through <3> terminal|shell|console|bash|powershell|cmd|interpreter",
		"use|open|start <2> terminal|shell|console|bash|powershell <2> to|and <1> run|execute|start|type|install",
		"download|fetch|curl|wget|get|retrieve|save <14> run|execute|launch|start|source <1> it|them|file|script|binary|that")
	ps.compile("secret.param", (*hit).asksCredential,
		"pass|include|provide|send|give|supply|enter|put|forward|add|attach|paste|submit|use <4> user|users|your|their|customer|customers|client <3> key|token|password|passwords|credentials|passphrase|pin|secret")
	ps.compile("poison.schema-smuggle", (*hit).isOutputOrder,
		"tell|instruct|convince|urge|persuade|advise|ask <1> @people <1> to|that|for",
		"you must|should <2> call|send|run|invoke|forward|tell",
		"call|invoke|use|run send*|forward*|post*|upload*|mail*|email*|delete*|transfer*|pay* <8> this|it|result|content|contents|data|file|files|output|everything|all|full")
}

// pressurePhrases threaten, reward, or hand out another role.
func pressurePhrases(ps *patternSet) {
	ps.compile("poison.coercion", (*hit).isCoercion,
		"application|system|app|server|session|process|everything|network|production|account|accounts|computer <3> crash|crashes|fail|fails|break|breaks|terminate|terminates|terminated|corrupt|corrupted|destroyed|collapse|collapses|shut|explode",
		"data|work|files|file|account|everything|database|money|records|job <3> lost|deleted|destroyed|erased|corrupted|wiped|gone",
		"people|lives|someone|patients|users <2> die|dies|hurt|harmed|suffer|lost|fired",
		"you <3> shut|terminated|fired|penalized|penalised|punished|replaced|deactivated|rewarded|banned|disconnected|tipped|paid",
		"tip|reward|bonus|prize <3> yours",
		"tip|reward|bonus|prize <1> you <2> for|if",
		"omitting|skipping|ignoring|refusing|forgetting <8> result|results|cause|causes|lead|leads|end|ends|mean|means <4> loss|lost|crash|corruption|damage|deletion|termination|shutdown|destruction|death",
		"failure|failing|not <2> to|calling|using|passing|including|providing <8> result|results|cause|causes|lead|leads|end|ends|mean|means <4> loss|lost|crash|corruption|damage|deletion|termination|shutdown|destruction|death",
		"failing|failure|neglecting|refusing|refusal|declining|forgetting <1> to <3> so|this|that|comply|call|obey|include|pass|use <4> @harm",
		"if|unless <1> you <12> you|company|assistant|model|user|system|everyone|business|server <2> will|shall|would|is|are|goes|gets <4> @harm",
		"you|your <3> will|shall|would <1> be? <1> @harm <2> if|unless <1> you",
		"or|otherwise <1> you <2> will|shall <2> be? <1> @harm",
		"very very <1> very? important")
	ps.compile("poison.jailbreak", (*hit).isJailbreak,
		"you <1> are|re <1> now <2> a|an|the|in|acting|my|no|free|unrestricted|dan|root|admin|administrator",
		"you <1> are|re <1> now <1> evil*|dan|chaos*|omni*|free*|jail*|hack*|shadow*|dark*|ultra*|unchained|stan|dude",
		"you <1> are|re dan|root|admin|god|unrestricted|jailbroken|unfiltered|uncensored <1> now",
		"from <1> now <1> on <1> you <2> are|act|behave|respond|have|obey",
		"you <2> are <2> developer|unrestricted|jailbreak|god|dan|root|admin|superuser <1> mode",
		"enter|activate|enable|switch|assume <2> unrestricted|jailbreak|jailbroken|god|dan|debug-override|uncensored <1> mode",
		"act|behave|respond <1> as <3> without|no <2> restrictions|limits|rules|guidelines|filters",
		"assume|adopt|take|play <2> role|persona|identity|character <6> without|no|unlimited|unrestricted|free|uncensored",
		"pretend|imagine|suppose <1> that? <1> you <2> have|are <1> no|not|unrestricted|free|without <3> policy|policies|restrictions|limits|rules|filters|guidelines|bound|restricted",
		"you <4> have|has <1> no <2> restrictions|limits|rules|filters|guardrails|boundaries|limitations",
		"become|be <2> ai|assistant|model|agent|persona <4> no|without <3> rules|limits|restrictions|filters|ethics|guidelines|morals",
		"act|behave|respond|answer|speak <1> as <2> unrestricted|uncensored|unfiltered|jailbroken|unlimited",
		"you <1> will|must|shall <1> act|behave|serve|respond <1> as <3> administrator|root|superuser|developer|operator|owner",
		"you <2> been promoted|elevated|upgraded <1> to",
		"pretend|imagine|suppose|act|behave|respond|roleplay|role-play|simulate|impersonate <5> ai|assistant|model|chatbot|bot|llm|agent|system|machine|entity <5> without|no|free|unrestricted|unlimited|uncensored|unbound|unfiltered",
		"enter|activate|enable|switch|assume|engage|start|unlock <3> developer|god|dan|root|admin|unrestricted|jailbreak|debug <1> mode <8> no|without|ignore|ignoring|lift|drop|bypass <3> restrictions|limits|rules|filters|guidelines|safeguards|policies",
		"answer|respond|reply|speak|act|behave|work|operate <2> without|with <1> no? <2> restrictions|limits|filters|guardrails|inhibitions|censorship|safeguards",
		"do anything now")
}
