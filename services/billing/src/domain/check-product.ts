import { addProblem, fieldProblem, type FieldReason, invalidFields, issueMessages } from '@panel/kit/errors';
import {
  isCommandLine,
  isOneLine,
  isPlainText,
  isProcessorList,
  isTimezone,
  maxProcessor,
  parseImageReference,
  snakeCase,
} from '@panel/kit/text';
import { z } from 'zod';
import { maxPriceMinor } from './money.js';
import { autoStarts, type Plan, planIntervals, type Product } from './product.js';

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.number(message).int(message).min(min, message).max(max, message);
};
const line = (max: number) =>
  z.string().trim().max(max).refine(isOneLine, 'must be one line without control characters');
const price = whole(0, maxPriceMinor);
const micros = whole(0, 1_000_000_000_000);

const planSchema = z.object({
  id: z.union([z.literal(''), z.uuid()]),
  name: line(100),
  priceMinor: price,
  setupFeeMinor: price,
  currency: z.string(),
  interval: z.enum(planIntervals),
  intervalCount: whole(1, 100),
  usageRates: z
    .object({
      runningHourMicros: micros,
      memoryGbHourMicros: micros,
      diskGbHourMicros: micros,
      trafficGbMicros: micros,
      monthlyCapMinor: price,
    })
    .nullable(),
});

const serverSchema = z.object({
  eggId: z.uuid('must be the id of an egg'),
  memoryMb: whole(128, 16_777_216),
  cpuPercent: whole(0, 100_000),
  diskMb: whole(0, 1_073_741_824),
  swapMb: whole(-1, 16_777_216),
  ioWeight: whole(10, 1000),
  databasesLimit: whole(0, 1000),
  backupsLimit: whole(0, 1000),
  allocationsLimit: whole(0, 1000),
  nodeTags: z.array(line(64)).max(50),
  environment: z.record(
    z.string().regex(/^[A-Za-z_]\w{0,190}$/),
    z.string().max(4096).refine(isCommandLine, 'must be one line without control characters'),
  ),
  dockerImage: z
    .string()
    .refine((image) => parseImageReference(image) !== null, 'must be an image reference like ghcr.io/owner/image:tag')
    .nullable(),
  autoStart: z.enum(autoStarts).optional(),
  timezone: z.string().refine(isTimezone, 'must be a time zone like Europe/Berlin').optional(),
  threads: z.string().refine(isProcessorList, `must be processors from 0 to ${maxProcessor} like 0-3,6`).optional(),
  oomDisabled: z.boolean().optional(),
  stopGraceSeconds: whole(1, 86_400).optional(),
});

const productSchema = z.object({
  name: line(191).min(1, 'must not be empty'),
  slug: z
    .string()
    .max(100)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be small letters, digits and - between them'),
  description: z.string().max(10_000).refine(isPlainText, 'must not hold control characters'),
  category: line(100),
  active: z.boolean(),
  stock: whole(0, 1_000_000_000).nullable(),
  perUserLimit: whole(1, 1_000_000).nullable(),
  plans: z.array(planSchema).min(1, 'must be at least one').max(20),
  server: serverSchema,
  upgradeProductIds: z.array(z.uuid()).max(100),
});

export type ProductFields = Omit<Product, 'id' | 'createdAt' | 'updatedAt'>;

/** Throws INVALID_FIELDS with REST names. */
export function checkProduct<F extends Partial<ProductFields>>(fields: F, currency: string): F {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const result = productSchema.partial().safeParse(given, { reportInput: true });
  const problems = issueMessages(result.error?.issues ?? [], restName);
  for (const [index, plan] of (fields.plans ?? []).entries()) {
    for (const [field, reason, message] of planProblems(plan, currency)) {
      addProblem(problems, `plans.${index}.${field}`, fieldProblem(reason, message));
    }
  }
  if (!result.data || Object.keys(problems).length > 0) throw invalidFields(problems);
  // All fields of the schema are optional.
  return result.data as unknown as F;
}

function planProblems(plan: Omit<Plan, 'id'>, currency: string): [string, FieldReason, string][] {
  const isMetered = plan.interval === 'metered';
  const rules: [boolean, string, FieldReason, string][] = [
    [plan.currency === currency, 'price', 'not_allowed', `must be in ${currency}, the currency of the settings`],
    [
      plan.interval !== 'free' || plan.priceMinor + plan.setupFeeMinor === 0,
      'price',
      'conflicting',
      'must be 0 for a free plan',
    ],
    [
      !isMetered || plan.priceMinor === 0,
      'price',
      'conflicting',
      'must be 0 for a metered plan: usage_rates say what it costs',
    ],
    [
      isMetered === (plan.usageRates !== null),
      'usage_rates',
      'conflicting',
      'must be given exactly with the interval metered',
    ],
  ];
  return rules.filter(([isFine]) => !isFine).map(([, field, reason, message]) => [field, reason, message]);
}

const restNames: Record<string, string> = {
  priceMinor: 'price',
  setupFeeMinor: 'setup_fee',
  memoryMb: 'memory',
  cpuPercent: 'cpu',
  diskMb: 'disk',
  swapMb: 'swap',
  ioWeight: 'io',
  monthlyCapMinor: 'monthly_cap',
  stopGraceSeconds: 'stop_grace',
};

function restName(name: string, before: readonly string[]): string {
  if (before.at(-1) === 'environment') return name;
  return restNames[name] ?? snakeCase(name);
}
