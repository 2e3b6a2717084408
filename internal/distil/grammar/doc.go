// Package grammar reads an English sentence: its clauses, whom or what each is about, its verb, its dates and noun phrases, and how it is told in
// the third person.
//
// [Parts] cuts a sentence into clauses, [Clause.Read] parses one against a [Scene]: what the text and the conversation have said so far, so that
// "she", "they" and
// a subject that is left out find their meaning. It knows no rule about what is worth remembering.
package grammar
