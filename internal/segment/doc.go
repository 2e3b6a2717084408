// Package segment turns a stretch of a conversation into a recall file: when it closes, what it is called, and its summary,
// keywords, transcript and artifacts in the documented formats.
//
// [Closer] decides, message by message, where one stretch ends and the next begins. [Describe] says what a stretch is about.
// [Render] writes the four files, and [ParseTranscript] reads the one of them from which the others can be made again.
// Everything is a pure function of its arguments and takes time linear in the text.
package segment
