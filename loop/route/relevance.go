package route

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"chatterbox/loop/toolcall"
)

// Ranked is a tool with how well it fits a text.
type Ranked struct {
	Tool  int     // index in the list given to NewIndex
	Score float64 // 0: the text has no word of the tool
}

// Index ranks a set of tools by how well each fits a text: by the words they share, rare words counting more (BM25 over
// weighted fields). It does not change, and several goroutines may use it at once.
type Index struct {
	tools  []toolcall.Tool
	words  map[string][]posting // by stem
	pieces map[string][]posting // of names, by their letters
}

// posting is how much a word or piece counts for a tool that has it.
type posting struct {
	tool   int32
	weight float32
}

// Where a word stands says how much it tells about what the tool is for.
const (
	weightName        = 3.0
	weightDescription = 2.0
	weightParameter   = 1.2
	weightEnum        = 1.0
	weightDetail      = 0.7 // a parameter's description
)

// BM25's two constants: how soon further occurrences of a word stop to count, and how much a long text dilutes its
// words.
const (
	saturation = 1.2
	dilution   = 0.5
)

// How much a word counts that was not said as the tool writes it; one that was counts 1.
const (
	weightTranslation = 0.8
	weightSynonym     = 0.3
	weightPieces      = 0.3 // of a name that is spelt alike, where no tool has the word
	pieceLength       = 3
)

// toolWordsMax bounds the words of one tool that are looked at, so that one huge schema costs no more than a large one.
const toolWordsMax = 2000

// NewIndex looks at the tools once, so that each text costs little.
func NewIndex(tools []toolcall.Tool) *Index {
	x := &Index{tools: tools, words: map[string][]posting{}, pieces: map[string][]posting{}}
	documents := make([]document, len(tools))
	length := 0.0
	for i, tool := range tools {
		documents[i] = read(tool)
		length += documents[i].length
	}
	average := max(length/float64(max(len(tools), 1)), 1)
	for i, d := range documents {
		norm := saturation * (1 - dilution + dilution*d.length/average)
		for word, count := range d.counts {
			x.words[word] = append(x.words[word], posting{int32(i), float32(count * (saturation + 1) / (count + norm))})
		}
		for piece := range d.pieces {
			x.pieces[piece] = append(x.pieces[piece], posting{int32(i), 1 / float32(len(d.pieces))})
		}
	}
	for _, terms := range []map[string][]posting{x.words, x.pieces} {
		for _, list := range terms {
			by := float32(rareness(len(tools), len(list)))
			for i := range list {
				list[i].weight *= by
			}
		}
	}
	return x
}

// rareness is BM25's inverse document frequency: that of a word which n of all tools have.
func rareness(all, n int) float64 {
	return math.Log(1 + (float64(all)-float64(n)+0.5)/(float64(n)+0.5))
}

// Rank returns all tools, the one that fits the text best first; tools that fit equally well stay in their order.
func (x *Index) Rank(text string) []Ranked {
	out := make([]Ranked, len(x.tools))
	for i := range out {
		out[i].Tool = i
	}
	add := func(list []posting, by float64) {
		for _, p := range list {
			out[p.tool].Score += float64(p.weight) * by
		}
	}
	for _, word := range queryWords(text) {
		list := x.words[word.stem]
		add(list, word.weight)
		if word.weight == 1 && len(list) == 0 {
			eachPiece(word.stem, func(piece string) { add(x.pieces[piece], weightPieces) })
		}
	}
	slices.SortStableFunc(out, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// document is a tool as a bag of weighted words.
type document struct {
	counts map[string]float64
	length float64
	pieces map[string]bool // of the name
	words  int
}

func read(tool toolcall.Tool) document {
	d := document{counts: map[string]float64{}, pieces: map[string]bool{}}
	d.add(tool.Name, weightName)
	for _, word := range splitWords(tool.Name) {
		eachPiece(stem(word), func(piece string) { d.pieces[piece] = true })
	}
	d.add(tool.Description, weightDescription)
	var parameters schema
	if json.Unmarshal(tool.Parameters, &parameters) == nil {
		d.schema(parameters, 0)
	}
	return d
}

func (d *document) add(text string, weight float64) {
	for _, word := range splitWords(text) {
		if d.words >= toolWordsMax {
			return
		}
		d.words++
		if stopWords()[word] {
			continue
		}
		d.counts[stem(word)] += weight
		d.length += weight
	}
}

// schema is what of a JSON Schema has words in it.
type schema struct {
	Description string            `json:"description"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	Enum        []any             `json:"enum"`
}

// schemaDepthMax bounds how far below the arguments words are looked for.
const schemaDepthMax = 4

func (d *document) schema(s schema, depth int) {
	d.add(s.Description, weightDetail)
	for _, value := range s.Enum {
		if text, ok := value.(string); ok {
			d.add(text, weightEnum)
		}
	}
	if depth >= schemaDepthMax {
		return
	}
	if s.Items != nil {
		d.schema(*s.Items, depth+1)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		d.add(name, weightParameter)
		d.schema(s.Properties[name], depth+1)
	}
}

// eachPiece calls f with every run of three letters of a word, its ends marked.
func eachPiece(word string, f func(string)) {
	marked := []rune("^" + word + "$")
	for i := 0; i+pieceLength <= len(marked); i++ {
		f(string(marked[i : i+pieceLength]))
	}
}
