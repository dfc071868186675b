// The words that somebody selected, for the form of a comment on them.

/** @typedef {{words: string, place: string, item: Element | null}} Selected place: "new /description", as the form has it */

/**
 * What is selected, if it lies within one text on one side.
 *
 * @param {Document} doc
 * @returns {Selected | null}
 */
export function selected(doc) {
  const selection = doc.getSelection();
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0).cloneRange();
  const text = of(range.startContainer)?.closest("[data-item] .said");
  if (!text || !within(range, text)) return null;
  const part = range.cloneContents();
  if (part.querySelector(".hid")) return null; // a mark stands there instead of what can't be seen
  for (const aside of part.querySelectorAll(".unseen")) aside.remove();
  const words = (part.textContent ?? "").trim();
  const field = text.closest("[data-at]");
  const side = text.matches(".old, .gone") ? "old" : "new";
  const place = field instanceof HTMLElement ? `${side} ${field.dataset.at}` : "";
  return words === "" ? null : { words, place, item: text.closest("[data-item]") };
}

/** @param {Node} node */
function of(node) {
  return node instanceof Element ? node : node.parentElement;
}

/**
 * Whether a range ends in a text. Who chooses a whole paragraph by the mouse has chosen up
 * to the begin of what follows, and not a letter of that: such an end is set back.
 *
 * @param {Range} range
 * @param {Element} text
 */
function within(range, text) {
  if (text.contains(range.endContainer)) return true;
  const rest = range.cloneRange();
  rest.setStartAfter(text);
  if (rest.toString().trim() !== "") return false;
  range.setEnd(text, text.childNodes.length);
  return true;
}

/**
 * Fills a form about the same item with the words, and says where they stand if it can.
 *
 * @param {HTMLFormElement | null} form
 * @param {Selected | null} from
 */
export function quote(form, from) {
  const field = form?.elements.namedItem("quote");
  if (!from || !(field instanceof HTMLTextAreaElement) || field.closest("[data-item]") !== from.item) return;
  field.value = from.words;
  const at = form?.elements.namedItem("at");
  if (at instanceof HTMLSelectElement && [...at.options].some((option) => option.value === from.place)) at.value = from.place;
  const body = form?.elements.namedItem("body");
  // A form in which nothing is said yet is no draft.
  if (body instanceof HTMLTextAreaElement && body.value !== "") (at instanceof Element ? at : field).dispatchEvent(new Event("input", { bubbles: true }));
}
