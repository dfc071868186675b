package surface

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Envelope holds what a session with a live server told. [Envelope.Encode] writes
// it as one text that keeps the server's bytes, and [Read] reads that text.
type Envelope struct {
	ProtocolVersion string         // that both sides agreed on
	ServerInfo      jsontext.Value // as received; nil when there was none
	Capabilities    jsontext.Value // of the server, as received; nil when there were none
	Instructions    Instructions
	Client          jsontext.Value   // what the reader declared: the context of the capture; may be nil
	Results         []jsontext.Value // what tools/list answered, one result object a page, as received
}

// Encode writes {"server":{…},"client":{…},"result":{…}}, or "pages":[…] in the
// place of "result" when the server answered in several.
func (e Envelope) Encode() []byte {
	b := []byte(`{"server":{`)
	if e.ProtocolVersion != "" {
		b = appendMember(b, "protocolVersion", EncodeString(e.ProtocolVersion))
	}
	if len(e.ServerInfo) > 0 {
		b = appendMember(b, "serverInfo", e.ServerInfo)
	}
	if len(e.Capabilities) > 0 {
		b = appendMember(b, "capabilities", e.Capabilities)
	}
	if e.Instructions.Asked {
		b = appendMember(b, "instructions", e.Instructions.canonical())
	}
	b = append(b, '}')
	if len(e.Client) > 0 {
		b = appendMember(b, "client", e.Client)
	}
	if len(e.Results) == 1 {
		b = append(b, ",\n\"result\":"...)
		b = append(b, e.Results[0]...)
	} else {
		b = append(b, ",\n\"pages\":["...)
		for i, p := range e.Results {
			if i > 0 {
				b = append(b, ",\n"...)
			}
			b = append(b, p...)
		}
		b = append(b, ']')
	}
	return append(b, "}\n"...)
}

// Result writes a result object around definitions, for a caller that has them one
// by one.
func Result(tools []jsontext.Value) jsontext.Value {
	b := []byte(`{"tools":[`)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '\n')
		b = append(b, t...)
	}
	return append(b, "\n]}"...)
}
