/**
 * Shows the copy buttons and makes them copy, to the byte.
 *
 * A button names what it copies: data-copy is a selector of the element with the
 * text, data-copy-text is the text itself.
 *
 * @param {Document} doc
 */
export function copyButtons(doc) {
  if (!navigator.clipboard) return;
  for (const button of doc.querySelectorAll("[data-copy], [data-copy-text]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const source = button.dataset.copy ? document.querySelector(button.dataset.copy) : null;
  const text = source?.textContent ?? button.dataset.copyText ?? "";
  const label = button.firstChild;
  if (!label) return;
  const before = label.textContent;
  try {
    await navigator.clipboard.writeText(text);
    label.textContent = "Copied";
  } catch {
    label.textContent = "Not allowed";
  }
  setTimeout(() => {
    label.textContent = before;
  }, 2000);
}
