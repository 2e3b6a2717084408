package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// successes are the statuses with which operations answer what they are asked for, where that is not 200 alone.
func successes() map[string][]int {
	return map[string][]int{
		"create-document": {200, 201, 202}, "upload-document": {200, 201, 202}, "restore-version": {200, 201, 202}, "v3-memory": {200, 201, 202},
		"append-messages": {200, 201}, "set-member": {200, 201}, "put-graph-node": {200, 201},
		"create-memory": {201}, "create-node": {201}, "create-container": {201}, "provision-nodes": {201}, "create-key": {201}, "create-user": {201},
		"create-organisation": {201}, "create-grant": {201}, "put-edge": {201}, "v3-create-project": {201},
		"archive-node": {200, 202}, "archive-container": {200, 202}, "decompress-file": {200, 202}, "get-content": {200, 202}, "get-file-content": {200, 202},
		"health": {200, 503}, "ready": {200, 503},
	}
}

// describe puts right what is not known of operations as they are registered: with which statuses they succeed, that errors are plain
// JSON, what is bytes, and what needs no key.
func describe(api *huma.OpenAPI) {
	all := successes()
	bytes := map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	for path, item := range api.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			if open(path) {
				op.Security = []map[string][]string{{}}
			}
			if e := op.Responses["default"]; e != nil {
				e.Content = map[string]*huma.MediaType{"application/json": e.Content["application/problem+json"]}
			}
			one := op.Responses["200"]
			if one != nil && one.Content == nil {
				one.Content = bytes
			}
			if all[op.OperationID] == nil {
				continue
			}
			delete(op.Responses, "200")
			for _, status := range all[op.OperationID] {
				r := *one
				r.Description = http.StatusText(status)
				op.Responses[strconv.Itoa(status)] = &r
			}
		}
	}
}
