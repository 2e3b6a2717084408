package sense_test

import (
	"bytes"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

// bag is what the model looks at in plain words.
func bag(words string) sense.Bag {
	c := sense.Case{S: words, Toks: lexis.Lex(nil, words, 0, len(words)), Subject: "I", When: "-"}
	var b sense.Bag
	c.Features(&b)
	return b
}

// lesson is a small one: trips are episodes, likings preferences, greetings nothing.
func lesson() []sense.Example {
	var out []sense.Example
	for words, class := range map[string]int{
		"went to Lyon by train": sense.Episode, "went to Graz with her": sense.Episode, "went to the sea": sense.Episode,
		"like green tea": sense.Preference, "like old films": sense.Preference, "like rain": sense.Preference,
		"hello there": sense.Nothing, "hello you": sense.Nothing, "hello all": sense.Nothing,
	} {
		ex := sense.Example{Bag: bag(words), Weight: 1}
		ex.Target[class] = 1
		out = append(out, ex)
	}
	// a map has no order: training must not see one
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if len(out[j].Bag.Marks) > 0 && out[j].Bag.Marks[len(out[j].Bag.Marks)/2] < out[i].Bag.Marks[len(out[i].Bag.Marks)/2] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

func TestTrainLearns(t *testing.T) {
	t.Parallel()
	m, err := sense.Parse(string(sense.Train(lesson(), sense.Options{Rounds: 30, Rate: 0.05, Decay: 0.001, Least: 1})))
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]int{"went to Porto": sense.Episode, "like strong tea": sense.Preference} {
		b := bag(words)
		o := m.Weigh(&b)
		if class, p := o.Best(); class != want || p < 0.5 {
			t.Errorf("%q: class %d at %.2f, want %d", words, class, p, want)
		}
	}
	b := bag("hello everyone")
	if o := m.Weigh(&b); o.Something() > 0.5 {
		t.Errorf("a greeting is something: %.2f", o.Something())
	}
}

func TestTrainIsReproducible(t *testing.T) {
	t.Parallel()
	list := lesson()
	o := sense.Options{Rounds: 5, Rate: 0.05, Decay: 0.001, Least: 1}
	if !bytes.Equal(sense.Train(list, o), sense.Train(list, o)) {
		t.Error("the same examples gave two models")
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	m := sense.Default()
	if m == nil {
		t.Fatal("the model that comes with the program cannot be read")
	}
	b := bag("moved to Lyon last year")
	o := m.Weigh(&b)
	sum := float32(0)
	for _, p := range o {
		sum += p
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("the odds add up to %v", sum)
	}
	if again := m.Weigh(&b); again != o {
		t.Errorf("%v, then %v", o, again)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for class := 1; class < sense.Classes; class++ {
		if k := sense.Kind(class); !k.Valid() || sense.Class(k) != class {
			t.Errorf("class %d is kind %q, which is class %d", class, k, sense.Class(k))
		}
	}
	if sense.Class(lukasa.MemoryKind("dream")) != sense.Nothing {
		t.Error("an unknown kind has a class")
	}
}

func FuzzParse(f *testing.F) {
	good := sense.Train(lesson(), sense.Options{Rounds: 1, Rate: 0.05, Least: 2})
	f.Add(string(good))
	f.Add(string(good[:len(good)-1]))
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := sense.Parse(s)
		if err != nil {
			return
		}
		b := bag("went to Lyon")
		m.Weigh(&b)
	})
}
