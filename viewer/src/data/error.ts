/** What keeps a page from being shown, in words for the reader of the page. */
export class PageError extends Error {
  constructor(
    readonly headline: string,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

export function damaged(detail: string): PageError {
  return new PageError(
    "The data of this page is damaged",
    detail,
    "The file was probably cut off while it was copied or written. Copy it again, or make it anew with `signorini view`.",
  );
}
