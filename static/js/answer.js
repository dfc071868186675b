// An answer that needs a reason, without a way to the server and back: what was pressed
// before there is one waits beside the field, and Ctrl+Enter in the field presses it.

/** @type {WeakMap<HTMLFormElement, HTMLButtonElement>} */
const wanted = new WeakMap();

/** @param {Document} doc */
export function answers(doc) {
  doc.addEventListener("submit", hold, true); // before drafts take the form for sent
  doc.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing && send(event.target)) event.preventDefault();
  });
}

/** @param {SubmitEvent} event */
function hold(event) {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement) || submitter.name !== "verdict") return;
  wanted.set(form, submitter);
  if (opened(form, submitter)) return stop(event);
  const note = form.elements.namedItem("note");
  if (!submitter.dataset.needs || !(note instanceof HTMLTextAreaElement) || note.value.trim() !== "") return;
  stop(event);
  say(form, submitter.dataset.needs, note);
  note.focus();
}

/** @param {SubmitEvent} event */
function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * One answer for several tools is given with their list open: a list that somebody shut
 * is opened first.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 * @returns {boolean} whether it was shut
 */
function opened(form, button) {
  const box = button.value === "withdraw" ? null : form.closest("[data-item]")?.querySelector("details[data-group]");
  if (!(box instanceof HTMLDetailsElement) || box.open) return false;
  box.open = true;
  say(form, "This answers for all the tools in the list, which was shut. Look at them, then press again.");
  return true;
}

/**
 * Says in a form what is missing, as the server would: in a field, or before it is sent.
 *
 * @param {HTMLFormElement} form
 * @param {string} text
 * @param {HTMLTextAreaElement} [note]
 */
function say(form, text, note) {
  let line = form.querySelector(".fault");
  if (!line) {
    line = document.createElement("p");
    line.className = "fault";
    line.setAttribute("role", "alert");
    form.prepend(line);
  }
  line.textContent = text;
  if (!note) return;
  note.setAttribute("aria-invalid", "true");
  note.setAttribute("aria-describedby", (line.id ||= note.id + "-fault"));
}

/**
 * Sends the form of a text: by the answer that was pressed, or where there is only one
 * way to send it.
 *
 * @param {EventTarget | null} at
 */
function send(at) {
  const form = at instanceof HTMLTextAreaElement ? at.form : null;
  if (!form) return false;
  const buttons = [...form.querySelectorAll("button")].filter((b) => b.type === "submit" && b.checkVisibility());
  const only = buttons.length === 1 && !form.querySelector("[name=verdict]") ? buttons[0] : undefined;
  const button = wanted.get(form) ?? only;
  if (button) form.requestSubmit(button);
  return button !== undefined;
}
