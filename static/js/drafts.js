// Keeps what is typed on the server, so that no text is lost: not by a reload, a
// sign-out, a refused answer or a crash. A form with data-draft says where.

const pause = 700; // after the last key
const longest = 4000; // while somebody types on
const longestRetry = 30000;

/**
 * @typedef {"kept" | "refused" | "away"} Outcome
 * refused: the server answered, and its page will say what is wrong.
 * away: nobody answered, or nobody is signed in. Leaving the page would lose the text.
 */

/** @type {Map<HTMLFormElement, Draft>} */
const open = new Map();

/** @param {Document} doc */
export function drafts(doc) {
  const writer = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
  /** @param {EventTarget | null} target */
  const draftOf = (target) => {
    const form = target instanceof Element ? target.closest("form[data-draft]") : null;
    if (!(form instanceof HTMLFormElement)) return undefined;
    const known = open.get(form) ?? new Draft(form, writer);
    open.set(form, known);
    return known;
  };
  doc.addEventListener("input", (event) => draftOf(event.target)?.typed());
  doc.addEventListener("submit", (event) => {
    if (event.target instanceof HTMLFormElement) open.get(event.target)?.submit(event);
  });
  const leave = () => open.forEach((draft) => draft.leave());
  addEventListener("pagehide", leave);
  doc.addEventListener("visibilitychange", () => doc.hidden && leave());
  addEventListener("pageshow", () => open.forEach((draft) => (draft.sent = false)));
  // A browser that fills in what was typed before tells nobody.
  for (const text of doc.querySelectorAll("form[data-draft] textarea")) {
    if (text instanceof HTMLTextAreaElement && text.value !== text.defaultValue) draftOf(text)?.typed();
  }
}

/**
 * Keeps what was typed inside of an element.
 *
 * @param {Element} root
 * @returns {Promise<boolean>} whether the element can go and no text with it
 */
export async function safe(root) {
  for (const [form, draft] of open) {
    if (root.contains(form) && ((await draft.save()) !== "kept" || draft.refused)) return false;
  }
  return true;
}

/** Lets go of the forms that are not on the page any more. */
export function forget() {
  for (const form of open.keys()) if (!form.isConnected) open.delete(form);
}

class Draft {
  /**
   * @param {HTMLFormElement} form
   * @param {string} writer names this page
   */
  constructor(form, writer) {
    this.form = form;
    this.writer = writer;
    this.count = 0;
    this.changed = false;
    this.since = 0; // of the first change that is not kept
    this.copied = false; // another page wrote the same draft
    this.sent = false; // the form itself is on its way
    this.refused = false; // what was typed last is not kept and won't be
    this.timer = 0;
    this.retry = 1000;
    /** @type {Promise<Outcome> | null} */
    this.saving = null;
    this.line = document.createElement("p");
    this.line.className = "draft-line mute small";
    this.line.setAttribute("role", "status");
    form.append(this.line);
  }

  typed() {
    if (!this.changed) this.since = Date.now();
    this.changed = true;
    this.later(Math.min(pause, Math.max(0, this.since + longest - Date.now())));
  }

  /** @param {number} wait */
  later(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), wait);
  }

  /**
   * Keeps the form as it stands, after what is being kept already.
   *
   * @returns {Promise<Outcome>}
   */
  async save() {
    clearTimeout(this.timer);
    while (this.saving) await this.saving;
    if (!this.changed) return "kept";
    this.changed = false;
    this.saving = this.send();
    const outcome = await this.saving;
    this.saving = null;
    this.refused = outcome === "refused";
    this.retry = outcome === "away" ? Math.min(this.retry * 2, longestRetry) : 1000;
    if (outcome === "away") {
      this.changed = true;
      this.later(this.retry);
    }
    return outcome;
  }

  body() {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      if (typeof value === "string") body.append(name, value);
    }
    body.set("writer", this.writer);
    body.set("count", String(++this.count));
    return body;
  }

  get url() {
    return this.form.dataset.draft ?? "";
  }

  /** @returns {Promise<Outcome>} */
  async send() {
    try {
      const answer = await fetch(this.url, { method: "POST", body: this.body(), redirect: "manual" });
      if (answer.type === "opaqueredirect" || answer.status === 401) {
        this.say("Not kept yet: you are signed out. Sign in in another tab; the text stays here meanwhile.");
        return "away";
      }
      if (!answer.ok) {
        this.say(`Not kept (error ${answer.status}). Copy the text before you leave this page.`);
        return "refused";
      }
      this.kept(await answer.json());
      return "kept";
    } catch {
      this.say("Not kept yet: the server does not answer. Trying again; the text stays here meanwhile.");
      return "away";
    }
  }

  /** @param {{kept: string, copy: boolean}} answer */
  kept(answer) {
    const field = this.form.elements.namedItem("kept");
    if (field instanceof HTMLInputElement) field.value = answer.kept;
    if (answer.copy) this.copied = true;
    document.dispatchEvent(new Event("countersign:news")); // other pages count the drafts
    this.say(this.copied ? "Another page wrote here too. Both drafts are kept, and the page shows them when it is opened again." : "Draft kept.");
  }

  /** @param {string} text */
  say(text) {
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  /**
   * Sends the form only when its text is safe: a server that does not answer would
   * take the page away and the text with it.
   *
   * @param {SubmitEvent} event
   */
  async submit(event) {
    if (!this.changed && !this.saving) {
      this.sent = true;
      return;
    }
    event.preventDefault();
    if ((await this.save()) === "away") return;
    this.sent = true;
    this.form.requestSubmit(event.submitter);
  }

  /** What is not kept when the page goes goes after it. */
  leave() {
    if (!this.changed || this.sent) return;
    if (navigator.sendBeacon(this.url, this.body())) this.changed = false;
  }
}
