package check

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

var environment = []string{
	"LUKASA_MASTER_KEY=m", "LUKASA_API_KEY=a", "POSTGRES_PASSWORD=p", "LUKASA_DB_OWNER_PASSWORD=o", "LUKASA_DB_APP_PASSWORD=b",
	"REDIS_PASSWORD=r", "S3_ACCESS_KEY=s", "S3_SECRET_KEY=t",
}

func compose(t *testing.T, env []string, profiles ...string) (*types.Project, error) {
	t.Helper()
	data, err := os.ReadFile("../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: dir, ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: data}}, Environment: types.NewMapping(env),
	}, func(o *loader.Options) { o.Profiles = profiles; o.SetProjectName("lukasa", true) })
}

// TestCompose reads the file as Compose does: schema, interpolation, merges, and that what is depended on is there.
func TestCompose(t *testing.T) {
	one, err := compose(t, environment)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"bucket", "lukasa", "migrate", "minio", "postgres", "redis"}
	if got := one.ServiceNames(); !slices.Equal(got, want) {
		t.Errorf("services without a profile: %v, want %v", got, want)
	}
	nodes, err := compose(t, environment, "nodes")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"api1", "api2", "worker", "proxy"} {
		if _, err := nodes.GetService(name); err != nil {
			t.Errorf("profile nodes: %v", err)
		}
	}
	for name, s := range nodes.Services {
		ours := s.Image == "lukasa:local"
		if ours && (!s.ReadOnly || s.User != "65532:65532" || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true")) {
			t.Errorf("%s may do more than it needs", name)
		}
		if ours && name != "migrate" && s.Environment["LUKASA_STORE_ADMIN_URL"] != nil {
			t.Errorf("%s has the password of the owner of the tables", name)
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to other machines", name, p.Published)
			}
		}
		for dep := range s.DependsOn {
			if s.DependsOn[dep].Condition == types.ServiceConditionStarted {
				t.Errorf("%s waits for the start of %s only", name, dep)
			}
			d := nodes.Services[dep]
			own := strings.HasPrefix(d.Image, "lukasa:") // its image has a check
			if s.DependsOn[dep].Condition == types.ServiceConditionHealthy && d.HealthCheck == nil && !own {
				t.Errorf("%s waits for the health of %s, which nobody asks for", name, dep)
			}
		}
		if !strings.Contains(s.Image, ":") || strings.HasSuffix(s.Image, ":latest") {
			t.Errorf("%s: image %q names no version", name, s.Image)
		}
	}
	for i := range environment {
		if strings.HasPrefix(environment[i], "S3_ACCESS") {
			continue
		}
		if _, err := compose(t, slices.Delete(slices.Clone(environment), i, i+1)); err == nil {
			t.Errorf("without %s it would start with an empty secret", environment[i])
		}
	}
	example, err := os.ReadFile("../compose.env.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range environment {
		name, _, _ := strings.Cut(e, "=")
		if !bytes.Contains(example, []byte("\n"+name+"=")) {
			t.Errorf("compose.env.example does not name %s", name)
		}
	}
}

// kinds are the objects that the manifests may have, as Kubernetes declares them.
var kinds = map[string]func() any{
	"v1/Namespace": func() any { return new(corev1.Namespace) }, "v1/Secret": func() any { return new(corev1.Secret) },
	"v1/ConfigMap": func() any { return new(corev1.ConfigMap) }, "v1/Service": func() any { return new(corev1.Service) },
	"v1/ServiceAccount": func() any { return new(corev1.ServiceAccount) }, "v1/PersistentVolumeClaim": func() any { return new(corev1.PersistentVolumeClaim) },
	"apps/v1/Deployment": func() any { return new(appsv1.Deployment) }, "batch/v1/Job": func() any { return new(batchv1.Job) },
	"policy/v1/PodDisruptionBudget": func() any { return new(policyv1.PodDisruptionBudget) }, "networking.k8s.io/v1/NetworkPolicy": func() any { return new(networkingv1.NetworkPolicy) },
	"networking.k8s.io/v1/Ingress": func() any { return new(networkingv1.Ingress) }, "autoscaling/v2/HorizontalPodAutoscaler": func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
}

// decode reads an object strictly: a field that its kind does not have is an error.
func decode(t *testing.T, doc []byte) any {
	t.Helper()
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(doc, &head); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	mk := kinds[head.APIVersion+"/"+head.Kind]
	if mk == nil {
		t.Fatalf("a kind that is not known: %s %s", head.APIVersion, head.Kind)
	}
	o := mk()
	if err := yaml.UnmarshalStrict(doc, o); err != nil {
		t.Errorf("%s: %v", head.Kind, err)
	}
	return o
}

func built(t *testing.T, dir string) []any {
	t.Helper()
	rm, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join("..", "kubernetes", dir))
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, r := range rm.Resources() {
		doc, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, decode(t, doc))
	}
	return out
}

// TestKubernetes builds the base and each overlay and holds their objects to Kubernetes' own types, to the restricted profile
// of pods, and to one another.
func TestKubernetes(t *testing.T) {
	data, err := os.ReadFile("../kubernetes/secret.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]map[string]string{}
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		s := decode(t, []byte(doc)).(*corev1.Secret)
		secrets[s.Name] = s.StringData
	}
	for dir, want := range map[string]int{"base": 11, "overlays/production": 15, "overlays/single": 8} {
		t.Run(dir, func(t *testing.T) {
			all := built(t, dir)
			if len(all) != want {
				t.Errorf("%d objects, want %d", len(all), want)
			}
			configs, claims, deployments, pods := map[string]bool{}, map[string]bool{}, map[string]bool{}, []corev1.PodTemplateSpec(nil)
			for _, o := range all {
				switch o := o.(type) {
				case *corev1.ConfigMap:
					configs[o.Name] = true
				case *corev1.PersistentVolumeClaim:
					claims[o.Name] = true
				case *appsv1.Deployment:
					deployments[o.Name] = true
					pods = append(pods, o.Spec.Template)
					for k, v := range o.Spec.Selector.MatchLabels {
						if o.Spec.Template.Labels[k] != v {
							t.Errorf("%s does not select its own pods: %s", o.Name, k)
						}
					}
					c := o.Spec.Template.Spec.Containers[0]
					if c.LivenessProbe == nil || c.ReadinessProbe == nil || c.StartupProbe == nil || c.Lifecycle == nil {
						t.Errorf("%s: a probe is missing", o.Name)
					} else if c.LivenessProbe.HTTPGet.Path == "/health" || c.LivenessProbe.HTTPGet.Path == "/ready" {
						t.Errorf("%s would be started again whenever the store is away", o.Name)
					}
					if dir == "overlays/production" && o.Spec.Replicas != nil {
						t.Errorf("%s: the number belongs to the autoscaler", o.Name)
					}
				case *batchv1.Job:
					pods = append(pods, o.Spec.Template)
				}
			}
			for _, p := range pods {
				restricted(t, p.Spec)
				references(t, p, configs, claims, secrets)
			}
			for _, o := range all {
				if h, ok := o.(*autoscalingv2.HorizontalPodAutoscaler); ok && !deployments[h.Spec.ScaleTargetRef.Name] {
					t.Errorf("%s scales what is not there", h.Name)
				}
				if s, ok := o.(*corev1.Service); ok && !selects(s.Spec.Selector, pods) {
					t.Errorf("service %s has no pods", s.Name)
				}
				if n, ok := o.(*networkingv1.NetworkPolicy); ok && !selects(n.Spec.PodSelector.MatchLabels, pods) {
					t.Errorf("network policy %s has no pods", n.Name)
				}
				if b, ok := o.(*policyv1.PodDisruptionBudget); ok && !selects(b.Spec.Selector.MatchLabels, pods) {
					t.Errorf("budget %s has no pods", b.Name)
				}
			}
		})
	}
}

func selects(want map[string]string, pods []corev1.PodTemplateSpec) bool {
	return slices.ContainsFunc(pods, func(p corev1.PodTemplateSpec) bool {
		for k, v := range want {
			if p.Labels[k] != v {
				return false
			}
		}
		return len(want) > 0
	})
}

// restricted holds a pod to the profile of that name of the Pod Security Standards, and to a little more.
func restricted(t *testing.T, p corev1.PodSpec) {
	t.Helper()
	fine := func(ok bool, what string) {
		t.Helper()
		if !ok {
			t.Errorf("pod: %s", what)
		}
	}
	s := p.SecurityContext
	fine(!p.HostNetwork && !p.HostPID && !p.HostIPC, "it shares a namespace of the machine")
	fine(s != nil && s.RunAsNonRoot != nil && *s.RunAsNonRoot && s.RunAsUser != nil && *s.RunAsUser > 0, "it may run as root")
	fine(s != nil && s.SeccompProfile != nil && s.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault, "no seccomp profile")
	fine(p.AutomountServiceAccountToken != nil && !*p.AutomountServiceAccountToken, "it gets a token for the cluster")
	for _, c := range slices.Concat(p.Containers, p.InitContainers) {
		sc := c.SecurityContext
		fine(sc != nil && sc.AllowPrivilegeEscalation != nil && !*sc.AllowPrivilegeEscalation, "it may gain rights")
		fine(sc != nil && sc.ReadOnlyRootFilesystem != nil && *sc.ReadOnlyRootFilesystem, "its root can be written to")
		fine(sc != nil && sc.Capabilities != nil && slices.Contains(sc.Capabilities.Drop, "ALL") && len(sc.Capabilities.Add) == 0, "it has capabilities")
		fine(!c.Resources.Limits.Memory().IsZero() && !c.Resources.Requests.Cpu().IsZero(), "no limit of memory, or no request of processor")
		if c.Lifecycle != nil {
			drain := c.Lifecycle.PreStop.Sleep.Seconds + 10 // and the server's own 10 s
			fine(*p.TerminationGracePeriodSeconds > drain, "it is killed while requests run")
		}
	}
	for _, v := range p.Volumes {
		fine(v.HostPath == nil, "it mounts a folder of the machine")
	}
}

// references looks that what a pod names is there.
func references(t *testing.T, p corev1.PodTemplateSpec, configs, claims map[string]bool, secrets map[string]map[string]string) {
	t.Helper()
	volumes := map[string]bool{}
	for _, v := range p.Spec.Volumes {
		volumes[v.Name] = true
		if v.PersistentVolumeClaim != nil && !claims[v.PersistentVolumeClaim.ClaimName] {
			t.Errorf("no claim %s", v.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, c := range p.Spec.Containers {
		for _, f := range c.EnvFrom {
			if f.ConfigMapRef != nil && !configs[f.ConfigMapRef.Name] {
				t.Errorf("no settings %s", f.ConfigMapRef.Name)
			}
		}
		for _, e := range c.Env {
			if e.ValueFrom == nil {
				continue
			}
			r := e.ValueFrom.SecretKeyRef
			if _, ok := secrets[r.Name][r.Key]; !ok {
				t.Errorf("%s: secret.example.yaml has no %s/%s", e.Name, r.Name, r.Key)
			}
		}
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("no volume %s", m.Name)
			}
		}
		if c.LivenessProbe != nil && !slices.ContainsFunc(c.Ports, func(cp corev1.ContainerPort) bool { return cp.Name == c.LivenessProbe.HTTPGet.Port.StrVal }) {
			t.Error("a probe asks at a port that is not named")
		}
	}
}

type ruleFile struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []struct {
			Alert       string            `json:"alert"`
			Expr        string            `json:"expr"`
			For         string            `json:"for,omitempty"`
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"rules"`
	} `json:"groups"`
}

// TestExpressions parses every expression of the alerts and of the dashboard as Prometheus does.
func TestExpressions(t *testing.T) {
	p := parser.NewParser(parser.Options{})
	parse := func(where, expr string) {
		e, err := p.ParseExpr(expr)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			return
		}
		for _, ms := range parser.ExtractSelectors(e) {
			if !slices.ContainsFunc(ms, func(m *labels.Matcher) bool { return m.Name == labels.MetricName }) {
				t.Errorf("%s: a selector without a name", where)
			}
		}
	}
	data, err := os.ReadFile("../alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules ruleFile
	if err := yaml.UnmarshalStrict(data, &rules); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if seen[r.Alert] || r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("alert %q: it needs a name of its own, a severity, a summary and a description", r.Alert)
			}
			seen[r.Alert] = true
			parse(r.Alert, r.Expr)
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d alerts only", len(seen))
	}
	f, err := os.Open("../grafana/lukasa.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	board, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			ID      int `json:"id"`
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(board, &d); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, panel := range d.Panels {
		if ids[panel.ID] {
			t.Errorf("two panels have the id %d", panel.ID)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			parse(panel.Title, strings.NewReplacer("$__rate_interval", "5m").Replace(target.Expr))
		}
	}
}
