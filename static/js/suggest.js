// Says what a suggested text would bring while somebody writes it: findings, tokens
// and hidden characters. Its textarea carries data-check, the address that looks at
// its form, and is described by the list that is filled.

const pause = 800; // after the last key

/** @typedef {{tone: string, text: string}} Line */

/** @param {Document} doc */
export function suggestions(doc) {
  /** @type {WeakMap<HTMLTextAreaElement, Check>} */
  const checks = new WeakMap();
  doc.addEventListener("input", (event) => {
    const at = event.target;
    const text = at instanceof HTMLSelectElement ? at.form?.querySelector("textarea[data-check]") : at;
    if (!(text instanceof HTMLTextAreaElement) || !text.dataset.check) return;
    const check = checks.get(text) ?? new Check(text);
    checks.set(text, check);
    check.later();
  });
}

class Check {
  /** @param {HTMLTextAreaElement} text */
  constructor(text) {
    this.text = text;
    this.list = document.getElementById(text.getAttribute("aria-describedby") ?? "");
    this.timer = 0;
    this.count = 0;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pause);
  }

  /** What was asked last is what is shown, whatever answer comes last. */
  async ask() {
    const asked = ++this.count;
    const lines = this.text.value === "" ? [] : await this.answer();
    if (asked === this.count) this.show(lines);
  }

  body() {
    const body = new URLSearchParams({ script: "yes" });
    for (const name of ["on", "at", "suggest"]) {
      const field = this.text.form?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement) body.set(name, field.value);
    }
    return body;
  }

  /** @returns {Promise<Line[]>} */
  async answer() {
    try {
      const answer = await fetch(this.text.dataset.check ?? "", { method: "POST", body: this.body(), redirect: "manual" });
      if (answer.ok) return (await answer.json()).lines;
      return [{ tone: "warn", text: "Not looked at. Choose what the text is for, such as the description." }];
    } catch {
      return [{ tone: "warn", text: "Not looked at: the server does not answer." }];
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
