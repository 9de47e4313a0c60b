/** RFC 4180. A text that begins like a formula of spreadsheets gets an apostrophe: customers choose names. */
export function csvCell(value: string): string {
  // Where the semicolon separates cells, one begins in the middle of a text.
  const text = value.replaceAll(/(^|[;,\t\r\n]\s*)(?=[=+\-@\t\r])/g, "$1'");
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
