package api

import _ "embed"

// OpenAPI is the description of the API, OpenAPI 3.1 in YAML. Tests hold it
// against the types of this package and the routes of the server.
//
//go:embed openapi.yaml
var OpenAPI []byte
