#!/bin/sh
# Makes talk.vtt, talk.ass and talk.lrc of talk.srt, and captions.srt of talk.ass, with ffmpeg. The others are written by hand after what YouTube and song players write.
set -eu
cd "$(dirname "$0")"
for form in vtt ass lrc; do
	ffmpeg -loglevel error -y -i talk.srt -metadata title="The harbour" "talk.$form"
done
ffmpeg -loglevel error -y -i talk.ass captions.srt
