// Single keys. Every one does what a button or link in the page does: it finds the
// element and activates it, so that a key can never do more than the page offers.
import { family, focusOn, move, rowOrItem, visible } from "./moves.js";
import { quote, selected } from "./quote.js";

const storage = "countersign.keys";

/**
 * @param {Document} doc
 */
export function keys(doc) {
  const help = doc.getElementById("keys");
  if (!(help instanceof HTMLDialogElement)) return;
  setUpHelp(doc, help);
  doc.addEventListener("keydown", (event) => {
    if (leave(event) || !wanted(event, help)) return;
    if (act(doc, help, event.key)) event.preventDefault();
  });
}

/**
 * @param {Document} doc
 * @param {HTMLDialogElement} help
 */
function setUpHelp(doc, help) {
  const opener = doc.querySelector("[data-keys-help]");
  if (opener instanceof HTMLButtonElement) {
    opener.addEventListener("click", () => help.showModal());
  }
  const onOff = help.querySelector("[data-keys-switch]");
  if (onOff instanceof HTMLInputElement) {
    onOff.checked = switchedOn();
    onOff.addEventListener("change", () => localStorage.setItem(storage, onOff.checked ? "on" : "off"));
  }
}

function switchedOn() {
  return localStorage.getItem(storage) !== "off";
}

/**
 * Keys wait while somebody types, holds a modifier, reads a dialog or uses a menu.
 *
 * @param {KeyboardEvent} event
 * @param {HTMLDialogElement} help
 */
function wanted(event, help) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (help.open) return false;
  if (event.key !== "?" && !switchedOn()) return false;
  const at = event.target;
  return !(at instanceof HTMLElement && at.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]"));
}

/**
 * Escape leads out of a text to the item that it is about, or out of a filter to the
 * page, where keys work again.
 *
 * @param {KeyboardEvent} event
 */
function leave(event) {
  if (event.key !== "Escape" || event.isComposing || !switchedOn()) return false;
  const at = event.target;
  if (at instanceof HTMLInputElement && at.type === "search") return focusOn(document.getElementById("main"));
  return at instanceof HTMLTextAreaElement && focusOn(at.closest("[data-item]"));
}

/**
 * @param {Document} doc
 * @param {HTMLDialogElement} help
 * @param {string} key
 * @returns {boolean} whether the key did something
 */
function act(doc, help, key) {
  switch (key) {
    case "?":
      help.showModal();
      return true;
    case "j":
      return rowOrItem(doc, 1);
    case "k":
      return rowOrItem(doc, -1);
    case "J":
      return family(doc, 1);
    case "K":
      return family(doc, -1);
    case "]":
      return move(doc, "[data-change]", 1);
    case "[":
      return move(doc, "[data-change]", -1);
    case "n":
      return move(doc, "[data-thread]", 1);
    case "p":
      return move(doc, "[data-thread]", -1);
    case "/":
      return type(visible(doc.querySelectorAll("[data-key='/'], [data-find]")));
    case "Enter":
      return open(doc);
    case "s":
      return suggest(doc);
  }
  return activate(doc, key);
}

/**
 * The box to type in: that of the page, else the search of every page. What is in it is
 * chosen, to be typed over.
 *
 * @param {Element[]} boxes
 */
function type(boxes) {
  const box = boxes.find((b) => b.matches("[data-key]")) ?? boxes[0];
  if (box instanceof HTMLInputElement) box.select();
  return focusOn(box ?? null);
}

/**
 * A suggestion is part of a comment, whose form may be shut.
 *
 * @param {Document} doc
 */
function suggest(doc) {
  return activate(doc, "s") || (activate(doc, "c") && activate(doc, "s"));
}

/**
 * Enter on an item opens it, on the gate's answer it leads to the next decision; on a
 * link or a button it does what it always does; where nothing has the focus it leads to
 * the end of a review.
 *
 * @param {Document} doc
 */
function open(doc) {
  const at = doc.activeElement;
  if (at === doc.body) return activate(doc, "Enter");
  if (!(at instanceof HTMLElement) || !at.matches("[data-item], #gate")) return false;
  const link = at.querySelector("[data-open]");
  if (link instanceof HTMLAnchorElement) link.click();
  return link !== null;
}

/**
 * Presses what carries the key: inside the item that has the focus, else in the
 * page if only one thing carries it.
 *
 * @param {Document} doc
 * @param {string} key
 */
function activate(doc, key) {
  if (!/^([a-z]|Enter)$/.test(key)) return false;
  if (doc.activeElement?.closest(".pills, [role=search]")) return false; // somebody filters: a letter may be meant as text
  const item = doc.activeElement?.closest("[data-item]");
  const selector = `[data-key="${key}"]`;
  const all = visible((item ?? doc).querySelectorAll(selector));
  const found = all.length > 0 ? all : visible(doc.querySelectorAll(selector));
  if (found.length !== 1 && !item) return false;
  const element = found[0];
  if (!(element instanceof HTMLElement)) return false;
  const words = key === "c" ? selected(doc) : null; // before the focus goes elsewhere
  const box = element.closest("details");
  if (!words || !element.matches("summary") || !box?.open) element.click();
  if (!element.matches("summary") || !box?.open) return true;
  quote(box.querySelector("form"), words);
  focusOn(box.querySelector("textarea:not([name=quote])"));
  return true;
}
