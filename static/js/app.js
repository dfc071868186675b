// What scripts add to pages that work without them. Each module looks for the
// data attributes that it serves and does nothing where there are none.
import { answers } from "./answer.js";
import { choices } from "./choose.js";
import { copyButtons } from "./copy.js";
import { drafts } from "./drafts.js";
import { keys } from "./keys.js";
import { list } from "./list.js";
import { live } from "./live.js";
import { panes } from "./panes.js";
import { suggestions } from "./suggest.js";

answers(document);
choices(document);
copyButtons(document);
drafts(document);
keys(document);
list(document);
live(document);
panes(document);
suggestions(document);
