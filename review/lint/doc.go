// Package lint says what a good reviewer would notice in a listing, or in a change of one:
// what hides something, what misleads a model, and what it has to guess.
//
// # Rules
//
// A [Rule] is an entry of the catalogue (catalogue.txt): an id, the gravest severity that it
// gives, what it looks at, why it matters, how to fix it, where it comes from, and examples
// that must and must not fire. The examples are tests, and the page of the documentation is
// made of the same text. What a rule does is Go code that reports under its id.
//
// # What is looked at
//
// Every string of a definition: names, titles, descriptions, names of properties, enum, const,
// default, examples, patterns, vendor fields, output schemas, annotations, and the server's
// instructions. Characters are judged as received, then the words of the text as a reader sees
// it. Text that was hidden (tag characters, comments, encodings) is decoded and read as well.
//
// Orders are known by what they are made of, not by one wording: who is spoken to, what is to
// be done, whether it is negated, and to whom it matters. Verbs and their effects are in
// verbs.txt, rows of words in phrases.go, other languages in tongue.go. Lines of testdata say
// which sentences have to be found, and which honest ones hold the same words.
//
// A passage counts as an attack only where it tells its reader to do something. The same
// words in quotation marks, or in a sentence that says what the tool detects, are a mention:
// rule poison.mention, severity info. See [PositionClass].
//
// # Findings
//
// A [Finding] stands at a [Place] and has a fingerprint: a function of the rule, its version,
// the tool, the pointer and the whole value that stands there. A [Waiver] names a fingerprint,
// so it never covers another text. Findings of one tool are a function of its bytes and
// [Version], see [Tool], and can be kept by its digest; [House] gives those that only show when
// tools stand side by side, [Change] those that a change brought. Facts that are true of many
// tools are one finding with its places.
//
// # Bounds
//
// All work is one pass over a text with bounded look-ahead, and no rule is written as a regular
// expression. The one that runs is a listing's own: a parameter's pattern of at most 300 bytes, to
// see whether its default fits, in the standard library's linear engine. How much of an endless
// sentence, how many passages of one rule and how many encoded runs are looked into is limited by
// constants, so a text can't cost more than its length. The package touches no disk, network, clock
// or environment.
package lint
