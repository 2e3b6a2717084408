package distil_test
import ("testing";"os";"strings";"fmt"
"github.com/lukasa-memory/lukasa/internal/distil")
func TestProbe(t *testing.T){
 f:=os.Getenv("PROBE"); if f=="" {t.Skip()}
 b,_:=os.ReadFile(f)
 for _,l:=range strings.Split(strings.TrimSpace(string(b)),"\n"){
  fmt.Println("##",l)
  for _,st:=range distil.Extract(distil.Input{Text:l,Speaker:"Ana",Role:"user",Origin:"user",At:wednesday}){ fmt.Println("     ",describeStatement(st), st.Slot, st.Corrects) }
 }
}
