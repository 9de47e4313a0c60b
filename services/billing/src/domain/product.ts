import {
  amount,
  count,
  date,
  flag,
  id,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
  textMap,
} from '@panel/kit/records';

/** `once`: permanent; `metered`: paid per use. */
export type PlanInterval = 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';

export const planIntervals: readonly PlanInterval[] = ['day', 'week', 'month', 'year', 'once', 'free', 'metered'];

/** In millionths of a minor unit. */
const usageRatesFields = {
  runningHourMicros: amount,
  memoryGbHourMicros: amount,
  diskGbHourMicros: amount,
  trafficGbMicros: amount,
  /** Per calendar month, in minor units; 0: no cap. */
  monthlyCapMinor: amount,
};
export type UsageRates = RecordOf<typeof usageRatesFields>;

/** Amounts in minor units of `currency` (ISO 4217). */
export const planFields = {
  id,
  name: text,
  priceMinor: amount,
  setupFeeMinor: amount,
  currency: id,
  interval: oneOf(planIntervals),
  intervalCount: count,
  /** Metered plans only. */
  usageRates: orNull(part(usageRatesFields)),
};
export type Plan = RecordOf<typeof planFields>;

export const autoStarts = ['always', 'unless_stopped', 'never'] as const;
export type AutoStart = (typeof autoStarts)[number];

/** Provisioned for a product. */
export const serverTemplateFields = {
  eggId: id,
  memoryMb: count,
  cpuPercent: count,
  diskMb: count,
  swapMb: count,
  ioWeight: count,
  databasesLimit: count,
  backupsLimit: count,
  allocationsLimit: count,
  nodeTags: listOf(text),
  environment: textMap,
  /** Null: the egg's first image. */
  dockerImage: orNull(text),
  /** Missing run settings: defaults of the egg. */
  autoStart: optional(oneOf(autoStarts)),
  /** IANA name. */
  timezone: optional(text),
  /** Processors like "0-3,6". */
  threads: optional(text),
  oomDisabled: optional(flag),
  stopGraceSeconds: optional(number),
};
export type ServerTemplate = RecordOf<typeof serverTemplateFields>;

export const productFields = {
  id,
  name: id,
  /** Unique, for shop URLs. */
  slug: id,
  description: text,
  category: text,
  /** Visible to customers. */
  active: flag,
  /** Units left; null: unlimited. */
  stock: orNull(number),
  /** Null: unlimited. */
  perUserLimit: orNull(number),
  plans: listOf(part(planFields)),
  server: part(serverTemplateFields),
  upgradeProductIds: listOf(text),
  createdAt: date,
  updatedAt: date,
};
export type Product = RecordOf<typeof productFields>;

/** An empty id means the first plan. */
export function planOf(product: Product, planId: string): Plan | undefined {
  return planId === '' ? product.plans[0] : product.plans.find(({ id }) => id === planId);
}
