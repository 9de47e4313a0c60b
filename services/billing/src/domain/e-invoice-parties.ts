import type { Invoice } from './invoice.js';
import type { InvoiceSeller } from './profile.js';

/** Of VAT (UNTDID 5305): standard, zero rate, reverse charge, exempt, outside of the scope. */
export type VatCategory = 'S' | 'Z' | 'AE' | 'E' | 'O';

interface PostalAddress {
  /** At most three. */
  readonly lines: readonly string[];
  /** Empty: unknown. */
  readonly postcode: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

interface TaxedParty extends PostalAddress {
  readonly name: string;
  /** Empty: none, or forbidden in the category. */
  readonly vatNumber: string;
}

export interface EInvoiceSeller extends TaxedParty {
  /** Where there is no VAT number to know the seller by; else empty. */
  readonly id: string;
  readonly taxNumber: string;
  readonly contact: string;
  readonly phone: string;
  readonly email: string;
}

export interface EInvoiceBuyer extends TaxedParty {
  /** Of a company. */
  readonly contact: string;
  readonly email: string;
  /** Leitweg-ID or the like; empty: none. */
  readonly reference: string;
}

/** Null: EN 16931 requires more. */
export function sellerOf(seller: InvoiceSeller, category: VatCategory): EInvoiceSeller | null {
  const { name, address, postcode = '', city = '', country = '', taxNumber = '', contact, phone, email } = seller;
  const vatNumber = vatIdOf(seller.vatNumber);
  const id = vatNumber || taxNumber;
  if ([name, address, postcode, city, country, id].some((text) => text === '')) return null;
  const stated = category === 'O' ? '' : vatNumber;
  return {
    name,
    lines: linesOf(address.split('\n')),
    postcode,
    city,
    country,
    vatNumber: stated,
    id: stated === '' ? id : '',
    taxNumber,
    contact: contact ?? '',
    phone: phone ?? '',
    email: email ?? '',
  };
}

/** The country is that of the profile, else whose tax it is, else the seller's. */
export function buyerOf({ customer, tax }: Invoice, category: VatCategory, sellerCountry: string): EInvoiceBuyer {
  const { company, name, email, buyerReference = '' } = customer;
  return {
    name: company || name || email,
    contact: company === '' ? '' : name,
    email,
    ...addressOf(customer.address),
    country: customer.country || tax?.country || sellerCountry,
    vatNumber: category === 'O' ? '' : vatIdOf(customer.vatNumber),
    reference: buyerReference,
  };
}

/** Without its spaces; empty where it does not begin with a country, as EN 16931 wants it. */
function vatIdOf(vatNumber: string): string {
  const compact = vatNumber.replace(/[\s.-]/g, '').toUpperCase();
  return /^[A-Z]{2}/.test(compact) ? compact : '';
}

const cityLine = /^(?:[A-Z]{1,2}[- ])?(\d{4,5})\s+(\S.*)$/;

/** Profiles have lines of text: "10115 Berlin" is a postcode and its city. */
function addressOf(address: string): Omit<PostalAddress, 'country'> {
  const lines = address
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const index = lines.findLastIndex((line) => cityLine.test(line));
  const [, postcode = '', city = ''] = cityLine.exec(lines[index] ?? '') ?? [];
  return { lines: linesOf(lines.filter((_line, at) => at !== index)), postcode, city };
}

/** At most three. */
function linesOf(lines: readonly string[]): string[] {
  const [first, second, ...others] = lines.map((line) => line.trim()).filter((line) => line !== '');
  return [first, second, others.join(', ')].filter((line) => line !== undefined && line !== '') as string[];
}
