/**
 * Brings the current row of a list that scrolls by itself into its middle, without
 * moving the page.
 *
 * @param {Document} doc
 */
export function list(doc) {
  for (const box of doc.querySelectorAll("[data-list]")) {
    const row = box.querySelector("[aria-current]");
    if (!(row instanceof HTMLElement) || !(box instanceof HTMLElement)) continue;
    box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
}
