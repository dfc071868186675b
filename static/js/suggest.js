// Says what a suggested text would bring while somebody writes it: findings, tokens
// and hidden characters. Its textarea carries data-check, the address that looks at
// its form, and is described by the list that is filled. A box that is opened begins
// with the text that stands at the place, and follows the place until somebody types.

const pause = 800; // after the last key

/** @typedef {{tone: string, text: string}} Line */
/** @typedef {{lines: Line[], now?: string, filled?: string}} Answer */

/** @param {Document} doc */
export function suggestions(doc) {
  /** @type {WeakMap<HTMLTextAreaElement, Check>} */
  const checks = new WeakMap();
  doc.addEventListener("input", (event) => {
    const at = event.target;
    const text = at instanceof HTMLSelectElement ? at.form?.querySelector("textarea[data-check]") : at;
    if (text instanceof HTMLTextAreaElement && text.dataset.check) of(text).later();
  });
  // A details element tells of itself only where it stands.
  doc.addEventListener(
    "toggle",
    (event) => {
      const box = event.target;
      if (!(box instanceof HTMLDetailsElement) || !box.open || box.dataset.suggest === undefined) return;
      const text = box.querySelector("textarea[data-check]");
      if (text instanceof HTMLTextAreaElement) of(text).begin();
    },
    true,
  );

  /** @param {HTMLTextAreaElement} text */
  function of(text) {
    const check = checks.get(text) ?? new Check(text);
    checks.set(text, check);
    return check;
  }
}

class Check {
  /** @param {HTMLTextAreaElement} text */
  constructor(text) {
    this.text = text;
    this.list = document.getElementById(text.getAttribute("aria-describedby") ?? "");
    this.timer = 0;
    this.count = 0;
  }

  /** The box as nobody touched it: empty, or as it was filled. */
  untouched() {
    return this.text.value === this.text.defaultValue && (this.text.value === "" || this.mark()?.value !== "");
  }

  mark() {
    const field = this.text.form?.elements.namedItem("filled");
    return field instanceof HTMLInputElement ? field : null;
  }

  /** Fills the box that is opened. Only a text can be suggested for: the description, where nothing was chosen. */
  begin() {
    if (!this.untouched()) return;
    const at = this.text.form?.elements.namedItem("at");
    if (!(at instanceof HTMLSelectElement)) return;
    if (at.value.endsWith(" ") && [...at.options].some((option) => option.value === "new /description")) at.value = "new /description";
    if (!at.value.endsWith(" ")) void this.ask();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pause);
  }

  /** What was asked last is what is shown, whatever answer comes last. */
  async ask() {
    const asked = ++this.count;
    const untouched = this.untouched();
    const answer = await this.answer();
    if (asked !== this.count) return;
    if (untouched && this.untouched()) this.fill(answer.now ?? "", answer.filled ?? "");
    this.show(this.text.value === "" || this.untouched() ? [] : answer.lines);
  }

  /**
   * @param {string} now
   * @param {string} mark
   */
  fill(now, mark) {
    const field = this.mark();
    if (!field) return;
    this.text.value = this.text.defaultValue = now;
    field.value = mark;
    this.text.setSelectionRange(now.length, now.length);
  }

  body() {
    const body = new URLSearchParams({ script: "yes" });
    for (const name of ["on", "at", "suggest"]) {
      const field = this.text.form?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement) body.set(name, field.value);
    }
    return body;
  }

  /** @returns {Promise<Answer>} */
  async answer() {
    try {
      const answer = await fetch(this.text.dataset.check ?? "", { method: "POST", body: this.body(), redirect: "manual" });
      if (answer.ok) return await answer.json();
      return { lines: [{ tone: "warn", text: "Not looked at. Choose what the text is for, such as the description." }] };
    } catch {
      return { lines: [{ tone: "warn", text: "Not looked at: the server does not answer." }] };
    }
  }

  /** @param {Line[]} lines */
  show(lines) {
    this.list?.replaceChildren(
      ...lines.map((line) => {
        const item = document.createElement("li");
        item.className = line.tone;
        item.textContent = line.text;
        return item;
      }),
    );
  }
}
