const firstPause = 1500;
const longestPause = 15000;

/**
 * Shows the state of something that is waited for, and asks for it when nobody
 * tells.
 *
 * The element carries data-poll, an address that answers
 * {"state": "...", "text": "..."}. Where it also carries data-poll-state, the page
 * is loaded again as soon as the state is another one; else the text is shown in
 * its data-poll-text, and its data-poll-show appears beside it. A data-poll-next is
 * a link that leads to next and says what the attribute says, once there is one. A
 * progress shows how much is done.
 */
export class Poll {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.url = element.dataset.poll ?? "";
    this.pause = firstPause;
  }

  later() {
    if (this.url) setTimeout(() => this.ask(), this.pause);
  }

  async ask() {
    if (document.hidden) return this.later();
    try {
      const answer = await fetch(this.url, { headers: { accept: "application/json" } });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      if (this.show(await answer.json())) return;
      this.pause = Math.min(this.pause * 1.15, longestPause);
    } catch {
      this.pause = Math.min(this.pause * 2, longestPause); // the server may be restarting
    }
    this.later();
  }

  /**
   * @param {{state: string, text: string, next?: string, done?: number}} now
   * @returns {boolean} whether there is nothing left to wait for
   */
  show(now) {
    const shown = this.element.dataset.pollState;
    if (shown !== undefined) {
      if (now.state !== shown) location.reload();
      return now.state !== shown;
    }
    const text = this.element.querySelector("[data-poll-text]");
    if (text && text.textContent !== now.text) {
      text.textContent = now.text;
      document.dispatchEvent(new Event("countersign:news")); // what came before does not show it
    }
    const more = this.element.querySelector("[data-poll-show]");
    if (more instanceof HTMLElement) more.hidden = now.text === "";
    const next = this.element.querySelector("[data-poll-next]");
    if (next instanceof HTMLAnchorElement && now.next) {
      next.href = now.next;
      next.textContent = next.dataset.pollNext ?? "";
      next.hidden = false;
    }
    const bar = this.element.querySelector("progress");
    if (bar && now.done) bar.value = now.done;
    return now.state === "arrived";
  }
}
