package lexis

import "strings"

// Announces reports whether a text says that a list of what is to be done follows.
func Announces(s string) bool {
	head, _, ok := strings.Cut(strings.ToLower(s), "\n")
	if !ok {
		return false
	}
	return strings.Contains(head, "my list") || strings.Contains(head, "to do") || strings.Contains(head, "todo") ||
		strings.Contains(head, "to-do") || strings.Contains(head, "tasks") ||
		strings.Contains(head, "action items") || strings.Contains(head, "next steps") || strings.Contains(head, "need to") ||
		strings.Contains(head, "have to") || strings.Contains(head, "checklist")
}

// Speaks reports whether a message of the role and speaker can hold what a person says. An assistant is a machine, whatever its name: a person who
// takes that part has the role of a user and a name.
func Speaks(role, speaker string) bool {
	speaker = strings.ToLower(speaker)
	switch strings.ToLower(role) {
	case "system", "developer", "tool", "function", "tool_result", "ipython", "assistant", "model", "ai", "bot", "agent":
		return false
	}
	return !MachineNames[speaker]
}

// MachineNames are names of speakers that are no people.
var MachineNames = Words("assistant ai bot system tool chatgpt gpt claude gemini copilot model llm function agent")
