/**
 * Sends a form with data-choose as soon as something is chosen in it with a pointer.
 * With the keyboard a choice passes by others on its way, so there it waits for the
 * form's button.
 *
 * @param {Document} doc
 */
export function choices(doc) {
  let pointed = false;
  doc.addEventListener("pointerdown", () => (pointed = true), true);
  doc.addEventListener("keydown", () => (pointed = false), true);
  doc.addEventListener("change", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-choose]") : null;
    if (pointed && form instanceof HTMLFormElement) form.requestSubmit();
  });
}
