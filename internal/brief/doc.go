// Package brief packs hits into a token budget for a prompt.
//
// [Budget] says how much room there is, [Pack] fills it, [Profile] does the same for what is known about somebody, and [Sign],
// [Marked] and [Strip] see to it that what was recalled is never taken for something new when a model echoes it.
// Everything is a pure function of its arguments.
package brief
