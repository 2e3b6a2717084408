package graph

import (
	"context"
	"errors"
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// JobArchive is the kind of job that archives a large node in steps. Its record is the node.
const JobArchive lukasa.JobKind = "archive"

// Archiving is the state of an archiving that goes on in the background.
const Archiving = "archiving"

// The bounds of one transaction. Other writers wait for it: a thousand records take about a second.
const (
	archiveAtOnce = 1000
	archiveStep   = 250
)

// archivingTo is in the metadata of the edge that says where a node that is being archived goes.
const archivingTo = "archiving"

// exceeds reports whether a node with what is below it holds more than one transaction should move.
func exceeds(r store.Reader, from lukasa.Node) (bool, error) {
	in := []lukasa.Pattern{{Path: from.Path}}
	one := lukasa.Page{Limit: 1}
	docs, err := r.Documents(lukasa.DocumentFilter{Containers: in, AllVersions: true, Conversation: true}, one)
	if err != nil {
		return false, err
	}
	mems, err := r.Memories(lukasa.MemoryFilter{Containers: in}, one)
	if err != nil {
		return false, err
	}
	talks, err := r.Conversations(in, one)
	return docs.Total+mems.Total+talks.Total > archiveAtOnce, err
}

// archiveLater notes where the node goes and queues the job.
func (p *Path) archiveLater(tx store.Tx, sc lukasa.Scope, from, to lukasa.Node) error {
	mark := lukasa.Edge{From: string(from.ID), To: string(to.ID), Type: lukasa.EdgeReferences, Weight: 1, Metadata: map[string]any{archivingTo: true}}
	if err := tx.PutEdges([]lukasa.Edge{mark}); err != nil {
		return err
	}
	now := p.now()
	return tx.Enqueue(lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: sc.Owner, Kind: JobArchive, Record: from.ID, MaxTries: 20, RunAt: now, Created: now})
}

// ArchiveOn goes on with the archiving of a node until it is done. It may be stopped after any step and begun again: each step is a
// transaction that moves some records, and the last one removes the node.
func (p *Path) ArchiveOn(ctx context.Context, sc lukasa.Scope, node lukasa.ID) error {
	for {
		var from, to lukasa.Node
		var out Archived
		moved := 0
		err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
			moved = 0
			if from, to, err = archiving(tx, node); err != nil {
				return err
			}
			tx.Because("", fmt.Sprintf("container %s was archived into %s", from.Path, to.Path))
			a := archiver{p: p, tx: tx, limit: archiveStep}
			if err := a.some(from, to); err != nil || a.moved > 0 {
				moved = a.moved
				return err
			}
			a = archiver{p: p, tx: tx}
			if err := a.fold(from, to); err != nil {
				return err
			}
			out = a.out
			return poke(tx, []lukasa.ID{to.ID}, p.now())
		})
		if errors.Is(err, errNotArchiving) {
			return nil // it is done already
		}
		if err != nil {
			return err
		}
		if moved == 0 {
			p.tell(sc, EventNodeArchived, to, from.ID, map[string]any{"container": from.Path, "into": to.Path, "documents": out.Documents, "memories": out.Memories})
			return nil
		}
	}
}

var errNotArchiving = errors.New("no such archiving")

// archiving returns the node that is being archived, and where it goes.
func archiving(tx store.Tx, node lukasa.ID) (from, to lukasa.Node, err error) {
	from, err = tx.Node(node)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		err = errNotArchiving
	}
	if err != nil {
		return from, to, err
	}
	edges, err := tx.Edges([]lukasa.ID{node}, []lukasa.EdgeType{lukasa.EdgeReferences}, maxEdges)
	if err != nil {
		return from, to, err
	}
	for _, e := range edges {
		if e.From == string(node) && e.Metadata[archivingTo] == true {
			to, err = tx.Node(lukasa.ID(e.To))
			return from, to, err
		}
	}
	return from, to, errNotArchiving
}

// some moves records of the node, and of those below it that will become one with another, until the limit.
func (a *archiver) some(from, to lukasa.Node) error {
	below, err := a.tx.Nodes([]lukasa.Pattern{{Path: from.Path, Mode: '*'}}, false)
	if err != nil {
		return err
	}
	for _, c := range below {
		there, err := a.tx.NodeAt(to.Path + "." + lukasa.Path(c.Path.Name()))
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue // it moves as a whole
		}
		if err == nil {
			err = a.some(c, there)
		}
		if err != nil {
			return err
		}
	}
	return a.content(from, to)
}
