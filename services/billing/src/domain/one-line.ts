// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether a text is one line without control characters. */
export function isOneLine(text: string): boolean {
  return !control.test(text);
}
