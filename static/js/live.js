import { Poll } from "./poll.js";

/**
 * Keeps what is waited for up to date: by the events of data-live where they come
 * through, else by asking data-poll. What is shown is the affair of Poll; nothing
 * else on the page is touched.
 *
 * @param {Document} doc
 */
export function live(doc) {
  const again = doc.querySelector("[data-again]"); // work goes on: look in so many ms
  if (again instanceof HTMLElement) setTimeout(() => location.reload(), Number(again.dataset.again));
  for (const element of doc.querySelectorAll("[data-poll]")) {
    if (element instanceof HTMLElement) new Live(element).begin();
  }
}

// How long the first message may take before it is taken that something on the way
// keeps the events back.
const patience = 8000;

class Live {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.poll = new Poll(element);
    this.url = element.dataset.live ?? "";
    /** @type {EventSource | null} */
    this.source = null;
    this.over = false;
    this.timer = 0;
  }

  begin() {
    if (!this.url) return this.poll.later();
    this.follow();
    // A browser has few connections to one server: pages out of sight let go of theirs.
    document.addEventListener("visibilitychange", () => this.follow());
  }

  follow() {
    if (this.over) return;
    if (document.hidden) return this.close();
    if (this.source) return;
    this.source = new EventSource(this.url);
    this.timer = setTimeout(() => this.fallBack(), patience);
    this.source.onmessage = (event) => this.hear(event);
    this.source.onerror = () => {
      // Otherwise the browser tries again, and says where it was.
      if (this.source?.readyState === EventSource.CLOSED) this.fallBack();
    };
  }

  /** @param {MessageEvent<string>} event */
  hear(event) {
    clearTimeout(this.timer);
    if (!this.poll.show(JSON.parse(event.data))) return;
    this.over = true;
    this.close();
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  fallBack() {
    this.over = true;
    this.close();
    this.poll.later();
  }
}
