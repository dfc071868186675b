package change

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/schema"
)

// EditClass is the class of one edit of a schema by itself, in the declared
// reading; a description's class also depends on its words, see [Compare].
func EditClass(e schema.Edit) Class {
	class := editClass(e)
	if class == None && e.ID != "dialect.changed" && !sameReadings(jsontext.Value(e.Old), jsontext.Value(e.New)) {
		return Text
	}
	return class
}
