import {
  BillingSettings,
  BillingSettings_TaxScheme,
  BillingSettings_VatCheck,
  BrandSettings,
  GeneralSettings,
  MailSettings,
  MailSettings_Driver,
  MailSettings_Encryption,
  SecuritySettings,
  SecuritySettings_RequireTwoFactor,
  ServerSettings,
  Settings,
} from '@panel/protos/admin';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

/* PUTs name only changes. The admin service validates meanings (time zones, linkable URLs), the gateway the form. */
function setting<K extends string, T>(key: K, schema: z.ZodType<T, T>) {
  const optional = schema.optional();
  return is.plain(key, optional).settable(optional);
}

function choice<K extends string, E extends Readonly<Record<string, string>>>(key: K, values: E) {
  type Value = E[keyof E] | undefined;
  const { shown, show, read } = is.word(key, values);
  const schema = shown.schema.optional();
  const showSet = (value: Value) => (value === undefined || value === values['UNSPECIFIED'] ? undefined : show(value));
  return new is.KeyField(key, schema, showSet, (word: Parameters<typeof read>[0]): Value => read(word)).settable(
    schema,
  );
}

const text = (max = 255) => z.string().max(max);
const days = z.int().min(0).max(365);
const megabytes = z.int().min(0).max(2_147_483_647);
const colour = text(7).describe("like #1a2b3c; empty for the console's own");

const general = resource(GeneralSettings, '', {
  name: setting('name', text()),
  url: setting('url', text(2048)),
  locale: setting('locale', text(35)),
  timezone: setting('timezone', text(64)),
  currency: setting('currency', z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code like EUR')),
  registration: setting('registration', z.boolean()),
});

const mail = resource(MailSettings, '', {
  driver: choice('driver', MailSettings_Driver),
  host: setting('host', text(253)),
  port: setting('port', z.int().min(1).max(65_535)),
  encryption: choice('encryption', MailSettings_Encryption),
  username: setting('username', text(320)),
  password: setting('password', text(1024).describe('reads "********"; writing that back keeps it')),
  from_address: setting('fromAddress', text(320)),
  from_name: setting('fromName', text()),
});

const security = resource(SecuritySettings, '', {
  require_2fa: choice('requireTwoFactor', SecuritySettings_RequireTwoFactor),
  sessions_per_user: setting('sessionsPerUser', z.int().min(1).max(1000)),
});

const billing = resource(BillingSettings, '', {
  tax_rate: setting('taxRatePercent', z.number().min(0).max(100).describe('percent')),
  tax_inclusive: setting('taxInclusive', z.boolean()),
  invoice_days_before: setting('invoiceDaysBefore', days),
  price_change_days: setting('priceChangeDays', days),
  suspend_days: setting('suspendDays', days),
  terminate_days: setting('terminateDays', days),
  invoice_prefix: setting('invoicePrefix', text(32)),
  tax_rates: setting(
    'taxRates',
    text(2000).describe('percent by country, like DE=19,FR=20; from a day on like EE=24@2025-07-01'),
  ),
  payment_days: setting('paymentDays', days),
  reminder_days: setting('reminderDays', days),
  seller_name: setting('sellerName', text(200)),
  seller_address: setting('sellerAddress', text(500)),
  seller_vat_number: setting('sellerVatNumber', text(50)),
  bank_account_holder: setting('bankAccountHolder', text(70)),
  bank_iban: setting(
    'bankIban',
    text(50).meta({ description: 'for transfers; spaces are removed', examples: ['DE02120300000000202051'] }),
  ),
  bank_bic: setting('bankBic', text(20).meta({ examples: ['BYLADEM1001'] })),
  bank_instructions: setting('bankInstructions', text(500).describe('what else a transfer needs')),
  tax_scheme: choice('taxScheme', BillingSettings_TaxScheme),
  seller_country: setting('sellerCountry', text(2).describe('ISO 3166-1 alpha-2')),
  seller_vat_numbers: setting('sellerVatNumbers', text(500).describe('further ones, separated by commas')),
  oss: setting('oss', z.boolean().describe('consumers in the EU pay the rate of their country')),
  vat_check: choice('vatCheck', BillingSettings_VatCheck),
  e_invoice: setting(
    'eInvoice',
    z
      .boolean()
      .meta({ description: 'PDFs of invoices hold the invoice as XML; needs the seller_ settings', examples: [false] }),
  ),
  seller_postcode: setting('sellerPostcode', text(20).meta({ examples: ['10115'] })),
  seller_city: setting('sellerCity', text(100).meta({ examples: ['Berlin'] })),
  seller_tax_number: setting('sellerTaxNumber', text(50).describe('of the tax office, without a VAT number')),
  seller_contact: setting('sellerContact', text(100).describe('whom buyers ask; for XRechnung, as the next two')),
  seller_phone: setting('sellerPhone', text(50).meta({ examples: ['+49 30 123456'] })),
  seller_email: setting('sellerEmail', text(320).meta({ examples: ['billing@example.com'] })),
  datev_consultant: setting('datevConsultant', z.int().min(0).max(9_999_999).describe('0: none')),
  datev_client: setting('datevClient', z.int().min(0).max(99_999).describe('0: none')),
  datev_fiscal_month: setting('datevFiscalMonth', z.int().min(1).max(12).describe('in which the fiscal year begins')),
  datev_account_digits: setting('datevAccountDigits', z.int().min(4).max(8)),
  datev_accounts: setting(
    'datevAccounts',
    text(2000).describe('by account of the journal, like cash=1360,cash:manual=1200,tax:DE:1900=1776'),
  ),
});

const servers = resource(ServerSettings, '', {
  default_memory: setting('defaultMemoryMb', megabytes),
  default_disk: setting('defaultDiskMb', megabytes),
  default_cpu: setting('defaultCpuPercent', z.int().min(0).max(100_000)),
  console_history: setting('consoleHistoryLines', z.int().min(0).max(1000).describe('lines a socket gets on connect')),
});

const brand = resource(BrandSettings, '', {
  name: setting('name', text(100).describe('empty: the name of the panel')),
  logo: setting(
    'logo',
    text(360_000).meta({
      description: 'a PNG, WebP or JPEG of at most 256 KiB as a data URL; empty for none',
      examples: [''],
    }),
  ),
  primary_colour: setting('primaryColour', colour),
  accent_colour: setting('accentColour', colour),
});

export const settings = resource(Settings, 'Settings', {
  general: is.part('general', general).settable(general.schema),
  mail: is.part('mail', mail).settable(mail.schema),
  security: is.part('security', security).settable(security.schema),
  billing: is.part('billing', billing).settable(billing.schema),
  servers: is.part('servers', servers).settable(servers.schema),
  brand: is.part('brand', brand).settable(brand.schema),
});

export const testMailBody = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .meta({ description: 'without it the mail goes to you', examples: ['someone@example.com'] }),
});

export const mailTemplates = z.strictObject({
  names: z.array(z.string()).meta({ examples: [['service.suspended.overdue']] }),
  languages: z.array(z.string()).describe('BCP 47'),
});

export const mailTemplateQuery = z.object({
  language: z
    .string()
    .max(35)
    .optional()
    .meta({ description: "BCP 47; without it the panel's, English for one without texts", examples: ['de'] }),
});

export const mailPreview = z.strictObject({ subject: z.string(), text: z.string(), html: z.string() });

export const testMailResponse = z.strictObject({ accepted: z.boolean(), message_id: z.string() });
