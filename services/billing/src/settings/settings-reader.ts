import { AppError } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import { wordOf } from '@panel/kit/records';
import type { Client } from '@panel/rpc';
import {
  type BillingSettings as SettingsMessage,
  BillingSettings_TaxScheme,
  BillingSettings_VatCheck,
  type SettingsServiceService,
} from '@panel/protos/admin';
import { bankAccount } from '../domain/bank-account.js';
import { datevSettings } from '../domain/datev-accounts.js';
import { parseTaxRates } from '../domain/tax-rates.js';
import type { InvoiceSeller } from '../domain/profile.js';
import type { BillingSettings } from '../domain/settings.js';
import { compactVatNumber, vatCountry } from '../domain/vat-number.js';

export interface SettingsSource {
  read(): Promise<BillingSettings>;
}

const retainedMs = 5_000;
const timeoutMs = 3_000;

/** At most 5 s old; the last ones hold while admin is unavailable. */
export class SettingsReader implements SettingsSource {
  readonly #client: Pick<Client<typeof SettingsServiceService>, 'getSettings'>;
  readonly #log: Logger;
  readonly #clock: () => Date;
  #known: { readonly settings: BillingSettings; readonly at: number } | null = null;

  constructor(client: Pick<Client<typeof SettingsServiceService>, 'getSettings'>, log: Logger, clock: () => Date) {
    this.#client = client;
    this.#log = log;
    this.#clock = clock;
  }

  /** Throws SERVICE_UNAVAILABLE before the first successful read. */
  async read(): Promise<BillingSettings> {
    const now = this.#clock().getTime();
    if (this.#known && Math.abs(now - this.#known.at) < retainedMs) return this.#known.settings;
    try {
      this.#known = { settings: await this.#fetch(), at: now };
    } catch (error) {
      if (!this.#known) throw error;
      this.#log.warn({ err: error }, 'the settings could not be read, the last known ones hold');
      this.#known = { ...this.#known, at: now };
    }
    return this.#known.settings;
  }

  async #fetch(): Promise<BillingSettings> {
    const { settings } = await this.#client.getSettings({}, { timeoutMs });
    const { general, billing } = settings ?? {};
    if (!general || !billing) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'admin left out settings');
    const timezone = general.timezone ?? 'UTC';
    const others = (billing.sellerVatNumbers ?? '').split(',').map(compactVatNumber).filter(Boolean);
    return {
      currency: general.currency ?? 'EUR',
      panelUrl: general.url ?? '',
      timezone,
      locale: general.locale ?? 'en',
      taxRateBasisPoints: Math.round((billing.taxRatePercent ?? 0) * 100),
      ...parseTaxRates(billing.taxRates ?? '', timezone),
      taxInclusive: billing.taxInclusive ?? false,
      seller: {
        name: billing.sellerName || (general.name ?? ''),
        address: billing.sellerAddress ?? '',
        vatNumber: billing.sellerVatNumber ?? '',
        ...(others.length > 0 ? { otherVatNumbers: others.join(', ') } : {}),
        ...eInvoiceSeller(billing),
      },
      eInvoice: billing.eInvoice ?? false,
      bank: bankAccount({
        holder: billing.bankAccountHolder || billing.sellerName || (general.name ?? ''),
        iban: billing.bankIban ?? '',
        bic: billing.bankBic ?? '',
        instructions: billing.bankInstructions ?? '',
      }),
      taxScheme: wordOf(BillingSettings_TaxScheme, billing.taxScheme ?? '') ?? 'fixed',
      sellerCountry: billing.sellerCountry ?? '',
      registeredCountries: others.flatMap((number) => vatCountry(number) ?? []),
      isOss: billing.oss ?? false,
      vatCheck: wordOf(BillingSettings_VatCheck, billing.vatCheck ?? '') ?? 'off',
      datev: datevSettings({
        consultant: billing.datevConsultant ?? 0,
        client: billing.datevClient ?? 0,
        fiscalMonth: billing.datevFiscalMonth ?? 1,
        accountDigits: billing.datevAccountDigits ?? 4,
        accounts: billing.datevAccounts ?? '',
      }),
      invoicePrefix: billing.invoicePrefix ?? '',
      invoiceDaysBefore: billing.invoiceDaysBefore ?? 7,
      priceChangeDays: billing.priceChangeDays ?? 30,
      paymentDays: billing.paymentDays ?? 7,
      reminderDays: billing.reminderDays ?? 3,
      suspendDays: billing.suspendDays ?? 2,
      terminateDays: billing.terminateDays ?? 14,
    };
  }
}

/** What is set, under its name on invoices. */
function eInvoiceSeller(billing: SettingsMessage): Partial<InvoiceSeller> {
  const given = {
    postcode: billing.sellerPostcode,
    city: billing.sellerCity,
    country: billing.sellerCountry,
    taxNumber: billing.sellerTaxNumber,
    contact: billing.sellerContact,
    phone: billing.sellerPhone,
    email: billing.sellerEmail,
  };
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined && text !== ''));
}
