import {
  type Coupon,
  Coupon_Type,
  CreateCouponRequest,
  CreateProductRequest,
  type Plan,
  Plan_Interval,
  ServerTemplate,
  UpdateCouponRequest,
  UpdateProductRequest,
} from '@panel/protos/billing';
import type { z } from 'zod';
import { enumWord, isoTime, isoTimeOf, textOrNull } from '../../declaration/present.js';
import { readMoney } from '../billing/money.js';
import type {
  coupon,
  CreateCouponBody,
  CreateProductBody,
  PlanBody,
  ServerBody,
  UpdateCouponBody,
  UpdateProductBody,
} from './schema.js';

type PresentedCoupon = z.input<typeof coupon>;

export function presentCoupon(message: Coupon): PresentedCoupon {
  return {
    id: message.id,
    code: message.code,
    type: enumWord(message.type, 'TYPE_') as PresentedCoupon['type'],
    value: message.value,
    currency: textOrNull(message.currency),
    product_ids: message.productIds,
    max_uses: message.maxUses ?? null,
    uses: message.uses,
    max_uses_per_user: message.maxUsesPerUser ?? null,
    recurring: message.recurring ?? null,
    starts_at: isoTime(message.startTime),
    expires_at: isoTime(message.expireTime),
    created_at: isoTimeOf(message.createTime),
  };
}

/** `currency` is that of the shop, for amounts that name none. */
export function createProductRequest(body: CreateProductBody, currency: string): CreateProductRequest {
  const { price, plans, stock, per_user_limit: perUserLimit, upgrade_product_ids: upgradeProductIds, ...fields } = body;
  const product = {
    ...fields,
    slug: body.slug ?? slugOf(body.name),
    stock: stock ?? undefined,
    perUserLimit: perUserLimit ?? undefined,
    plans: (plans ?? [monthly(price ?? 0)]).map((plan) => readPlan(plan, currency)),
    server: readServer(body.server),
    upgradeProductIds,
  };
  return CreateProductRequest.fromPartial({ product });
}

export function updateProductRequest(productId: string, body: UpdateProductBody, currency: string) {
  const { name, slug, description, category, active, stock, per_user_limit: perUserLimit, price } = body;
  const plans = body.plans ?? (price === undefined ? undefined : [monthly(price)]);
  return UpdateProductRequest.fromPartial({
    productId,
    name,
    slug,
    description,
    category,
    active,
    stock: optionalCount(stock),
    perUserLimit: optionalCount(perUserLimit),
    plans: plans && { plans: plans.map((plan) => readPlan(plan, currency)) },
    server: body.server && readServer(body.server),
    upgradeProductIds: body.upgrade_product_ids && { productIds: body.upgrade_product_ids },
  });
}

export function createCouponRequest(body: CreateCouponBody): CreateCouponRequest {
  return CreateCouponRequest.fromPartial({
    coupon: {
      code: body.code,
      type: body.type === 'percent' ? Coupon_Type.PERCENT : Coupon_Type.FIXED,
      value: body.value,
      productIds: body.product_ids,
      maxUses: body.max_uses ?? undefined,
      maxUsesPerUser: body.max_uses_per_user ?? undefined,
      recurring: body.recurring ?? undefined,
      startTime: dateOf(body.starts_at) ?? undefined,
      expireTime: dateOf(body.expires_at) ?? undefined,
    },
  });
}

export function updateCouponRequest(couponId: string, body: UpdateCouponBody): UpdateCouponRequest {
  return UpdateCouponRequest.fromPartial({
    couponId,
    code: body.code,
    value: body.value,
    productIds: body.product_ids && { productIds: body.product_ids },
    maxUses: optionalCount(body.max_uses),
    maxUsesPerUser: optionalCount(body.max_uses_per_user),
    recurring: optionalCount(body.recurring),
    startTime: body.starts_at === undefined ? undefined : { value: dateOf(body.starts_at) ?? undefined },
    expireTime: body.expires_at === undefined ? undefined : { value: dateOf(body.expires_at) ?? undefined },
  });
}

/** Given, as none, or not given. */
function optionalCount(value: number | null | undefined) {
  return value === undefined ? undefined : { value: value ?? undefined };
}

function dateOf(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}

function monthly(price: PlanBody['price']): PlanBody {
  const rest = { setup_fee: null, interval: 'month' as const, interval_count: 1, usage_rates: null };
  return { id: '', name: 'Monthly', price, ...rest };
}

function readPlan(plan: PlanBody, currency: string): Plan {
  const money = (given: PlanBody['price']) => {
    const amount = readMoney(given);
    return { ...amount, currency: amount.currency || currency };
  };
  const rates = plan.usage_rates;
  return {
    id: plan.id,
    name: plan.name,
    price: money(plan.price),
    setupFee: plan.setup_fee === null ? undefined : money(plan.setup_fee),
    interval: intervals[plan.interval],
    intervalCount: plan.interval_count,
    usageRates: rates
      ? {
          runningHourMicros: rates.running_hour_micros,
          memoryGbHourMicros: rates.memory_gb_hour_micros,
          diskGbHourMicros: rates.disk_gb_hour_micros,
          trafficGbMicros: rates.traffic_gb_micros,
          monthlyCapMinor: rates.monthly_cap,
        }
      : undefined,
  };
}

const intervals: Readonly<Record<PlanBody['interval'], Plan_Interval>> = {
  day: Plan_Interval.DAY,
  week: Plan_Interval.WEEK,
  month: Plan_Interval.MONTH,
  year: Plan_Interval.YEAR,
  once: Plan_Interval.ONCE,
  free: Plan_Interval.FREE,
  metered: Plan_Interval.METERED,
};

function readServer(server: ServerBody): ServerTemplate {
  return ServerTemplate.fromPartial({
    eggId: server.egg_id,
    memoryMb: server.memory,
    cpuPercent: server.cpu,
    diskMb: server.disk,
    swapMb: server.swap,
    ioWeight: server.io,
    databasesLimit: server.databases_limit,
    backupsLimit: server.backups_limit,
    allocationsLimit: server.allocations_limit,
    nodeTags: server.node_tags,
    environment: server.environment,
    dockerImage: server.docker_image ?? '',
    autoStart: server.auto_start,
    timezone: server.timezone ?? undefined,
    threads: server.threads?.replaceAll(' ', ''),
    oomDisabled: server.oom_disabled,
    stopGraceSeconds: server.stop_grace ?? undefined,
  });
}

function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 100) || 'product';
}
