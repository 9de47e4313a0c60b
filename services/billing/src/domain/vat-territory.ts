const memberStates: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/** VAT writes EL for Greece, ISO 3166 GR. */
export function isoCountry(code: string): string {
  return code === 'EL' ? 'GR' : code;
}

/** For services Northern Ireland (XI) is as Great Britain: outside. */
export function isMemberState(country: string): boolean {
  return memberStates.has(country);
}
