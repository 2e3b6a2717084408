package reader_test
import ("testing";"os";"strings";"github.com/lukasa-memory/lukasa/internal/distil/reader")
func TestAdhoc(t *testing.T){
 r:=reader.New(words)
 b,_:=os.ReadFile("/tmp/lines.txt")
 for _,p:=range strings.Split(strings.TrimSpace(string(b)),"\n") {
  x,_,_:=r.Read("Ana",p)
  for _,s:=range x { t.Logf("%.2f %s %s",s.Confidence,s.Kind,p[s.Start:s.End]) }
 }
}
