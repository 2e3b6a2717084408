"""Makes the fixtures that Python's email and mailbox packages write."""
import mailbox
import os
from email.headerregistry import Address
from email.message import EmailMessage
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import formatdate


def message(n, sender, subject, body, parent=None, refs=None, to="team@pier.example"):
    m = EmailMessage()
    m["Message-ID"] = f"<m{n}@pier.example>"
    m["Date"] = formatdate(1714550400 + n * 3600)
    m["From"] = sender
    m["To"] = to
    m["Subject"] = subject
    if parent:
        m["In-Reply-To"] = f"<{parent}@pier.example>"
    if refs:
        m["References"] = " ".join(f"<{r}@pier.example>" for r in refs)
    m.set_content(body)
    return m


# An HTML mail with alternatives, an inline picture, a calendar, an attachment.
m = EmailMessage()
m["Message-ID"] = "<party@pier.example>"
m["Date"] = "Wed, 01 May 2024 10:00:00 +0200"
m["From"] = Address("Zoë Müller", "zoe", "pier.example")
m["To"] = [Address("Ben", "ben", "pier.example"), Address("", "carla", "pier.example")]
m["Subject"] = "Sommerfest 🎉 — bitte zusagen"
m.set_content("")
m.add_alternative(
    "<html><body><p>Liebe alle,</p><p>das Fest ist am <b>8. Juni</b> auf dem <a href='https://pier.example/m'>Pier</a>.</p>"
    "<img src='cid:plan'><blockquote type='cite'>Wann ist das Fest?<br>Und wo?<br>Kommt Ben?<br>Wer kocht?</blockquote></body></html>",
    subtype="html",
)
m.add_alternative(
    "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:fest@pier.example\r\nDTSTART;TZID=Europe/Berlin:20240608T180000\r\n"
    "DTEND;TZID=Europe/Berlin:20240608T230000\r\nSUMMARY:Sommerfest\r\nLOCATION:Pier 3\r\nORGANIZER;CN=Zoë Müller:mailto:zoe@pier.example\r\n"
    "ATTENDEE;CN=Ben;PARTSTAT=ACCEPTED:mailto:ben@pier.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    subtype="calendar",
    params={"method": "REQUEST"},
)
m.get_body(("html",)).add_related(bytes.fromhex("89504e470d0a1a0a") + b"\0" * 300, "image", "png", cid="<plan>")
m.add_attachment(b"%PDF-1.4\n%%EOF\n", maintype="application", subtype="pdf", filename="Menü.pdf")
inner = message(90, "Old Friend <old@pier.example>", "The first feast", "It was 1999.\n")
m.add_attachment(inner)
open("python.eml", "wb").write(bytes(m))

# Old character sets, as older programs wrote them.
parts = MIMEMultipart("mixed")
parts["From"] = "=?iso-2022-jp?B?GyRCOzNFRBsoQg==?= <yamada@port.example>"
parts["To"] = "=?koi8-r?B?6dfBzg==?= <ivan@port.example>"
parts["Subject"] = "=?windows-1251?Q?=CF=F0=E8=E2=E5=F2?= =?gb2312?B?xOO6ww==?="
parts["Date"] = "Tue, 7 May 2002 09:30:00 +0900 (JST)"
parts["Message-ID"] = "<charsets@port.example>"
for words, charset in (("港に着きました。", "iso-2022-jp"), ("Привет из порта.", "koi8-r"), ("Größe naïve", "iso-8859-15"), ("船在港口。", "gb18030")):
    t = MIMEBase("text", "plain", charset=charset)
    t.set_payload(words.encode(charset))
    t["Content-Transfer-Encoding"] = "8bit"
    parts.attach(t)
open("charsets.eml", "wb").write(parts.as_bytes())

# A mailbox as Python writes it: mboxo quoting, threads with and without References.
if os.path.exists("python.mbox"):
    os.remove("python.mbox")
box = mailbox.mbox("python.mbox")
for m in (
    message(1, "Ana Lima <ana@pier.example>", "Which rope?", "Hello,\n\nwhich rope do we buy?\nFrom the list I would take the blue one.\n"),
    message(2, "Ben <ben@pier.example>", "Re: Which rope?", "On Wed, 1 May 2024 at 09:00, Ana Lima <ana@pier.example> wrote:\n> Hello,\n>\n> which rope do we buy?\n> From the list I would take\n> the blue one.\n\nThe red one, it floats.\n", "m1", ["m1"]),
    message(3, "Carla <carla@pier.example>", "Lunch", "Soup today.\n"),
    message(4, "Ana Lima <ana@pier.example>", "Re: Which rope?", "Red then.\n", "m2"),
    message(5, "Dora <dora@pier.example>", "AW: gone", "I answer a mail that is not here.\n", "lost", ["root", "lost"]),
):
    box.add(m)
box.flush()
box.close()
if os.path.exists("python.mbox.lock"):
    os.remove("python.mbox.lock")
