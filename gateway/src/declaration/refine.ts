/** Of a rule between fields: it is checked although other fields are wrong, so that one answer has all problems. */
export function always({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null;
}
