package rank

import "math"

// Sign is one sign of relevance.
type Sign uint8

// The signs. A share is a BM25 score over what the idf of the question's terms comes to, so that it means the same whatever the size of
// the corpus and the length of the question.
const (
	SignCosine          Sign = iota // cosine between the question and the text
	SignSmooth                      // the same, with the vectors of the neighbours mixed in
	SignText                        // share of the text, its title and its speaker
	SignTextPeak                    // that, times the best share of all candidates
	SignContext                     // share of the text with some of the terms of its neighbours
	SignContextPeak                 // that, times the best such share of all candidates
	SignWide                        // idf share of the question's terms that the text or a neighbour has
	SignLength                      // log of the number of terms, 1 from 30 terms on
	SignSpeaker                     // said by someone whom the question names
	SignAssistant                   // said by an assistant
	SignAssistantLength             // how long that is
	SignUserLength                  // how long what the user of an assistant says is
	SignCode                        // idf share of the question's codes that the text has
	SignAbout                       // has all that a question names that only asks what is known of it
	SignDerived                     // a memory that was drawn from a text by itself, which stands beside it
	SignDate                        // how near it is to the date that the question names
	signCount
)

// Signs is the number of signs.
const Signs = int(signCount)

var signNames = [signCount]string{
	"cosine", "smooth", "text", "text_peak", "context", "context_peak", "wide", "length", "speaker", "assistant", "assistant_length",
	"user_length", "code", "about", "derived", "date",
}

// String returns the name that explain shows.
func (s Sign) String() string {
	if s < signCount {
		return signNames[s]
	}
	return "unknown"
}

// Row holds the signs of one candidate.
type Row [signCount]float32

// Model is a logistic regression: the probability that a text with some signs answers the question.
type Model struct {
	Weights [signCount]float64
	Bias    float64
	// Level is the probability under which a text of this kind is not relevant. Statements and passages have the one at which 3 % of the
	// questions in the words of the text, or half remembered, lose their answer; that of messages is a compromise with silence.
	Level float64
}

// Models are the models of the ranker lukasa, by the kind of text.
type Models struct {
	Statement Model // a memory, or a note of at most [noteTerms] terms
	Passage   Model // any other part of a document
	Turn      Model // a message
	Named     Model // a message, where the question names one of those who speak
}

// noteTerms is how many terms a note has at most that is read as one statement.
const noteTerms = 40

// DefaultModels returns the models of the ranker lukasa. models/ranker fits them, but for the weights of codes, bare words and dates: an exact
// code decides, a text that has all of the few words that somebody types is relevant, and a date that the question names counts about as much as a cosine of .2. docs/design/ranking.md has what each sign adds.
func DefaultModels() Models {
	return Models{
		Statement: Model{
			Weights: [signCount]float64{SignCosine: 10.2, SignText: 1.3, SignTextPeak: 1, SignCode: code, SignAbout: about, SignDerived: derived, SignDate: date},
			Bias:    -7.2, Level: 0.14,
		},
		Passage: Model{
			Weights: [signCount]float64{SignCosine: 7.1, SignText: 6.5, SignTextPeak: 0, SignCode: code, SignAbout: about, SignDate: date},
			Bias:    -9.3, Level: 0.14,
		},
		Turn: Model{
			Weights: [signCount]float64{
				SignCosine: 11.7, SignText: 2.4, SignAssistant: 2.3, SignAssistantLength: -3.7, SignUserLength: .85, SignCode: code, SignAbout: about, SignDate: date,
			},
			Bias: -9.4, Level: 0.03,
		},
		Named: Model{
			Weights: [signCount]float64{
				SignSmooth: 4.9, SignContext: 10.9, SignContextPeak: -6.1, SignWide: 1.4, SignLength: 3.7, SignSpeaker: 2.7, SignCode: code, SignAbout: about, SignDate: date,
			},
			Bias: -14.2, Level: 0.03,
		},
	}
}

// The weights that were not fitted.
const (
	code  = 6
	about = 4
	date  = 2

	derived = -3
)

// probability is the probability that a row answers.
func (m *Model) probability(r *Row) float64 {
	sum := m.Bias
	for k, x := range r {
		sum += m.Weights[k] * float64(x)
	}
	return 1 / (1 + math.Exp(-sum))
}
