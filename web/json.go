package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

// jsonOut writes a struct's fields in their order and raw parts byte for byte.
// Names of tools may hold lone surrogates, which Go's own encoder would fold into
// one replacement character: two tools would get one name.
var jsonOut = json.JoinOptions(
	jsonv1.OmitEmptyWithLegacySemantics(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
	json.Deterministic(true),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, s string) error {
		if utf8.ValidString(s) {
			return errors.ErrUnsupported // the usual way
		}
		return enc.WriteValue(surface.EncodeString(s))
	})),
)

// writeJSON answers v as JSON.
func writeJSON(c echo.Context, status int, v any) error {
	return writeJSONAs(c, status, echo.MIMEApplicationJSON, v)
}

func writeJSONAs(c echo.Context, status int, contentType string, v any) error {
	b, err := json.Marshal(v, jsonOut)
	if err != nil {
		return err
	}
	return c.Blob(status, contentType, append(b, '\n'))
}

// readJSON reads a request's body into v. Field names count letter by letter, and
// what v doesn't have is refused: a misspelt "note" must not be lost silently.
func readJSON(c echo.Context, v any) error {
	r := c.Request()
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil || kind != echo.MIMEApplicationJSON {
		return review.Errorf(review.Unsupported, "The body has to be JSON. Send it with Content-Type: application/json.")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return bodyError(err)
	}
	if err := json.Unmarshal(body, v, json.RejectUnknownMembers(true)); err != nil {
		return jsonError(body, err)
	}
	return nil
}

// bodyError says why a body could not be read to its end.
func bodyError(err error) error {
	var over *http.MaxBytesError
	if errors.As(err, &over) {
		return tooLarge(over.Limit)
	}
	return &review.Error{Kind: review.Invalid, Sentence: "The request broke off before its body was complete. Send it again.", Err: err}
}

// jsonError says where a body is not what was asked for.
func jsonError(body []byte, err error) error {
	p := surface.Problem{Code: "body", Level: surface.LevelError}
	var syntax *jsontext.SyntacticError
	var shape *json.SemanticError
	offset := int64(len(body))
	switch {
	case errors.As(err, &syntax):
		offset, p.Pointer = syntax.ByteOffset, string(syntax.JSONPointer)
		p.Message = "This is not valid JSON: " + syntax.Err.Error() + "."
	case errors.As(err, &shape):
		offset, p.Pointer = shape.ByteOffset, string(shape.JSONPointer)
		p.Message = shapeMessage(shape)
	default:
		p.Message = "This is not the JSON that was asked for."
	}
	p.Line, p.Column = lineColumn(body, offset)
	return &review.Error{
		Kind:     review.Invalid,
		Sentence: "The body was not accepted; nothing was changed. " + p.Message,
		Problems: []surface.Problem{p},
		Err:      err,
	}
}

func shapeMessage(err *json.SemanticError) string {
	if errors.Is(err, json.ErrUnknownName) {
		return "There is no field " + string(err.JSONPointer) + " here. Fields are case-sensitive; docs/api.md lists them."
	}
	return "The value at " + string(err.JSONPointer) + " has the wrong type."
}

// lineColumn turns an offset into a line and a column, both from 1.
func lineColumn(b []byte, offset int64) (line, column int) {
	line, column = 1, 1
	for _, ch := range b[:min(max(offset, 0), int64(len(b)))] {
		column++
		if ch == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}
