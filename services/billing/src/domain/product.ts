/** How often a plan is paid; `once` buys permanently, `free` costs nothing, `metered` is paid as it is used. */
export type PlanInterval = 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';

export const planIntervals: readonly PlanInterval[] = ['day', 'week', 'month', 'year', 'once', 'free', 'metered'];

/** Prices of a metered plan, in millionths of a minor unit. */
export interface UsageRates {
  readonly runningHourMicros: number;
  readonly memoryGbHourMicros: number;
  readonly diskGbHourMicros: number;
  readonly trafficGbMicros: number;
  /** The most a calendar month costs, in minor units; 0: no cap. */
  readonly monthlyCapMinor: number;
}

/** One way to pay for a product. Amounts in minor units of `currency` (ISO 4217). */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly priceMinor: number;
  readonly setupFeeMinor: number;
  readonly currency: string;
  readonly interval: PlanInterval;
  readonly intervalCount: number;
  /** Of metered plans only. */
  readonly usageRates: UsageRates | null;
}

export const autoStarts = ['always', 'unless_stopped', 'never'] as const;
export type AutoStart = (typeof autoStarts)[number];

/** The server a product is provisioned as. */
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
  /** How the server runs; what is not given is as for other servers of the egg. */
  readonly autoStart?: AutoStart | undefined;
  /** IANA name. */
  readonly timezone?: string | undefined;
  /** Processors like "0-3,6". */
  readonly threads?: string | undefined;
  readonly oomDisabled?: boolean | undefined;
  readonly stopGraceSeconds?: number | undefined;
}

/** Something the store sells. */
export interface Product {
  readonly id: string;
  readonly name: string;
  /** Unique, for addresses in a shop. */
  readonly slug: string;
  readonly description: string;
  readonly category: string;
  /** Whether customers see it. */
  readonly active: boolean;
  /** Units that can still be sold; null: unlimited. */
  readonly stock: number | null;
  /** Null: unlimited. */
  readonly perUserLimit: number | null;
  readonly plans: readonly Plan[];
  readonly server: ServerTemplate;
  /** Products a subscription of this one may change to. */
  readonly upgradeProductIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A plan by its id; of an empty id the first one. */
export function planOf(product: Product, planId: string): Plan | undefined {
  return planId === '' ? product.plans[0] : product.plans.find(({ id }) => id === planId);
}
