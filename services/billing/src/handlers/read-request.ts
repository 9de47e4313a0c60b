import { type Caller, isStaff, requireStaff, requireUser } from '@panel/rpc';
import type { PageQuery } from '@panel/kit/mongo';
import {
  type Invoice_Status,
  type ItemConfig as ConfigMessage,
  type Order_Status,
  type Plan as PlanMessage,
  Scope,
  type ServerTemplate as TemplateMessage,
  type Service_Status,
} from '@panel/protos/billing';
import type { PageInfo } from '@panel/protos/common';
import type { ItemConfig } from '../domain/cart.js';
import { type InvoiceStatus, invoiceStatuses } from '../domain/invoice.js';
import { type OrderStatus, orderStatuses } from '../domain/order.js';
import { type AutoStart, type Plan, planIntervals, type ServerTemplate } from '../domain/product.js';
import { type ServiceStatus, serviceStatuses } from '../domain/service.js';
import { wordOf } from '../present/words.js';

/** All but the one before a decision, which no list shows. */
const listedOrderStatuses = orderStatuses.filter((status) => status !== 'placing');

/** Whose objects a list shows: the caller's own, or for staff everybody's or one user's. */
export function readScope(
  call: Caller,
  { scope, userId }: { readonly scope: Scope; readonly userId: string },
): { readonly userId?: string } {
  if (scope === Scope.ALL) {
    requireStaff(call);
    return userId === '' ? {} : { userId };
  }
  return { userId: requireUser(call.actor).userId };
}

/** Whether the caller may use an object: their own, or any for staff by the row of the RPC. */
export function mayUse(call: Caller, ownerId: string): boolean {
  return (call.actor.kind === 'user' && call.actor.userId === ownerId) || isStaff(call);
}

export function readInvoiceStatus(status: Invoice_Status): InvoiceStatus | null {
  return wordOf(status, 'STATUS_', invoiceStatuses);
}

export function readOrderStatus(status: Order_Status): OrderStatus | null {
  return wordOf(status, 'STATUS_', listedOrderStatuses);
}

export function readServiceStatus(status: Service_Status): ServiceStatus | null {
  return wordOf(status, 'STATUS_', serviceStatuses);
}

/** `{ status }` when there is one. */
export function statusFilter<S>(status: S | null): { readonly status?: S } {
  return status === null ? {} : { status };
}

export function readConfig(config: ConfigMessage | undefined): ItemConfig {
  return { serverName: config?.serverName ?? '', environment: { ...config?.environment } };
}

export function readPlan(plan: PlanMessage): Plan {
  return {
    id: plan.id,
    name: plan.name,
    priceMinor: plan.price?.amountMinor ?? 0,
    setupFeeMinor: plan.setupFee?.amountMinor ?? 0,
    // Fees in another currency than the price are refused with the currency they have.
    currency: plan.setupFee && plan.setupFee.currency !== plan.price?.currency ? '' : (plan.price?.currency ?? ''),
    interval: wordOf(plan.interval, 'INTERVAL_', planIntervals) ?? 'month',
    intervalCount: plan.intervalCount || 1,
    usageRates: plan.usageRates ?? null,
  };
}

export function readTemplate(template: TemplateMessage): ServerTemplate {
  const { dockerImage, environment, nodeTags, autoStart, ...limits } = template;
  return {
    ...limits,
    autoStart: autoStart === undefined ? undefined : (autoStart as AutoStart), // what is none is refused with the rest
    nodeTags: [...nodeTags],
    environment: { ...environment },
    dockerImage: dockerImage === '' ? null : dockerImage,
  };
}

export function pageInfo({ page, perPage }: PageQuery, total: number): PageInfo {
  return { page, perPage, total };
}
