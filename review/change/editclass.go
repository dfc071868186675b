package change

import "github.com/countersign/countersign/review/schema"

// EditClass is the class of one edit of a schema by itself, in the declared
// reading; a description's class also depends on its words, see [Compare].
func EditClass(e schema.Edit) Class { return editClass(e) }
