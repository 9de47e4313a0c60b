import { z } from 'zod';
import { isCurrency } from './currencies.js';
import { colour, logo } from './logo.js';
import { bic, iban } from './bank.js';
import { datevAccounts, noneOr, skr03 } from './datev-settings.js';
import { country, taxRates, vatNumbers } from './tax-settings.js';
import { line, locale, mailAddress, siteUrl, timezone, integer } from './text.js';

export type SettingValue = string | number | boolean;

/** Schema, default and REST name. */
export interface Setting<T extends SettingValue = SettingValue> {
  readonly schema: z.ZodType<T>;
  readonly initial: T;
  readonly restName: string;
  /** Stored encrypted, never shown to users. */
  readonly isSecret: boolean;
}

function setting<T extends SettingValue>(restName: string, initial: T, schema: z.ZodType<T>): Setting<T> {
  return { schema, initial, restName, isSecret: false };
}

function secret(restName: string, schema: z.ZodType<string>): Setting<string> {
  return { schema, initial: '', restName, isSecret: true };
}

function word<const W extends string>(restName: string, initial: NoInfer<W>, words: readonly W[]): Setting<W> {
  const schema = z.enum(words, { message: `must be one of ${words.join(', ')}` });
  return setting(restName, initial, schema as unknown as z.ZodType<W>);
}

const flag = z.boolean();
const days = integer(0, 365);
const currency = z.string().refine(isCurrency, 'must be a currency code like EUR');
const hostName = z
  .string()
  .max(253, 'must be at most 253 characters')
  .regex(/^[A-Za-z0-9._:-]*$/, 'must be a host name or an address');
const percent = z
  .number()
  .min(0, 'must be between 0 and 100')
  .max(100, 'must be between 0 and 100')
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'must have at most two decimals')
  .transform((value) => Math.round(value * 100) / 100);

/** All settings, by proto name; nothing else can be stored. */
export const settingTable = {
  general: {
    name: setting('name', 'Game Server Panel', line(100).min(1, 'must not be empty')),
    url: setting('url', 'http://localhost:8080', siteUrl),
    locale: setting('locale', 'en', locale),
    timezone: setting('timezone', 'UTC', timezone),
    currency: setting('currency', 'EUR', currency),
    registration: setting<boolean>('registration', false, flag),
  },
  mail: {
    driver: word('driver', 'log', ['smtp', 'log']),
    host: setting('host', '', hostName),
    port: setting('port', 587, integer(1, 65_535)),
    encryption: word('encryption', 'starttls', ['none', 'starttls', 'tls']),
    username: setting('username', '', line(255)),
    password: secret('password', line(1024)),
    fromAddress: setting('from_address', 'panel@localhost.localdomain', mailAddress),
    fromName: setting('from_name', 'Game Server Panel', line(100)),
  },
  security: {
    requireTwoFactor: word('require_2fa', 'none', ['none', 'admins', 'all']),
    sessionsPerUser: setting('sessions_per_user', 20, integer(1, 100)),
  },
  billing: {
    taxRatePercent: setting('tax_rate', 0, percent),
    taxInclusive: setting<boolean>('tax_inclusive', false, flag),
    invoiceDaysBefore: setting('invoice_days_before', 7, days),
    priceChangeDays: setting('price_change_days', 30, days),
    suspendDays: setting('suspend_days', 2, days),
    terminateDays: setting('terminate_days', 14, days),
    invoicePrefix: setting(
      'invoice_prefix',
      'INV-',
      z.string().regex(/^[A-Za-z0-9/_-]{0,20}$/, 'must be at most 20 letters, digits, /, _ or -'),
    ),
    taxRates: setting('tax_rates', '', taxRates),
    paymentDays: setting('payment_days', 7, days),
    reminderDays: setting('reminder_days', 3, days),
    sellerName: setting('seller_name', '', line(200)),
    sellerAddress: setting('seller_address', '', line(500)),
    sellerVatNumber: setting('seller_vat_number', '', line(50)),
    bankAccountHolder: setting('bank_account_holder', '', line(70)),
    bankIban: setting('bank_iban', '', iban),
    bankBic: setting('bank_bic', '', bic),
    bankInstructions: setting('bank_instructions', '', line(500)),
    taxScheme: word('tax_scheme', 'fixed', ['none', 'fixed', 'eu']),
    sellerCountry: setting('seller_country', '', country),
    sellerVatNumbers: setting('seller_vat_numbers', '', vatNumbers),
    oss: setting<boolean>('oss', false, flag),
    vatCheck: word('vat_check', 'off', ['off', 'accept', 'tax']),
    eInvoice: setting<boolean>('e_invoice', false, flag),
    sellerPostcode: setting('seller_postcode', '', line(20)),
    sellerCity: setting('seller_city', '', line(100)),
    sellerTaxNumber: setting('seller_tax_number', '', line(50)),
    sellerContact: setting('seller_contact', '', line(100)),
    sellerPhone: setting('seller_phone', '', line(50)),
    sellerEmail: setting('seller_email', '', z.literal('').or(mailAddress)),
    datevConsultant: setting('datev_consultant', 0, noneOr(1_001, 9_999_999)),
    datevClient: setting('datev_client', 0, noneOr(1, 99_999)),
    datevFiscalMonth: setting('datev_fiscal_month', 1, integer(1, 12)),
    datevAccountDigits: setting('datev_account_digits', 4, integer(4, 8)),
    datevAccounts: setting('datev_accounts', skr03, datevAccounts),
  },
  servers: {
    defaultMemoryMb: setting('default_memory', 1024, integer(128, 16_777_216)),
    defaultDiskMb: setting('default_disk', 5120, integer(0, 1_073_741_824)),
    defaultCpuPercent: setting('default_cpu', 100, integer(0, 100_000)),
    consoleHistoryLines: setting('console_history', 150, integer(0, 1000)),
  },
  brand: {
    name: setting('name', '', line(100)),
    logo: setting('logo', '', logo),
    primaryColour: setting('primary_colour', '', colour),
    accentColour: setting('accent_colour', '', colour),
  },
};

type Table = typeof settingTable;
type SettingGroup = keyof Table;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

export type Settings = {
  readonly [G in SettingGroup]: { readonly [F in keyof Table[G]]: ValueOf<Table[G][F]> };
};

/** Unchecked, by group and field. Missing equals undefined. */
export type SettingsInput = { readonly [G in SettingGroup]?: { readonly [F in keyof Table[G]]?: unknown } | undefined };

/** Checked, by path ("mail.host"). */
export type SettingChanges = Readonly<Record<string, SettingValue>>;

/** Shown for secrets. Written back, it keeps the stored value. */
export const secretMask = '********';

export function settingPaths(): {
  readonly group: SettingGroup;
  readonly field: string;
  readonly path: string;
  /** REST name, e.g. "mail.from_address". */
  readonly restPath: string;
  readonly setting: Setting;
}[] {
  return Object.entries(settingTable).flatMap(([group, settings]) =>
    Object.entries(settings).map(([field, setting]) => ({
      group: group as SettingGroup,
      field,
      path: `${group}.${field}`,
      restPath: `${group}.${(setting as Setting).restName}`,
      setting: setting as Setting,
    })),
  );
}

/** With defaults for unset ones. */
export function completeSettings(
  stored: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>,
): Settings {
  const complete: Record<string, Record<string, unknown>> = {};
  for (const { group, field, setting } of settingPaths()) {
    complete[group] ??= {};
    complete[group][field] = stored[group]?.[field] ?? setting.initial;
  }
  // both sides derive from the table
  return complete as Settings;
}
