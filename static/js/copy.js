/**
 * Makes the copy buttons copy, to the byte. Where a browser lets no page do so, they
 * go; without scripts the style sheet hides them.
 *
 * A button names what it copies: data-copy is a selector of the element with the
 * text, data-copy-text is the text itself, data-copy-from its address.
 *
 * @param {ParentNode} root
 */
export function copyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy], [data-copy-text], [data-copy-from]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", () => copy(button));
  }
}

/**
 * @param {HTMLButtonElement} button
 * @returns {Promise<string>}
 */
async function textOf(button) {
  const { copy, copyText, copyFrom } = button.dataset;
  if (!copyFrom) return (copy ? document.querySelector(copy)?.textContent : null) ?? copyText ?? "";
  const answer = await fetch(copyFrom);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  // text() would drop a byte order mark, which is one of the things to look for.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const label = button.firstChild;
  if (!label) return;
  const before = label.textContent;
  try {
    await navigator.clipboard.writeText(await textOf(button));
    label.textContent = "Copied";
  } catch {
    label.textContent = "Not allowed";
  }
  setTimeout(() => {
    label.textContent = before;
  }, 2000);
}
