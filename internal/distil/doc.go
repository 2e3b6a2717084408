// Package distil turns text into what is worth knowing about it: descriptors of a document, and memories.
//
// [Describe] gives a document its title, summary, keywords, tags and category. [Extract] draws statements
// out of messages and prose: who lives where, works at what, likes what, plans, decided or finished what, and when. [Dates],
// [Entities], [Suspicious] and [Key] are the parts that other rooms use by themselves.
//
// Everything here works by rules, without a model: pure functions of their arguments, deterministic, in time linear in the
// text, which never fail. The rules for statements read English. They prefer to say nothing over saying something
// wrong: questions, guesses, wishes, quotations, code and what others are told to do make no memories.
package distil
