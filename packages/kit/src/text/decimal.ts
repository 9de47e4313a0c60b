/** Plain decimal of a count of the smallest units: 1234 of two digits is `12.34`, of none `1234`. Exact at any size. */
export function decimalOf(units: number, digits: number): string {
  const sign = units < 0 ? '-' : '';
  const text = String(Math.abs(units)).padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
