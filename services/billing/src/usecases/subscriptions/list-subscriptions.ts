import type { PageQuery } from '@panel/kit/mongo';
import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { SubscriptionStatus } from '../../domain/subscription.js';
import { type ListScope, ownerFilter } from '../../domain/own-or-staff.js';

/** `status` null: all. */
export async function listSubscriptions(
  { subscriptions }: BillingContext,
  { status, ...scope }: ListScope & { readonly status: SubscriptionStatus | null },
  page: PageQuery,
  caller: Caller,
) {
  return subscriptions.list({ ...ownerFilter(caller, scope), ...(status === null ? {} : { status }) }, page);
}
