package main

import (
	_ "github.com/a-h/templ"
	_ "github.com/alecthomas/kong"
	_ "github.com/alexedwards/scs/v2"
	_ "github.com/go-json-experiment/json/jsontext"
	_ "github.com/google/uuid"
	_ "github.com/jmoiron/sqlx"
	_ "github.com/labstack/echo/v4"
	_ "github.com/lib/pq"
	_ "github.com/microcosm-cc/bluemonday"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/standard-webhooks/standard-webhooks/libraries/go"
	_ "github.com/yuin/goldmark"
	_ "golang.org/x/crypto/argon2"
	_ "golang.org/x/text/unicode/norm"
	_ "modernc.org/sqlite"
)

func main() {}
