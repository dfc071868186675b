// Where keys lead: to rows, items, changes and threads of the page.

/**
 * In the view of tools j and k go to another tool, elsewhere to another item.
 *
 * @param {Document} doc
 * @param {number} step
 */
export function rowOrItem(doc, step) {
  if (!doc.querySelector("[data-row]")) return move(doc, "[data-item]", step);
  const next = neighbour(doc, step);
  next?.click();
  return next !== undefined;
}

/**
 * The row of a list to which a step leads: past those that are folded or filtered away,
 * as the current one may be itself. Where none is current it is the first. A screen that
 * has no room for the list still goes along it.
 *
 * @param {Document} doc
 * @param {number} step
 * @returns {HTMLAnchorElement | undefined}
 */
export function neighbour(doc, step) {
  const rows = [...doc.querySelectorAll("a[data-row]")];
  const here = rows.findIndex((row) => row.hasAttribute("aria-current"));
  const way = here < 0 ? rows : step > 0 ? rows.slice(here + 1) : rows.slice(0, here).reverse();
  const listed = doc.querySelector("[data-list]")?.checkVisibility();
  const next = way.find((row) => row.checkVisibility() || (!listed && !row.hasAttribute("hidden")));
  return next instanceof HTMLAnchorElement ? next : undefined;
}

/**
 * To the first tool of the next family, or of the one before.
 *
 * @param {Document} doc
 * @param {number} step
 */
export function family(doc, step) {
  const groups = [...doc.querySelectorAll("[data-family]")];
  const here = groups.findIndex((g) => g.querySelector("[aria-current]"));
  const way = here < 0 ? groups : step > 0 ? groups.slice(here + 1) : groups.slice(0, here).reverse();
  const row = way.flatMap((g) => visible(g.querySelectorAll("[data-row]")))[0];
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

/**
 * Those that can be seen, and pressed: what is about to be replaced can't.
 *
 * @param {NodeListOf<Element>} list
 */
export function visible(list) {
  return [...list].filter((e) => e instanceof HTMLElement && e.checkVisibility() && !e.closest("[inert]"));
}

/** @param {Element | null} element */
export function focusOn(element) {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  element.scrollIntoView({ block: "nearest" });
  return true;
}
