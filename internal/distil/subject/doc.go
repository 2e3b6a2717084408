// Package subject keeps whom and what a conversation has spoken of, and weighs which of them is meant by words that do not say it: "she", "his", or a
// verb whose subject is left out.
package subject
