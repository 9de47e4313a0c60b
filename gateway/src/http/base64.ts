/** Node's decoder drops data after padding and a lone last character. */
export function isBase64(text: string): boolean {
  const digits = text.replace(/\s+/g, '').replace(/={1,2}$/, '');
  return digits.length % 4 !== 1 && !/[^A-Za-z0-9+/]/.test(digits);
}
