import type { PlanInterval } from './product.js';
export interface RevenueRow {
  readonly month: string;
  readonly productId: string;
  readonly productName: string;
  readonly currency: string;
  readonly revenueMinor: number;
  readonly invoices: number;
}

export interface ActiveSum {
  readonly interval: PlanInterval;
  readonly intervalCount: number;
  readonly priceMinor: number;
  readonly subscriptions: number;
}
