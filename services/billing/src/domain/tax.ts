import { date, oneOf, orNull, type RecordOf, text } from '@panel/kit/records';
import { scaleHalfUp } from './money.js';
import type { TaxedCustomer } from './profile.js';
import type { BillingSettings } from './settings.js';
import { rateOf } from './tax-rates.js';
import { isVatNumber, vatCountry } from './vat-number.js';
import { isMemberState, isoCountry } from './vat-territory.js';

export interface TaxRate {
  /** Hundredths of a percent. */
  readonly basisPoints: number;
  /** Prices include tax. */
  readonly isInclusive: boolean;
}

/** Why a rate holds; on orders and invoices. */
export const taxFields = {
  treatment: oneOf(['none', 'standard', 'reverse_charge', 'outside_scope', 'exempt']),
  /** Whose rate it is, ISO 3166-1 alpha-2; empty: of no country. */
  country: text,
  /** Of `exempt`. */
  reason: text,
  /** Number that VIES gave the check of the customer's VAT number; empty: not asked. */
  consultation: text,
  checkedAt: orNull(date),
};
type TaxFacts = RecordOf<typeof taxFields>;
export type TaxTreatment = TaxFacts['treatment'];

export interface AppliedTax extends TaxRate, TaxFacts {}

interface TaxedAmount {
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
}

type TaxSettings = Pick<
  BillingSettings,
  | 'taxScheme'
  | 'taxRateBasisPoints'
  | 'taxRatesByCountry'
  | 'taxRateChanges'
  | 'taxInclusive'
  | 'sellerCountry'
  | 'isOss'
  | 'registeredCountries'
  | 'vatCheck'
>;

const noFacts = { country: '', reason: '', consultation: '', checkedAt: null };

/** Rate and treatment of what is supplied at `at`. */
export function taxFor(customer: TaxedCustomer, settings: TaxSettings, at: Date): AppliedTax {
  const { taxScheme } = settings;
  if (taxScheme === 'none') return untaxed(settings);
  if (customer.taxExemption) {
    return { ...untaxed(settings), treatment: 'exempt', reason: customer.taxExemption };
  }
  const place = isoCountry(customer.country);
  return taxScheme === 'eu' ? euTax(customer, place, settings, at) : standardTax(place, settings, at);
}

/** Of what is no supply yet, like credits. */
export function untaxed({ taxInclusive }: Pick<BillingSettings, 'taxInclusive'>): AppliedTax {
  return { ...noFacts, basisPoints: 0, isInclusive: taxInclusive, treatment: 'none' };
}

export function taxFactsOf({ treatment, country, reason, consultation, checkedAt }: AppliedTax): TaxFacts {
  return { treatment, country, reason, consultation, checkedAt };
}

function standardTax(country: string, settings: TaxSettings, at: Date): AppliedTax {
  const basisPoints = rateOf(country, settings, at) ?? settings.taxRateBasisPoints;
  return { ...noFacts, basisPoints, isInclusive: settings.taxInclusive, treatment: 'standard', country };
}

/**
 * Services to consumers are taxed where the consumer is, with OSS or a registration there; those to businesses of another
 * member state by the customer (Articles 44, 58, 59c and 196 of Directive 2006/112/EC).
 */
function euTax(customer: TaxedCustomer, place: string, settings: TaxSettings, at: Date): AppliedTax {
  const home = isoCountry(settings.sellerCountry);
  const isAtHome = place === '' || place === home;
  if (!isAtHome && isMemberState(place)) {
    if (isBusiness(customer, place, settings)) {
      const { vatCheck } = customer;
      const answer = vatCheck && { consultation: vatCheck.consultation, checkedAt: vatCheck.answeredAt };
      return { ...untaxed(settings), treatment: 'reverse_charge', country: place, ...answer };
    }
    const isDueThere = settings.isOss || settings.registeredCountries.includes(place);
    return standardTax(isDueThere ? place : home, settings, at);
  }
  if (!isAtHome && rateOf(place, settings, at) === undefined) {
    return { ...untaxed(settings), treatment: 'outside_scope', country: place };
  }
  return standardTax(isAtHome ? home : place, settings, at);
}

/** Has a number of that country which counts by the settings. */
function isBusiness(
  { vatNumber, vatCheck }: TaxedCustomer,
  country: string,
  settings: Pick<BillingSettings, 'vatCheck'>,
): boolean {
  if (vatCountry(vatNumber) !== country || !isVatNumber(vatNumber)) return false;
  if (settings.vatCheck === 'off') return true;
  const state = vatCheck?.number === vatNumber ? vatCheck.state : 'unanswered';
  return state === 'valid' || (state === 'unanswered' && settings.vatCheck === 'accept');
}

/** Per line, half up: added to or extracted from the price. */
export function withTax(amountMinor: number, { basisPoints, isInclusive }: TaxRate): TaxedAmount {
  if (isInclusive) {
    const taxMinor = scaleHalfUp(amountMinor, basisPoints, 10_000 + basisPoints);
    return { netMinor: amountMinor - taxMinor, taxMinor, totalMinor: amountMinor };
  }
  const taxMinor = scaleHalfUp(amountMinor, basisPoints, 10_000);
  return { netMinor: amountMinor, taxMinor, totalMinor: amountMinor + taxMinor };
}

export interface TaxLine extends TaxedAmount {
  /** Hundredths of a percent. */
  readonly basisPoints: number;
}

/** Sums by rate; a document has one. */
export function taxLines(items: readonly TaxedAmount[], basisPoints: number): TaxLine[] {
  if (items.length === 0) return [];
  const sum = (field: keyof TaxedAmount) => items.reduce((total, item) => total + item[field], 0);
  return [{ basisPoints, netMinor: sum('netMinor'), taxMinor: sum('taxMinor'), totalMinor: sum('totalMinor') }];
}
