#!/bin/sh
# Makes talk.vtt and talk.ass of talk.srt with ffmpeg. The others are written by hand after what YouTube and song players write.
set -eu
cd "$(dirname "$0")"
for form in vtt ass; do
	ffmpeg -loglevel error -y -i talk.srt -metadata title="The harbour" "talk.$form"
done
