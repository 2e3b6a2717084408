// Package lexis reads the words of a text: tokens, verb groups, names, dates, and phrases that try to give a machine orders.
//
// It knows English, and the numeric dates of other languages. Everything is a pure function of its arguments, takes time
// linear in the text and never fails. The tables (Stops, Verbs and the like) are read only.
package lexis
