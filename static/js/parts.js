// Parts of pages. They come as documents that the browser read: nothing in them runs,
// and no text of theirs is made into markup by a script.

const lasts = 60000; // ms that what came before it was asked for may be shown

export class Parts {
  constructor() {
    /** @type {Map<string, {at: number, part: Promise<Document | null>}>} */
    this.ready = new Map();
  }

  /**
   * What was asked for beforehand is given once; else it is asked for now.
   *
   * @param {string} url
   * @returns {Promise<Document | null>} null when there is no such part
   */
  take(url) {
    const found = this.ready.get(url);
    this.ready.delete(url);
    return found && Date.now() - found.at < lasts ? found.part : ask(url);
  }

  /**
   * Asks for what is likely wanted next, and lets go of what was.
   *
   * @param {string[]} urls
   */
  ahead(urls) {
    for (const url of this.ready.keys()) if (!urls.includes(url)) this.ready.delete(url);
    for (const url of urls) {
      if (!this.ready.has(url)) this.ready.set(url, { at: Date.now(), part: ask(url) });
    }
  }

  /** Something happened: what came before may tell it otherwise. */
  drop() {
    this.ready.clear();
  }
}

/**
 * @param {string} url
 * @returns {Promise<Document | null>}
 */
function ask(url) {
  return new Promise((done) => {
    const request = new XMLHttpRequest(); // fetch gives text, which would have to be parsed here
    request.open("GET", url);
    request.responseType = "document";
    request.setRequestHeader("Countersign-Part", "tool");
    request.onloadend = () => done(request.status === 200 && request.responseURL === url ? request.responseXML : null);
    request.send();
  });
}
