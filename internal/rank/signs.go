package rank

// Sign is one sign of relevance. Most lie between 0 and 1.
type Sign uint8

// The signs. The context score is BM25 over a text and a little of its neighbours, over the best candidate's.
const (
	SignContext        Sign = iota
	SignSession             // text score of the whole session or document, over the best's
	SignChatSession         // the same between user and assistant
	SignSpeaker             // said by the one person whom the question names
	SignRole                // context, where user or assistant is asked about by "I" or "you"
	SignMeaning             // cosine of the vector, smoothed over the neighbours
	SignTopic               // cosine of the whole session
	SignAlike               // share of the query's weight that is missing but has a neighbour in meaning
	SignSelf                // somebody speaks of himself
	SignSelfDensity         // context × how densely
	SignWhen                // context, where a time is asked for and one is named
	SignMany                // context, where a number is asked for and one is named
	SignNames               // names, quotations and numbers in something short that somebody says
	SignLength              // log of the number of terms of what somebody says
	SignChatLength          // the same between user and assistant
	SignAfterQuestion       // own text score of the question before it
	SignAfterStatement      // own text score of any text before it
	SignQuestion            // context, where it is a question
	SignDate                // its date is the one that is asked about
	SignFeedback            // text score of the terms of the best candidates
	SignChatFeedback        // the same between user and assistant
	SignChatPrevious        // context of the turn before it, between user and assistant
	signCount
)

// Signs is the number of signs.
const Signs = int(signCount)

var signNames = [signCount]string{
	"context", "session", "chat_session", "speaker", "role", "meaning", "topic", "alike", "self", "self_density",
	"when", "many", "names", "length", "chat_length", "after_question", "after_statement", "question", "date", "feedback",
	"chat_feedback", "chat_previous",
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

// Linear are the weights of the signs.
type Linear [signCount]float64

// DefaultLinear returns the weights of the ranker lukasa: fitted over several kinds of text at once and rounded. How, and
// what they reach, is in docs/design/ranking.md.
func DefaultLinear() Linear {
	return Linear{
		SignContext: 1.75, SignSession: 1.5, SignChatSession: -1.1, SignSpeaker: 2.1, SignRole: 2.8, SignMeaning: 5.7, SignTopic: -1,
		SignAlike: 4.6, SignSelf: .65, SignSelfDensity: .75, SignWhen: 1.8, SignMany: 2.1, SignNames: .6, SignLength: 1.2,
		SignChatLength: -7.2, SignAfterQuestion: 1.6, SignAfterStatement: -1.6, SignQuestion: -.6, SignDate: 4, SignFeedback: 2.3,
		SignChatFeedback: -1.5, SignChatPrevious: -.5,
	}
}
