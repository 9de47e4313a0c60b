/** "DE=19,FR=20,CH=8.1" in hundredths of a percent. Ignores invalid entries. */
export function parseTaxRates(text: string): Readonly<Record<string, number>> {
  const pairs = text.split(',').flatMap((part) => {
    const match = /^\s*([A-Z]{2})\s*=\s*(\d{1,2}(?:\.\d{1,2})?|100)\s*$/.exec(part);
    return match ? [[match[1] ?? '', Math.round(Number(match[2]) * 100)] as const] : [];
  });
  return Object.fromEntries(pairs);
}
