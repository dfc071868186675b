const kept = "countersign.folded";

/**
 * What a list of tools needs beside links: its current row in sight, one stop of the
 * Tab key for all of its rows, folds that stay shut from tool to tool, and a filter
 * that answers while one types.
 *
 * @param {Document} doc
 */
export function list(doc) {
  for (const box of doc.querySelectorAll("[data-list]")) {
    if (!(box instanceof HTMLElement)) continue;
    fold(box);
    fit(box);
    showCurrent(box);
    rove(box);
    filter(box);
  }
}

/**
 * Ends a list with the window, wherever on the page it begins, so that its last rows
 * are not below the fold.
 *
 * @param {HTMLElement} box
 */
function fit(box) {
  const measure = () => box.style.setProperty("--above", `${Math.max(0, Math.round(box.getBoundingClientRect().top))}px`);
  measure();
  addEventListener("scroll", measure, { passive: true });
  addEventListener("resize", measure);
}

/** @param {HTMLElement} box */
function showCurrent(box) {
  const row = box.querySelector("[aria-current]");
  if (row instanceof HTMLElement) reveal(box, row);
}

/**
 * Brings a row that is out of sight into the middle of its list, without moving the
 * page.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement} row
 */
export function reveal(box, row) {
  const at = row.offsetTop - box.offsetTop - box.scrollTop;
  if (at < 0 || at + row.offsetHeight > box.clientHeight) box.scrollTop += at - box.clientHeight / 2;
}

/**
 * Makes a row the one stop of the Tab key in its list.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement} row
 */
export function stop(box, row) {
  for (const other of box.querySelectorAll("[data-row]")) if (other instanceof HTMLElement && other.tabIndex !== -1) other.tabIndex = -1;
  row.tabIndex = 0;
}

/**
 * Folds what was folded in the list before, but for the family of the current row.
 *
 * @param {HTMLElement} box
 */
function fold(box) {
  const shut = new Set(JSON.parse(sessionStorage.getItem(kept) ?? "[]"));
  for (const family of box.querySelectorAll("details[data-family]")) {
    if (!(family instanceof HTMLDetailsElement)) continue;
    const name = family.dataset.family ?? "";
    if (shut.has(name) && !family.querySelector("[aria-current]")) family.open = false;
    family.addEventListener("toggle", () => {
      family.open ? shut.delete(name) : shut.add(name);
      sessionStorage.setItem(kept, JSON.stringify([...shut]));
    });
  }
}

/**
 * Rows are one stop for Tab; arrows go from one to the next. Who came here by a row
 * goes on from it.
 *
 * @param {HTMLElement} box
 */
function rove(box) {
  const rows = [...box.querySelectorAll("[data-row]")].filter((r) => r instanceof HTMLElement);
  const current = rows.find((r) => r.hasAttribute("aria-current")) ?? rows[0];
  if (current) stop(box, current);
  box.addEventListener("keydown", (event) => {
    const seen = rows.filter((r) => r.checkVisibility());
    const at = seen.findIndex((r) => r === event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    const next = at < 0 || to === undefined ? undefined : seen[to];
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    stop(box, next);
    next.focus();
  });
}

/**
 * Hides the rows whose names do not hold what is typed. Sending the form does the
 * same by an address.
 *
 * @param {HTMLElement} box
 */
function filter(box) {
  const field = box.querySelector("input[type=search]");
  if (!(field instanceof HTMLInputElement)) return;
  const said = box.querySelector("[data-found]");
  const rows = [...box.querySelectorAll("[data-family] [data-row], .plain a")].map((a) => ({
    row: /** @type {HTMLElement} */ (a),
    name: (a.querySelector(".name") ?? a).textContent?.replace(/\s+/g, "").toLowerCase() ?? "",
  }));
  field.addEventListener("input", () => {
    const text = field.value.replace(/\s+/g, "").toLowerCase();
    let n = 0;
    for (const { row, name } of rows) {
      row.hidden = !name.includes(text);
      if (!row.hidden) n++;
    }
    for (const family of box.querySelectorAll("[data-family]")) {
      if (family instanceof HTMLElement) family.hidden = !family.querySelector("[data-row]:not([hidden])");
    }
    if (said) said.textContent = text === "" ? "" : `${n} of ${rows.length}`;
  });
}
