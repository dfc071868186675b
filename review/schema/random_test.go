package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/schema"
)

// generator makes small schemas and instances that meet each other often: few
// names, few values, every keyword.
type generator struct {
	*rand.Rand
	defs int  // definitions that a $ref may name
	old  bool // draft 7: tuples in items, dependencies
}

func (g generator) pick(xs ...string) string { return xs[g.IntN(len(xs))] }

func (g generator) scalar() string {
	return g.pick(`null`, `true`, `false`, `0`, `1`, `2`, `3`, `-1`, `0.5`, `""`, `"a"`, `"b"`, `"ab"`, `"aab"`, `"x"`)
}

func (g generator) instance(depth int) string {
	if depth == 0 || g.IntN(3) > 0 {
		return g.scalar()
	}
	var parts []string
	if g.IntN(2) == 0 {
		for range g.IntN(4) {
			parts = append(parts, g.instance(depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, name := range []string{"a", "b", "ab", "x"} {
		if g.IntN(2) == 0 {
			parts = append(parts, fmt.Sprintf("%q:%s", name, g.instance(depth-1)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g generator) list(word string, depth, most int) string {
	var parts []string
	for range 1 + g.IntN(most) {
		parts = append(parts, g.schema(depth-1))
	}
	return fmt.Sprintf("%q:[%s]", word, strings.Join(parts, ","))
}

func (g generator) dict(word string, depth int, names ...string) string {
	var parts []string
	for _, n := range names {
		if g.IntN(2) == 0 {
			parts = append(parts, fmt.Sprintf("%q:%s", n, g.schema(depth-1)))
		}
	}
	return fmt.Sprintf("%q:{%s}", word, strings.Join(parts, ","))
}

func (g generator) one(word string, depth int) string {
	return fmt.Sprintf("%q:%s", word, g.schema(depth-1))
}

func (g generator) number(word string, from, to int) string {
	return fmt.Sprintf("%q:%d", word, from+g.IntN(to-from+1))
}

func (g generator) keyword(depth int) string {
	simple := []func() string{
		func() string {
			return `"type":` + g.pick(`"string"`, `"integer"`, `"number"`, `"object"`, `"array"`, `"boolean"`, `"null"`, `["string","null"]`, `["integer","string"]`, `["object","array"]`)
		},
		func() string { return `"type":` + g.pick(`"string"`, `"integer"`, `"object"`) },
		func() string { return `"enum":[` + g.scalar() + "," + g.instance(1) + "]" },
		func() string { return `"const":` + g.instance(1) },
		func() string { return g.number("minimum", -1, 3) },
		func() string { return g.number("maximum", -1, 3) },
		func() string { return g.number("exclusiveMinimum", -1, 2) },
		func() string { return g.number("exclusiveMaximum", 0, 3) },
		func() string { return `"multipleOf":` + g.pick("1", "2", "0.5", "3") },
		func() string { return g.number("minLength", 0, 2) },
		func() string { return g.number("maxLength", 0, 2) },
		func() string {
			return `"pattern":` + g.pick(`"^a"`, `"b$"`, `"^a*$"`, `"^[ab]+$"`, `"x"`, `".+"`, `"^(a|b)$"`, `"^(?!a)"`)
		},
		func() string { return g.number("minItems", 0, 2) },
		func() string { return g.number("maxItems", 0, 2) },
		func() string { return `"uniqueItems":true` },
		func() string { return g.number("minProperties", 0, 2) },
		func() string { return g.number("maxProperties", 0, 2) },
		func() string { return `"required":[` + g.pick(`"a"`, `"b"`, `"a","b"`, `"ab"`) + "]" },
		func() string { return `"dependentRequired":{"a":["b"]}` },
		func() string { return `"additionalProperties":false` },
		func() string {
			if g.defs == 0 {
				return `"title":"t"`
			}
			return fmt.Sprintf(`"$ref":"#/$defs/d%d"`, g.IntN(g.defs))
		},
	}
	nested := []func() string{
		func() string { return g.dict("properties", depth, "a", "b", "ab") },
		func() string { return g.dict("properties", depth, "a", "b") },
		func() string { return g.dict("patternProperties", depth, "^a", "b$") },
		func() string { return g.one("additionalProperties", depth) },
		func() string { return g.one("propertyNames", depth) },
		func() string { return g.dict("dependentSchemas", depth, "a") },
		func() string { return g.one("items", depth) },
		func() string { return g.list("prefixItems", depth, 2) },
		func() string { return g.one("contains", depth) + "," + g.number("minContains", 0, 2) },
		func() string { return g.one("contains", depth) + "," + g.number("maxContains", 1, 2) },
		func() string { return g.list("allOf", depth, 2) },
		func() string { return g.list("anyOf", depth, 3) },
		func() string { return g.list("oneOf", depth, 3) },
		func() string { return g.one("not", depth) },
		func() string { return g.one("if", depth) + "," + g.one("then", depth) + "," + g.one("else", depth) },
		func() string { return g.one("unevaluatedProperties", depth) },
		func() string { return g.one("unevaluatedItems", depth) },
	}
	if g.old {
		nested = append(nested,
			func() string { return g.list("items", depth, 2) + "," + g.one("additionalItems", depth) },
			func() string { return g.list("items", depth, 2) },
			func() string { return g.dict("dependencies", depth, "a", "b") },
		)
	}
	if depth > 0 && g.IntN(2) == 0 {
		return nested[g.IntN(len(nested))]()
	}
	return simple[g.IntN(len(simple))]()
}

func (g generator) schema(depth int) string {
	if g.IntN(12) == 0 {
		return g.pick("true", "false", "{}")
	}
	seen := map[string]bool{}
	var parts []string
	for range 1 + g.IntN(3) {
		k := g.keyword(depth)
		word := k[:strings.Index(k, ":")]
		if !seen[word] {
			seen[word] = true
			parts = append(parts, k)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// document is a schema, sometimes with definitions that may be recursive.
func (g generator) document(depth int) string {
	if g.IntN(3) > 0 {
		return g.schema(depth)
	}
	g.defs = 2
	return fmt.Sprintf(`{"allOf":[%s],"$defs":{"d0":%s,"d1":%s}}`, g.schema(depth), g.schema(depth), g.schema(depth-1))
}

// mutate changes one number, or one keyword into another of its kind.
func (g generator) mutate(s string) string {
	swaps := []string{"minimum", "maximum", "anyOf", "oneOf", "allOf", "anyOf", "integer", "number", "string", "integer", "minLength", "maxLength",
		"minItems", "maxItems", "true", "false", "additionalProperties", "unevaluatedProperties", "^a*$", "^[ab]+$", "contains", "items", "if", "not"}
	for range 20 {
		if g.IntN(2) == 0 {
			i := g.IntN(len(s))
			if s[i] >= '0' && s[i] <= '3' && s[i-1] == ':' {
				return s[:i] + g.pick("0", "1", "2", "3") + s[i+1:]
			}
			continue
		}
		i := 2 * g.IntN(len(swaps)/2)
		from, to := swaps[i], swaps[i+1]
		if g.IntN(2) == 0 {
			from, to = to, from
		}
		if n := strings.Count(s, from); n > 0 {
			parts := strings.SplitN(s, from, 2+g.IntN(n))
			last := len(parts) - 1
			return strings.Join(parts[:last], from) + to + parts[last]
		}
	}
	return s
}

// checkSound tests one pair against the validator: a proof and a counterexample
// must never coexist, and a witness must be one.
func checkSound(t *testing.T, g generator, old, new string) schema.Verdict {
	t.Helper()
	opt := schema.Options{Steps: 20_000}
	if g.old {
		opt.Draft = "7"
	}
	r := schema.Compare([]byte(old), []byte(new), schema.Input, opt)
	pair := corpusPair{name: "random", dir: schema.Input, old: json.RawMessage(old), new: json.RawMessage(new), draft: opt.Draft}
	if r.Verdict == schema.Undecided {
		t.Logf("undecided: %s\n old %s\n new %s", r.Reason, old, new)
	}
	if r.DeclaredWitness != nil {
		newWitnessChecker(t, pair).check(t, pair.name, r.DeclaredWitness)
	}
	if (r.Verdict == schema.Breaking) != (r.Witness != nil) {
		t.Errorf("verdict %s with witness %s", r.Verdict, r.Witness)
	}
	before, errA := schema.NewValidator([]byte(old), opt)
	after, errB := schema.NewValidator([]byte(new), opt)
	if errA != nil || errB != nil {
		return r.Verdict
	}
	for range 60 {
		v := []byte(g.instance(2))
		was, _ := before.Accepts(v)
		is, _ := after.Accepts(v)
		if was && !is && (r.Verdict == schema.Compatible || r.Verdict == schema.Equivalent) || was != is && r.Verdict == schema.Equivalent {
			t.Errorf("%s, but %s is %v under old and %v under new\n old %s\n new %s", r.Verdict, v, was, is, old, new)
			return r.Verdict
		}
	}
	checkResult(t, pair, r)
	if t.Failed() {
		t.Logf("old %s\nnew %s", old, new)
	}
	return r.Verdict
}

func TestRandomPairs(t *testing.T) {
	count := map[schema.Verdict]int{}
	seeds := 600
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		seeds = n
	}
	for seed := range uint64(seeds) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		g.old = seed%4 == 0
		old := g.document(3)
		new := g.document(3)
		if g.IntN(2) == 0 { // near relatives are proved more often than strangers
			new = g.mutate(old)
		}
		count[checkSound(t, g, old, new)]++
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Log(count)
	if count[schema.Undecided]*20 > seeds {
		t.Errorf("%d of %d undecided", count[schema.Undecided], seeds)
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		g := generator{Rand: rand.New(rand.NewPCG(a, b))}
		g.old = b%3 == 0
		old := g.document(3)
		if b%2 == 0 {
			checkSound(t, g, old, g.mutate(old))
		} else {
			checkSound(t, g, old, g.document(3))
		}
	})
}
