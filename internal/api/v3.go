package api

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// The second face of the API, kept as docs/api/v3.md describes it. A project is a container of the first level.

type v3Memory struct {
	Content       string         `json:"content" doc:"1 to 500,000 characters"`
	ContentType   string         `json:"content_type,omitempty"`
	Title         string         `json:"title,omitempty"`
	Project       string         `json:"project_id,omitempty" doc:"id or path; needed once there are several projects"`
	SourceURL     string         `json:"source_url,omitempty"`
	Metadata      map[string]any `json:"metadata,omitempty"`
	Tags          []string       `json:"tags,omitempty"`
	ForgetAfter   *moment        `json:"forget_after,omitempty"`
	UpdatesMemory string         `json:"updates_memory_id,omitempty"`
}

type v3Saved struct {
	ID           lukasa.ID      `json:"id"`
	Title        string         `json:"title"`
	Summary      string         `json:"summary"`
	Project      lukasa.ID      `json:"project_id"`
	ContentType  string         `json:"content_type"`
	Status       lukasa.Status  `json:"status"`
	Deduplicated bool           `json:"deduplicated"`
	Version      int            `json:"version"`
	ChunkCount   int            `json:"chunk_count"`
	Chunks       []lukasa.Chunk `json:"chunks"`
	CreatedAt    time.Time      `json:"created_at"`
}

type v3Recall struct {
	Query       string   `json:"query,omitempty" doc:"empty: the newest first"`
	Project     string   `json:"project_id,omitempty" doc:"id or path; none: all projects"`
	Limit       int      `json:"limit,omitempty" doc:"1-200, default 10"`
	ContentType texts    `json:"content_type,omitempty"`
	Tags        texts    `json:"tags,omitempty"`
	Threshold   *float64 `json:"threshold,omitempty" doc:"least relevance, 0..1; left out: what is not relevant is left out, as the engine judges it; 0: nothing is"`
}

type v3Result struct {
	DocumentID  lukasa.ID      `json:"document_id"`
	ChunkID     lukasa.ID      `json:"chunk_id,omitempty"`
	Title       string         `json:"title"`
	Content     string         `json:"content"`
	Summary     string         `json:"summary,omitempty"`
	Score       float64        `json:"score"`
	Relevance   float64        `json:"relevance" doc:"the probability that it answers, 0..1"`
	Relevant    bool           `json:"relevant" doc:"the relevance reaches the level of its kind"`
	Vector      float64        `json:"vector_score"`
	Text        float64        `json:"text_score"`
	Recency     float64        `json:"recency_bonus"`
	Project     lukasa.Path    `json:"project"`
	ContentType string         `json:"content_type,omitempty"`
	SourceURL   string         `json:"source_url,omitempty"`
	Tags        []string       `json:"tags"`
	Metadata    map[string]any `json:"metadata"`
	CreatedAt   time.Time      `json:"created_at"`
	// Superseded lists the memories that were drawn from this text and no longer hold.
	Superseded []lukasa.Superseded `json:"superseded,omitempty" doc:"what of it is no longer so, what holds now, and since when; a result that says what holds now stands before it"`
}

type v3Results struct {
	Results []v3Result `json:"results"`
	Nothing bool       `json:"nothing_relevant"`
	Total   int        `json:"total"`
	Cached  bool       `json:"cached"`
	Message string     `json:"message,omitempty"`
}

// v3Looked is how many results are looked at, so that as many as are asked for are left where some are not relevant.
const v3Looked = 50

type v3Project struct {
	ID          lukasa.ID   `json:"id"`
	Name        string      `json:"name"`
	Container   lukasa.Path `json:"container"`
	Description string      `json:"description,omitempty"`
	Documents   int         `json:"document_count"`
	CreatedAt   time.Time   `json:"created_at"`
}

type v3Projects struct {
	Projects []v3Project `json:"projects"`
}

type v3Document struct {
	Document lukasa.Document   `json:"document"`
	Chunks   []lukasa.Chunk    `json:"chunks"`
	Versions []lukasa.Document `json:"versions"`
}

type v3Deleted struct {
	Deleted bool           `json:"deleted"`
	Removed lukasa.Removal `json:"removed"`
}

type v3Identity struct {
	User         lukasa.User     `json:"user"`
	Organization v3Organization  `json:"organization"`
	Scope        map[string]bool `json:"scope"`
}

type v3Organization struct {
	ID   lukasa.ID `json:"id"`
	Name string    `json:"name"`
	Role string    `json:"role,omitempty"`
}

func project(n lukasa.Node) v3Project {
	name, err := url.PathUnescape(n.Name)
	if err != nil {
		name = n.Name
	}
	return v3Project{ID: n.ID, Name: name, Container: n.Path, Description: n.Description, Documents: n.Documents, CreatedAt: n.CreatedAt}
}

// projects lists the containers of the first level, with the counts of their subtrees.
func (d *door) projects(ctx context.Context) ([]v3Project, error) {
	nodes, err := d.e.Nodes(ctx, scope(ctx), nil)
	out := []v3Project{}
	for _, n := range nodes {
		if n.Depth == 1 || n.Path == scope(ctx).Root || !scope(ctx).Holds(n.Path) {
			out = append(out, project(n))
		} else if k := len(out) - 1; k >= 0 && out[k].Container.Covers(n.Path) {
			out[k].Documents += n.Documents
		}
	}
	return out, err
}

// projectPath resolves the project of a request: an id or path that must be there. Without one, a save goes to the only
// project or, if there is none yet, to the default one; with several it is not clear which is meant.
func (d *door) projectPath(ctx context.Context, given string, save bool) (string, error) {
	if given != "" {
		n, err := d.e.Node(ctx, scope(ctx), given)
		if err != nil {
			if lukasa.CodeOf(err) == lukasa.CodeInvalid {
				err = lukasa.NotFound("project", given)
			}
			return "", err
		}
		return string(n.Path), nil
	}
	if !save {
		return "", nil
	}
	ps, err := d.projects(ctx)
	switch {
	case err != nil || len(ps) == 0:
		return "", err
	case len(ps) == 1:
		return string(ps[0].Container), nil
	}
	return "", &lukasa.Error{Code: lukasa.CodeInvalid, Field: "project_id", Msg: "is needed: there are several projects", Hint: "GET /v3/projects lists them"}
}

func (d *door) v3() {
	const tag = "v3"
	add(d, "POST", "/v3/memory", "v3-memory", "Save content", tag, d.v3Save)
	add(d, "POST", "/v3/recall", "v3-recall", "Search", tag, d.v3Search)
	add(d, "GET", "/v3/projects", "v3-projects", "List projects", tag, func(ctx context.Context, _ *struct{}) (*answer[v3Projects], error) {
		ps, err := d.projects(ctx)
		return reply(ctx, d, v3Projects{ps}, err)
	})
	add(d, "POST", "/v3/projects", "v3-create-project", "Make a project", tag, func(ctx context.Context, in *struct {
		Body struct {
			Name        string `json:"name"`
			Description string `json:"description,omitempty"`
		}
	},
	) (*answer[v3Project], error) {
		if in.Body.Name == "" {
			return nil, d.fail(ctx, lukasa.Invalid("name", "is empty"))
		}
		n, err := d.e.CreateNode(ctx, scope(ctx), lukasa.NewNode{Path: lukasa.Path(lukasa.EscapeSegment(in.Body.Name)), Type: lukasa.NodeProject, Description: in.Body.Description})
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[v3Project]{Status: http.StatusCreated, Body: project(n)}, nil
	})
	add(d, "GET", "/v3/documents/{id}", "v3-document", "One document with all its chunks and versions", tag, d.v3Get)
	add(d, "DELETE", "/v3/documents/{id}", "v3-delete", "Remove a document and all that came from it", tag, func(ctx context.Context, in *ByID) (*answer[v3Deleted], error) {
		id, err := lukasa.ParseID(lukasa.PrefixDocument, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		rm, err := d.e.DeleteDocument(ctx, scope(ctx), id)
		return reply(ctx, d, v3Deleted{Deleted: true, Removed: rm}, err)
	})
	add(d, "GET", "/v3/memory-graph", "v3-graph", "Records and how they hang together", tag, func(ctx context.Context, in *struct {
		Project string `query:"project_id"`
		Limit   int    `query:"limit"`
	},
	) (*answer[engine.Picture], error) {
		path, err := d.projectPath(ctx, in.Project, false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		pats, err := Places(List(path), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		g, err := d.e.Graph(ctx, scope(ctx), pats, in.Limit, true)
		return reply(ctx, d, g, err)
	})
	add(d, "GET", "/v3/whoami", "v3-whoami", "User and organisation", tag, func(ctx context.Context, _ *struct{}) (*answer[v3Identity], error) {
		u, k, err := d.e.WhoAmI(ctx, scope(ctx))
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		in, err := d.standing(ctx)
		out := v3Identity{
			User: u, Organization: v3Organization{ID: u.ID, Name: u.Name}, // a user is an organisation of one
			Scope: map[string]bool{"admin": k.Role == lukasa.RoleAdmin && in == nil, "read_only": k.ReadOnly},
		}
		if in != nil {
			out.Organization = v3Organization(*in)
		}
		return reply(ctx, d, out, err)
	})
}

func (d *door) v3Save(ctx context.Context, in *struct{ Body v3Memory }) (*answer[v3Saved], error) {
	b := in.Body
	path, err := d.projectPath(ctx, b.Project, true)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	req, err := newDocument{
		Content: b.Content, ContentType: b.ContentType, Title: b.Title, Container: path, SourceURL: b.SourceURL, Metadata: b.Metadata,
		Tags: b.Tags, ForgetAfter: b.ForgetAfter, UpdatesMemory: b.UpdatesMemory,
	}.request()
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	r, err := d.e.Remember(ctx, scope(ctx), req)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	doc := r.Document
	chunks, err := d.e.Chunks(ctx, scope(ctx), doc.ID, time.Time{})
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return &answer[v3Saved]{Status: statusOf(r), Body: v3Saved{
		ID: doc.ID, Title: doc.Title, Summary: doc.Summary, Project: doc.Node, ContentType: doc.ContentType,
		Status: doc.Status, Deduplicated: r.Deduplicated, Version: doc.Version, ChunkCount: len(chunks), Chunks: whole(chunks).Items, CreatedAt: doc.CreatedAt,
	}}, nil
}

func (d *door) v3Search(ctx context.Context, in *struct{ Body v3Recall }) (*answer[v3Results], error) {
	b := in.Body
	path, err := d.projectPath(ctx, b.Project, false)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	q, err := searchBody{
		Query: b.Query, Container: List(path), Limit: cmp.Or(b.Limit, 10), Ranker: lukasa.RankerWeighted, Tags: b.Tags,
		Types: []string{"chunk", "message", "document"},
	}.request()
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	if len(b.ContentType) > 0 {
		q.Filter = &lukasa.Filter{And: []lukasa.Filter{*cmp.Or(q.Filter, &lukasa.Filter{}), {Field: "content_type", Text: b.ContentType}}}
	}
	limit := q.Limit
	if b.Threshold != nil {
		q.Threshold = *b.Threshold
	} else if q.Text != "" && 0 < limit && limit < v3Looked {
		q.Limit = v3Looked
	}
	r, err := d.e.Search(ctx, scope(ctx), q)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	if b.Threshold == nil && strings.TrimSpace(q.Text) != "" {
		r.Hits = slices.DeleteFunc(r.Hits, func(h lukasa.Hit) bool { return !h.Relevant })
		r.Hits = r.Hits[:min(limit, len(r.Hits))]
	}
	out := v3Results{Results: []v3Result{}, Nothing: r.Nothing, Total: r.Total, Cached: r.Stats.Cached, Message: r.Message}
	if r.Nothing && len(r.Hits) == 0 {
		out.Message = "nothing relevant found"
	}
	for _, h := range r.Hits {
		x := v3Result{
			Content: h.Content, Score: h.Score, Relevance: h.Relevance, Relevant: h.Relevant, Superseded: h.Superseded, Vector: h.Parts["vector"], Text: h.Parts["text"], Recency: h.Parts["recency"], Project: h.Path,
			Tags: h.Tags, Metadata: h.Metadata, CreatedAt: h.CreatedAt,
		}
		if h.Chunk != nil {
			x.ChunkID = h.Chunk.ID
		}
		if h.Document != nil {
			x.DocumentID, x.Title, x.Summary = h.Document.ID, h.Document.Title, h.Document.Summary
			x.ContentType, x.SourceURL = h.Document.ContentType, h.Document.SourceURL
		}
		out.Results = append(out.Results, x)
	}
	return ok(out), nil
}

func (d *door) v3Get(ctx context.Context, in *ByID) (*answer[v3Document], error) {
	id, err := lukasa.ParseID(lukasa.PrefixDocument, in.ID)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	sc := scope(ctx)
	doc, err := d.e.Document(ctx, sc, id)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	chunks, err := d.e.Chunks(ctx, sc, id, time.Time{})
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	versions, err := d.e.Versions(ctx, sc, id, time.Time{})
	return reply(ctx, d, v3Document{Document: doc, Chunks: whole(chunks).Items, Versions: whole(versions).Items}, err)
}
