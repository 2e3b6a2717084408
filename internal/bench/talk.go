package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Talk makes the messages of a conversation from a seed: small talk, questions, and statements about people, places and plans of
// which rules make memories. Equal seeds give equal messages.
type Talk struct {
	r *rand.Rand
	n int
}

// NewTalk makes a source.
func NewTalk(seed uint64) *Talk { return &Talk{r: rand.New(rand.NewPCG(seed, 11))} }

// The words that messages are made of.
var (
	talkPeople   = strings.Fields("Anna Ben Carla Dario Elif Farid Greta Hugo Ines Jonas Karin Lena Milan Nora Oscar Petra Quentin Rosa Samir Tilda Uwe Vera Wanda Yusuf")
	talkSurnames = strings.Fields("Alder Brandt Castell Dorn Ekman Fiore Gruber Hale Ivarsson Jansen Keller Lindqvist Moreau Novak Ortega Pirelli Quast Renner Sorel Tamm")
	talkPlaces   = strings.Fields("Lyon Hamburg Porto Graz Turin Bergen Cork Gdansk Leeds Malmo Utrecht Basel Seville Tampere Trieste Nantes Bremen Tartu")
	talkThings   = strings.Fields("ferry bicycle kitchen garden invoice contract recipe piano roof boiler passport laptop tent bookshelf orchard workshop")
	talkFoods    = strings.Fields("lentils espresso olives rye risotto plums halloumi pancakes herring dumplings")
	talkDays     = strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
)

func (t *Talk) of(list []string) string { return list[t.r.IntN(len(list))] }

// Message returns the next message with the role of its speaker. Three in ten say something about somebody.
func (t *Talk) Message() (role, content string) {
	t.n++
	who, where, what, food, day := t.of(talkPeople), t.of(talkPlaces), t.of(talkThings), t.of(talkFoods), t.of(talkDays)
	full := who + " " + t.of(talkSurnames)
	lines := []string{
		"Did you ever get round to the " + what + "? I keep meaning to ask, and then the day is over.",
		"Yes, it took longer than I thought, but the " + what + " is fine now and nobody had to be called twice.",
		fmt.Sprintf("The weather was awful all morning, so the %s had to wait; number %d on the list of things for %s.", what, t.n, day),
		"That sounds like a lot of work. What is still open about the " + what + "?",
		"Not much, a few screws and some paint. I might do it while the radio is on.",
		fmt.Sprintf("Good. Shall we look at the pictures of the %s together when you have a minute, say around %d o'clock?", what, 8+t.r.IntN(10)),
		"Ha, that is so true. My neighbour said the same about her " + what + " the other day.",
	}
	told := []string{
		fmt.Sprintf("By the way, %s moved to %s in March and is still looking for a flat near the station.", full, where),
		fmt.Sprintf("I really like %s, but I can't stand %s in the morning.", food, t.of(talkFoods)),
		fmt.Sprintf("My sister %s works at %s Instruments in %s now, since the spring.", who, t.of(talkSurnames), where),
		fmt.Sprintf("We decided on %s to sell the %s, after %s had a long look at it.", day, what, full),
	}
	line := t.of(lines)
	if t.r.IntN(10) < 3 {
		line = t.of(told)
	}
	if t.n%2 == 0 {
		return "assistant", line
	}
	return "user", line
}
