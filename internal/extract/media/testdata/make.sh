#!/bin/sh
# Makes the pictures and recordings of this folder. Needs ImageMagick (convert), exiftool, espeak-ng, ffmpeg. Fonts: DejaVu.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# receipt.jpg: a receipt as a telephone photographs it: a little turned, with noise, shadow and blur, lying on its side by EXIF
# (orientation 6), with date, camera and place.
convert -size 620x900 xc:'#f4f1ea' -font DejaVu-Sans-Mono -pointsize 26 -fill '#2a2a2a' \
	-annotate +60+90 'CAFE NORDLYS\nHarbour Road 12, Lindvik\n\n14.03.2025  15:09\nTable 7\n\n2 Cardamom bun     9.80\n1 Filter coffee    4.20\n1 Rhubarb juice    5.50\n\nTOTAL EUR         19.50\nPaid by card\n\nThank you!' \
	-background '#8a7d6c' -rotate 1.5 \( +clone -fill black -colorize 100 -sparse-color barycentric '0,0 #ffffff 620,900 #b8b8b8' \) -compose multiply -composite \
	-attenuate 0.25 +noise Gaussian -blur 0x0.6 -rotate 270 -quality 45 -sampling-factor 4:2:0 receipt.jpg
exiftool -q -overwrite_original -n -Orientation=6 -Make=Pixelworks -Model='Pocket 5' -DateTimeOriginal='2025:03:14 15:12:40' -OffsetTimeOriginal='+01:00' \
	-GPSLatitude=59.913868 -GPSLatitudeRef=N -GPSLongitude=10.752245 -GPSLongitudeRef=E -GPSAltitude=12 -GPSAltitudeRef=0 -Artist='Tora Berg' receipt.jpg
cp receipt.jpg "$here/"

# sign.*: the same few words in the other formats.
convert -size 700x240 xc:white -font DejaVu-Sans-Bold -pointsize 54 -fill black -annotate +40+100 'Ferry to Lindvik\nleaves at 7:45' -colorspace Gray -depth 8 sign.png
exiftool -q -overwrite_original -XMP-dc:Title='The ferry sign' -XMP-dc:Description='A white sign at the pier' -XMP-photoshop:DateCreated='2024-06-01T08:00:00Z' sign.png
for f in gif webp bmp tif; do convert sign.png -colors 4 sign.$f; done
convert sign.png -colors 2 -compress Group4 sign.tif
convert sign.png -colors 2 -type bilevel BMP3:sign.bmp
convert sign.png -quality 50 sign.heic
cp sign.png sign.gif sign.webp sign.tif sign.bmp sign.heic "$here/"
# blank.png: a picture of nothing.
convert -size 300x200 xc:'#88aacc' "$here/blank.png"

# talk.ogg: three and a half minutes, in which four things are said: at 0:02, 1:10, 2:20 and 3:12. short.wav: two and a half seconds of
# it, in stereo at 11 kHz and 8 bits, as programs record them.
say() { espeak-ng -v en-us -s 150 -w "$1" "$2"; }
say a.wav 'Welcome to the harbour meeting.'
say b.wav 'The first point is the budget of the breakwater.'
say c.wav 'The second point is the new ferry.'
say d.wav 'The ferry leaves at a quarter to eight, starting in March.'
ffmpeg -y -v error -f lavfi -t 212 -i anullsrc=r=16000:cl=mono -i a.wav -i b.wav -i c.wav -i d.wav -filter_complex \
	'[1]aresample=16000,adelay=2000[a];[2]aresample=16000,adelay=70000[b];[3]aresample=16000,adelay=140000[c];[4]aresample=16000,adelay=192000[d];[0][a][b][c][d]amix=inputs=5:duration=first:normalize=0[o]' \
	-map '[o]' -ac 1 -ar 16000 -c:a libopus -b:a 6k -application voip -metadata title='Harbour meeting' -metadata artist='Tora Berg' -metadata date=2025-03-14 "$here/talk.ogg"
ffmpeg -y -v error -i a.wav -af 'adelay=500,apad=whole_dur=2.6' -ac 2 -ar 11025 -c:a pcm_u8 -fflags +bitexact "$here/short.wav"

# film.mkv: four seconds of colour bars with subtitles of text; silent.mp4: the same without sound and subtitles.
printf '1\n00:00:00,500 --> 00:00:01,800\n<i>The ferry</i> is late.\n\n2\n00:00:02,000 --> 00:00:03,900\nIt always is.\n' >film.srt
ffmpeg -y -v error -f lavfi -t 4 -i testsrc=size=160x120:rate=5 -i film.srt -c:v libx264 -preset veryslow -crf 40 -c:s srt -metadata title='On the pier' \
	-metadata creation_time=2024-06-01T08:00:00Z -metadata:s:s:0 language=eng "$here/film.mkv"
ffmpeg -y -v error -f lavfi -t 1 -i testsrc=size=160x120:rate=5 -c:v libx264 -crf 40 "$here/silent.mp4"
ls -l "$here"
