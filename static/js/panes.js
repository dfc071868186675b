import { copyButtons } from "./copy.js";
import { forget, safe } from "./drafts.js";
import { reveal, stop } from "./list.js";
import { neighbour } from "./moves.js";
import { Parts } from "./parts.js";

/**
 * Opens the tools of a list in the page that has the list. Only what becomes another
 * is asked for, the likely ones beforehand; address, title, focus and the way back are
 * those of a page of its own. Whatever does not fit is opened as one.
 *
 * @param {Document} doc
 */
export function panes(doc) {
  const box = doc.querySelector("[data-panes]");
  const list = box?.querySelector("[data-list]");
  const row = list?.querySelector("[data-row]");
  if (!(box instanceof HTMLElement && list instanceof HTMLElement && row instanceof HTMLAnchorElement)) return;
  // A form that was refused shows the list too, at an address that only takes forms.
  if (row.pathname === location.pathname) new Panes(doc, box, list).begin();
}

const pause = 1000; // until it is asked beforehand again, after something happened
const links = "[data-list] a[data-row], [data-list] .plain a, a.back, a.next";

class Panes {
  /**
   * @param {Document} doc
   * @param {HTMLElement} box
   * @param {HTMLElement} list
   */
  constructor(doc, box, list) {
    this.doc = doc;
    this.box = box;
    this.list = list;
    this.parts = new Parts();
    this.url = address();
    this.row = this.current(); // of the tool that is shown
    this.turn = 0; // of what was asked for last: only that is shown
    this.timer = 0;
    /** @type {Map<string, number>} how far down the page was at an address */
    this.places = new Map();
    /** @type {Map<string, HTMLAnchorElement>} */
    this.rows = new Map([...list.querySelectorAll("a")].map((a) => [a.href, a]));
  }

  begin() {
    this.box.addEventListener("click", (event) => this.click(event));
    addEventListener("popstate", () => this.back());
    addEventListener("pageshow", (event) => event.persisted && this.again());
    this.doc.addEventListener("countersign:news", () => this.again());
    this.ahead(0);
  }

  again() {
    this.parts.drop();
    this.ahead(pause);
  }

  /**
   * Asks for the next and the previous tool while there is nothing else to do.
   *
   * @param {number} wait in ms
   */
  ahead(wait) {
    const idle = window.requestIdleCallback ?? setTimeout; // which not all browsers have
    clearTimeout(this.timer);
    this.timer = setTimeout(() => idle(() => {
      const near = [neighbour(this.doc, 1), neighbour(this.doc, -1)];
      if (!this.doc.hidden && (this.list.checkVisibility() || this.box.matches(".chosen"))) this.parts.ahead(near.flatMap((row) => (row && row.href !== this.url ? [row.href] : [])));
    }), wait);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const link = event.target instanceof Element ? event.target.closest(links) : null;
    if (!(link instanceof HTMLAnchorElement) || event.button !== 0 || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const next = link.matches(".next") ? neighbour(this.doc, 1) : undefined; // past what is filtered away by now
    this.go((next ?? link).href, true);
  }

  /** The browser went to an address that was here before. */
  back() {
    if (address() !== this.url) this.go(address(), false);
  }

  /**
   * @param {string} url
   * @param {boolean} forward false when the browser has the address already
   */
  async go(url, forward) {
    const turn = ++this.turn;
    this.places.set(this.url, scrollY);
    this.mark(this.rows.get(url));
    this.wait(true);
    if (!(await safe(this.box))) return this.stay(forward);
    if (turn !== this.turn) return;
    const part = await this.parts.take(url);
    if (turn !== this.turn) return;
    const fresh = part?.querySelector("[data-panes]");
    if (!part || !(fresh instanceof HTMLElement) || fresh.dataset.panes !== this.box.dataset.panes) {
      return forward ? location.assign(url) : location.reload();
    }
    if (forward && url !== this.url) history.pushState(null, "", url);
    this.url = url;
    this.show(part, fresh);
    this.place(forward ? undefined : this.places.get(url));
    this.ahead(0);
  }

  /**
   * Text that could not be kept does not go away with its form, which says why.
   *
   * @param {boolean} forward
   */
  stay(forward) {
    this.turn++;
    this.mark(this.row);
    this.wait(false);
    if (!forward) history.pushState(null, "", this.url);
  }

  /** @param {boolean} on whether what is shown is about to go: nothing of it can be pressed */
  wait(on) {
    for (const pane of this.panes()) pane.inert = on;
  }

  /** @returns {HTMLElement[]} what stands beside the list */
  panes() {
    return [...this.box.children].filter((e) => e instanceof HTMLElement && e !== this.list).map((e) => /** @type {HTMLElement} */ (e));
  }

  /** @returns {HTMLAnchorElement | undefined} */
  current() {
    const row = this.list.querySelector("[aria-current]");
    return row instanceof HTMLAnchorElement ? row : undefined;
  }

  /** @param {HTMLAnchorElement | undefined} row becomes the current one of the list */
  mark(row) {
    this.current()?.removeAttribute("aria-current");
    if (!row) return;
    row.setAttribute("aria-current", "page");
    const family = row.closest("details");
    if (family) family.open = true;
    if (row.matches("[data-row]")) stop(this.list, row);
    reveal(this.list, row);
  }

  /**
   * @param {Document} part
   * @param {HTMLElement} fresh
   */
  show(part, fresh) {
    for (const now of part.querySelectorAll("[data-part]")) {
      const old = this.doc.querySelector(`[data-part="${now.getAttribute("data-part")}"]`);
      if (old && !old.isEqualNode(now)) old.replaceWith(now);
    }
    for (const unused of part.querySelectorAll("noscript")) unused.remove(); // read where no script runs
    const row = fresh.querySelector("[data-row]");
    const mine = row instanceof HTMLAnchorElement ? this.rows.get(row.href) : undefined;
    if (row && mine) mine.replaceChildren(...row.childNodes);
    this.row = mine ?? this.rows.get(this.url);
    this.mark(this.row);
    fresh.querySelector("[data-list]")?.remove();
    for (const pane of this.panes()) pane.remove();
    this.box.append(...fresh.children);
    this.box.className = fresh.className;
    forget();
    for (const pane of this.panes()) copyButtons(pane);
    this.doc.title = part.title;
    const again = this.doc.querySelector("[data-poll-show]");
    if (again instanceof HTMLAnchorElement) again.href = this.url;
  }

  /**
   * Puts the focus on the tool, or on its row where only the list is in sight, and
   * says where in the list that is.
   *
   * @param {number | undefined} y how far down the page was when it was left
   */
  place(y) {
    const tool = this.box.querySelector("[data-tool]");
    const target = [tool, this.row, this.doc.getElementById("main")].find((e) => e instanceof HTMLElement && e.checkVisibility());
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    if (y !== undefined) scrollTo({ top: y, behavior: "instant" });
    else if (this.box.getBoundingClientRect().top < 0) this.box.scrollIntoView({ behavior: "instant" });
    const rows = [...this.list.querySelectorAll("[data-row]:not([hidden])")];
    const at = rows.findIndex((e) => e === this.row);
    const said = this.doc.querySelector("[data-panes-said]");
    if (said) said.textContent = at < 0 ? "" : `${at + 1} of ${rows.length} in the list`;
  }
}

/** The address of the page, without the place in it. */
function address() {
  return location.href.split("#")[0];
}
