import { z } from 'zod';

/*
 * The same shape for reading and writing. A PUT names only what it changes; the admin service checks what the values mean
 * (a time zone that exists, an address that can be linked to), here they only get their form.
 */
const text = (max = 255) => z.string().max(max);
const days = z.int().min(0).max(365);
const megabytes = z.int().min(0).max(2_147_483_647);

const general = z.strictObject({
  name: text(),
  url: text(2048),
  locale: text(35),
  timezone: text(64),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code like EUR'),
  registration: z.boolean(),
});

const mail = z.strictObject({
  driver: z.enum(['smtp', 'log']),
  host: text(253),
  port: z.int().min(1).max(65_535),
  encryption: z.enum(['none', 'starttls', 'tls']),
  username: text(320),
  password: text(1024).describe('reads "********"; writing that back keeps it'),
  from_address: text(320),
  from_name: text(),
});

const security = z.strictObject({
  require_2fa: z.enum(['none', 'admins', 'all']),
  sessions_per_user: z.int().min(1).max(1000),
});

const billing = z.strictObject({
  tax_rate: z.number().min(0).max(100).describe('percent'),
  tax_inclusive: z.boolean(),
  invoice_days_before: days,
  suspend_days: days,
  terminate_days: days,
  invoice_prefix: text(32),
  tax_rates: text(2000).describe('percent by country, like DE=19,FR=20'),
  payment_days: days,
  reminder_days: days,
  seller_name: text(200),
  seller_address: text(500),
  seller_vat_number: text(50),
});

const servers = z.strictObject({
  default_memory: megabytes,
  default_disk: megabytes,
  default_cpu: z.int().min(0).max(100_000),
  console_history: z.int().min(0).max(1000).describe('lines a socket gets on connect'),
});

const colour = text(7).describe("like #1a2b3c; empty for the console's own");

const brand = z.strictObject({
  name: text(100).describe('empty: the name of the panel'),
  logo: text(360_000).meta({
    description: 'a PNG, WebP or JPEG of at most 256 KiB as a data URL; empty for none',
    examples: [''],
  }),
  primary_colour: colour,
  accent_colour: colour,
});

export const settings = z
  .strictObject({
    general: general.partial(),
    mail: mail.partial(),
    security: security.partial(),
    billing: billing.partial(),
    servers: servers.partial(),
    brand: brand.partial(),
  })
  .meta({ id: 'Settings' });

export const testMailBody = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .meta({ description: 'without it the mail goes to you', examples: ['someone@example.com'] }),
});

export const testMailResponse = z.strictObject({ accepted: z.boolean(), message_id: z.string() });

export const updateSettingsBody = settings.partial();
