// Package rules draws statements out of messages and prose by rules: who lives where, works at what, likes, plans, decided or finished what, and when.
//
// [Extract] cuts a text into sentences and clauses, reads each clause with package grammar, and lets one rule after another look at it; [Dialogue]
// does so message by message, and keeps whom "she" means and what was asked. It reads English. It prefers to say nothing over saying something
// wrong: questions, guesses, wishes, conditions, quotations, hearsay, code and what an assistant is told to do make no memories. What it finds is
// measured on the messages of testdata; docs/design/distilling.md has the numbers, and says which files the rules were tuned on:
//
//	go test -run 'TestDialogue|TestGolden|TestHeldOut' -v ./internal/distil/rules
package rules

//go:generate go test -run TestTrain -train .
