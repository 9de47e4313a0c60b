import { id, oneOf, type RecordOf } from '@panel/kit/records';
import { isoCountry } from './vat-territory.js';

/** Where a customer is, by the address of the profile, the address of the caller, or the card of a payment. */
export const evidenceFields = {
  source: oneOf(['billing', 'ip', 'card']),
  /** ISO 3166-1 alpha-2. */
  country: id,
};
export type PlaceEvidence = RecordOf<typeof evidenceFields>;

/** Without what is not known. */
export function placeEvidence(known: Partial<Record<PlaceEvidence['source'], string>>): PlaceEvidence[] {
  const sources = ['billing', 'ip', 'card'] as const;
  return sources.flatMap((source) => {
    const country = isoCountry(known[source] ?? '');
    return country === '' ? [] : [{ source, country }];
  });
}

/** Pieces that name different countries. */
export function isContradictory(evidence: readonly PlaceEvidence[]): boolean {
  return new Set(evidence.map(({ country }) => country)).size > 1;
}
