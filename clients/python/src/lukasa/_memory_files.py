"""The files of Anthropic's memory tool (memory_20250818) over a container: six commands, with the answers that the
tool has.

Each file is one document, so that what an agent notes is found by searches too. A directory is there while
something is in it;
/memories always is.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from ._client import Lukasa
from ._items import Items

_ROOT = "/memories"
_WIDTH = 6  # of a line number
_MOST_LINES = 999_999
_DIRECTORY_SIZE = 4096  # what a directory shows


class MemoryFileError(Exception):
    """A command that was refused; its text is for the model."""


class MemoryFiles:
    """The files below /memories."""

    def __init__(self, client: Lukasa, container: str = "memories") -> None:
        self._items = Items(client, container, "memory_tool")

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Show a file with line numbers, or what is in a directory, two levels deep."""
        at = _place(path)
        there = self._items.get([at]) if at != _ROOT else None
        if there is None:
            return self._listing(path, at)
        lines = str(there.data["text"]).split("\n")
        if len(lines) > _MOST_LINES:
            raise MemoryFileError(f"File {path} exceeds maximum line limit of 999,999 lines.")
        first, shown = 1, lines
        if view_range and len(view_range) == 2:
            first = max(1, view_range[0])
            shown = lines[first - 1 : len(lines) if view_range[1] == -1 else view_range[1]]
        return f"Here's the content of {path} with line numbers:\n" + _numbered(shown, first)

    def _listing(self, path: str, at: str) -> str:
        sizes = self._below(at)
        if not sizes and at != _ROOT:
            raise MemoryFileError(f"The path {path} does not exist. Please provide a valid path.")
        rows: list[str] = []

        def show(directory: str, shown_as: str, depth: int) -> None:
            names = {p[len(directory) + 1 :].split("/")[0] for p in sizes if p.startswith(directory + "/")}
            for name in sorted(n for n in names if not n.startswith(".")):
                full = f"{directory}/{name}"
                if full in sizes:
                    rows.append(f"{_size(sizes[full])}\t{shown_as}/{name}")
                    continue
                rows.append(f"{_size(_DIRECTORY_SIZE)}\t{shown_as}/{name}/")
                if depth < 2:
                    show(full, f"{shown_as}/{name}", depth + 1)

        show(at, path, 1)
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([head, f"{_size(_DIRECTORY_SIZE)}\t{path}", *rows])

    def create(self, path: str, file_text: str) -> str:
        """Make a new file."""
        at = _place(path)
        if at == _ROOT or self._items.get([at]) or self._below(at):
            raise MemoryFileError(f"File {path} already exists")
        self._write(at, file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str | None = "") -> str:
        """Replace a text that stands there once."""
        at, content = self._read(path)
        count = content.count(old_str)
        if count == 0:
            raise MemoryFileError(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
            )
        if count > 1:
            places = [i for i in range(len(content)) if content.startswith(old_str, i)]
            lines = ", ".join(str(content.count("\n", 0, i) + 1) for i in places)
            raise MemoryFileError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. "
                "Please ensure it is unique"
            )
        changed = content.count("\n", 0, content.find(old_str))
        new = content.replace(old_str, new_str or "")
        self._write(at, new)
        lines_now = new.split("\n")
        first = max(0, changed - 2)
        snippet = _numbered(lines_now[first : changed + 3], first + 1)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Put a text behind a line; 0 is the beginning."""
        at, content = self._read(path)
        lines = content.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= insert_line <= len(lines):
            raise MemoryFileError(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        new = "\n".join(lines)
        self._write(at, new if new.endswith("\n") else new + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Remove a file, or a directory with all that is in it, for good."""
        at = _place(path)
        if at == _ROOT:
            raise MemoryFileError("Cannot delete the /memories directory itself")
        if not self._items.delete([at]):
            below = list(self._below(at))
            if not below:
                raise MemoryFileError(f"The path {path} does not exist")
            for file in below:
                self._items.delete([file])
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file or a directory."""
        old, new = _place(old_path), _place(new_path)
        if old == _ROOT:
            raise MemoryFileError("Cannot rename the /memories directory itself")
        if new == _ROOT or self._items.get([new]) or self._below(new):
            raise MemoryFileError(f"The destination {new_path} already exists")
        there = self._items.get([old])
        moved = {old: new} if there else {p: new + p[len(old) :] for p in self._below(old)}
        if not moved:
            raise MemoryFileError(f"The path {old_path} does not exist")
        if new.startswith(old + "/"):
            raise MemoryFileError(f"Cannot move {old_path} into itself")
        for source, target in moved.items():
            item = self._items.get([source])
            if item is not None:
                self._write(target, str(item.data["text"]))
                self._items.delete([source])
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Remove all files for good."""
        for file in list(self._below(_ROOT)):
            self._items.delete([file])
        return "All memory cleared"

    def _below(self, directory: str) -> dict[str, int]:
        """Return the files below a directory with their sizes in bytes."""
        return {str(i.data["path"]): len(str(i.data["text"]).encode()) for i in self._items.below([directory])}

    def _read(self, path: str) -> tuple[str, str]:
        at = _place(path)
        there = self._items.get([at]) if at != _ROOT else None
        if there is None:
            if at == _ROOT or self._below(at):
                raise MemoryFileError(f"The path {path} is not a file.")
            raise MemoryFileError(f"The path {path} does not exist. Please provide a valid path.")
        return at, str(there.data["text"])

    def _write(self, at: str, text: str) -> None:
        parts = at.split("/")
        directories = [["/".join(parts[:i])] for i in range(2, len(parts))]
        self._items.put([at], text, {"path": at, "text": text}, prefixes=directories, title=at)


def _place(path: str) -> str:
    """Return the path without . and .., which must lie below /memories."""
    if not isinstance(path, str) or not (path == _ROOT or path.startswith(_ROOT + "/")):
        raise MemoryFileError(f"Path must start with /memories, got: {path}")
    at = posixpath.normpath(path)
    if at != _ROOT and not at.startswith(_ROOT + "/"):
        raise MemoryFileError(f"Path {path} would escape /memories directory")
    return at


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{str(i).rjust(_WIDTH)}\t{line}" for i, line in enumerate(lines, first))


def _size(count: int) -> str:
    if count == 0:
        return "0B"
    unit = min((count.bit_length() - 1) // 10, 3)
    size = count / 1024**unit
    return f"{int(size)}{'BKMG'[unit]}" if size == int(size) else f"{size:.1f}{'BKMG'[unit]}"
