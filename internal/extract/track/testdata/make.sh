#!/bin/sh
# Makes talk.vtt, talk.ass and talk.lrc of talk.srt, and captions.srt of talk.ass, with ffmpeg, and talk.sub (SubViewer 2) of talk.srt with aeidon,
# the library of Gaupol (Debian: python3-aeidon). The others are written by hand after what YouTube and song players write.
set -eu
cd "$(dirname "$0")"
for form in vtt ass lrc; do
	ffmpeg -loglevel error -y -i talk.srt -metadata title="The harbour" "talk.$form"
done
ffmpeg -loglevel error -y -i talk.ass captions.srt
python3 - <<'END'
import aeidon
project = aeidon.Project()
project.open_main("talk.srt", "utf_8")
project.save_main(aeidon.files.new(aeidon.formats.SUBVIEWER2, "talk.sub", "utf_8"))
END
sed -i 's/^\[TITLE\]$/[TITLE]The harbour/' talk.sub # as its window lets one fill in
