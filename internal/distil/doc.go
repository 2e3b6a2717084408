// Package distil describes a document without a model: title, summary, keywords, tags, category and language.
//
// [Describe] works by rules: a pure function of its arguments, deterministic, in time linear in the text, which never
// fails. What it says is taken from the text itself. The statements that a text makes are drawn by package rules beside it; how words, names and
// dates are read stands in package lexis below.
package distil
