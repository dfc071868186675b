// Where keys lead: to rows, items, changes and threads of the page.

/**
 * In the view of tools j and k go to another tool, elsewhere to another item.
 *
 * @param {Document} doc
 * @param {number} step
 */
export function rowOrItem(doc, step) {
  const rows = visible(doc.querySelectorAll("[data-row]"));
  const here = rows.findIndex((row) => row.hasAttribute("aria-current"));
  if (rows.length === 0) return move(doc, "[data-item]", step);
  const next = rows[here < 0 ? 0 : here + step];
  if (next instanceof HTMLAnchorElement) next.click();
  return next !== undefined;
}

/**
 * To the first tool of the next family, or of the one before.
 *
 * @param {Document} doc
 * @param {number} step
 */
export function family(doc, step) {
  const groups = [...doc.querySelectorAll("[data-family]")].filter((g) => visible(g.querySelectorAll("[data-row]")).length > 0);
  const here = groups.findIndex((g) => g.querySelector("[aria-current]"));
  const next = groups[here < 0 ? 0 : here + step];
  const row = next && visible(next.querySelectorAll("[data-row]"))[0];
  if (row instanceof HTMLElement) row.click();
  return row !== undefined;
}

/**
 * @param {Document} doc
 * @param {string} selector
 * @param {number} step
 */
export function move(doc, selector, step) {
  const items = visible(doc.querySelectorAll(selector));
  const at = items.findIndex((item) => item.contains(doc.activeElement));
  const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step];
  return focusOn(next ?? null);
}

/** @param {NodeListOf<Element>} list */
export function visible(list) {
  return [...list].filter((e) => e instanceof HTMLElement && e.checkVisibility());
}

/** @param {Element | null} element */
export function focusOn(element) {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  element.scrollIntoView({ block: "nearest" });
  return true;
}
