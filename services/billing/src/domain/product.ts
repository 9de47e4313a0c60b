/** `once`: permanent; `metered`: paid per use. */
export type PlanInterval = 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';

export const planIntervals: readonly PlanInterval[] = ['day', 'week', 'month', 'year', 'once', 'free', 'metered'];

/** In millionths of a minor unit. */
export interface UsageRates {
  readonly runningHourMicros: number;
  readonly memoryGbHourMicros: number;
  readonly diskGbHourMicros: number;
  readonly trafficGbMicros: number;
  /** Per calendar month, in minor units; 0: no cap. */
  readonly monthlyCapMinor: number;
}

/** Amounts in minor units of `currency` (ISO 4217). */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly priceMinor: number;
  readonly setupFeeMinor: number;
  readonly currency: string;
  readonly interval: PlanInterval;
  readonly intervalCount: number;
  /** Metered plans only. */
  readonly usageRates: UsageRates | null;
}

export const autoStarts = ['always', 'unless_stopped', 'never'] as const;
export type AutoStart = (typeof autoStarts)[number];

/** Provisioned for a product. */
export interface ServerTemplate {
  readonly eggId: string;
  readonly memoryMb: number;
  readonly cpuPercent: number;
  readonly diskMb: number;
  readonly swapMb: number;
  readonly ioWeight: number;
  readonly databasesLimit: number;
  readonly backupsLimit: number;
  readonly allocationsLimit: number;
  readonly nodeTags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Null: the egg's first image. */
  readonly dockerImage: string | null;
  /** Missing run settings: defaults of the egg. */
  readonly autoStart?: AutoStart | undefined;
  /** IANA name. */
  readonly timezone?: string | undefined;
  /** Processors like "0-3,6". */
  readonly threads?: string | undefined;
  readonly oomDisabled?: boolean | undefined;
  readonly stopGraceSeconds?: number | undefined;
}

export interface Product {
  readonly id: string;
  readonly name: string;
  /** Unique, for shop URLs. */
  readonly slug: string;
  readonly description: string;
  readonly category: string;
  /** Visible to customers. */
  readonly active: boolean;
  /** Units left; null: unlimited. */
  readonly stock: number | null;
  /** Null: unlimited. */
  readonly perUserLimit: number | null;
  readonly plans: readonly Plan[];
  readonly server: ServerTemplate;
  readonly upgradeProductIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An empty id means the first plan. */
export function planOf(product: Product, planId: string): Plan | undefined {
  return planId === '' ? product.plans[0] : product.plans.find(({ id }) => id === planId);
}
