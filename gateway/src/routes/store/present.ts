import type {
  Cart,
  CheckoutResponse,
  ItemConfig,
  Order,
  OrderItem,
  Plan,
  Product,
  ServerTemplate,
} from '@panel/protos/billing';
import type { z } from 'zod';
import { enumWord, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import { presentMoney } from '../billing/money.js';
import { presentInvoice, presentService } from '../billing/present.js';
import { runSettings } from '../admin-servers/resource.js';
import type { cart, checkoutResult, order, product } from './schema.js';

type PresentedProduct = z.input<typeof product>;
type PresentedPlan = PresentedProduct['plans'][number];

export function presentProduct(message: Product): PresentedProduct {
  return {
    id: message.id,
    name: message.name,
    slug: message.slug,
    description: message.description,
    category: message.category,
    active: message.active,
    stock: message.stock ?? null,
    per_user_limit: message.perUserLimit ?? null,
    plans: message.plans.map(presentPlan),
    server: message.server ? presentTemplate(message.server) : null,
    upgrade_product_ids: message.upgradeProductIds,
    created_at: isoTimeOf(message.createTime),
    updated_at: isoTimeOf(message.updateTime),
  };
}

function presentPlan(plan: Plan): PresentedPlan {
  return {
    id: plan.id,
    name: plan.name,
    price: presentMoney(plan.price),
    setup_fee: plan.setupFee ? presentMoney(plan.setupFee) : null,
    interval: enumWord(plan.interval, 'INTERVAL_') as PresentedPlan['interval'],
    interval_count: plan.intervalCount,
    usage_rates: plan.usageRates
      ? {
          running_hour_micros: plan.usageRates.runningHourMicros,
          memory_gb_hour_micros: plan.usageRates.memoryGbHourMicros,
          disk_gb_hour_micros: plan.usageRates.diskGbHourMicros,
          traffic_gb_micros: plan.usageRates.trafficGbMicros,
          monthly_cap: plan.usageRates.monthlyCapMinor,
        }
      : null,
  };
}

const autoStarts = runSettings.schema.shape.auto_start.options;

function presentTemplate(template: ServerTemplate): PresentedProduct['server'] {
  return {
    egg_id: template.eggId,
    memory: template.memoryMb,
    cpu: template.cpuPercent,
    disk: template.diskMb,
    swap: template.swapMb,
    io: template.ioWeight,
    databases_limit: template.databasesLimit,
    backups_limit: template.backupsLimit,
    allocations_limit: template.allocationsLimit,
    node_tags: template.nodeTags,
    environment: template.environment,
    docker_image: textOrNull(template.dockerImage),
    auto_start: autoStarts.find((word) => word === template.autoStart) ?? 'unless_stopped',
    timezone: textOrNull(template.timezone ?? ''),
    threads: textOrNull(template.threads ?? ''),
    oom_disabled: template.oomDisabled ?? false,
    stop_grace: template.stopGraceSeconds ?? null,
  };
}

export function presentCart(message: Cart | undefined): z.input<typeof cart> {
  const { id, items, couponCode, subtotal, discount, tax, total } = required(message, 'cart');
  return {
    id,
    items: items.map((item) => ({
      id: item.id,
      product_id: item.productId,
      product_name: item.productName,
      plan_id: item.planId,
      plan_name: item.planName,
      quantity: item.quantity,
      config: presentConfig(item.config),
      unit_price: presentMoney(item.unitPrice),
      setup_fee: presentMoney(item.setupFee),
      subtotal: presentMoney(item.subtotal),
      discount: presentMoney(item.discount),
      problem: textOrNull(item.problem),
    })),
    coupon: textOrNull(couponCode),
    subtotal: presentMoney(subtotal),
    discount: presentMoney(discount),
    tax: presentMoney(tax),
    total: presentMoney(total),
  };
}

export function presentConfig(config: ItemConfig | undefined): z.input<typeof cart>['items'][number]['config'] {
  return { server_name: config?.serverName ?? '', environment: config?.environment ?? {} };
}

export function presentOrder(message: Order | undefined): z.input<typeof order> {
  const found = required(message, 'order');
  return {
    id: found.id,
    number: found.number,
    user_id: found.userId,
    status: enumWord(found.status, 'STATUS_') as z.input<typeof order>['status'],
    items: found.items.map(presentOrderItem),
    total: presentMoney(found.total),
    coupon: textOrNull(found.couponCode),
    invoice_id: found.invoiceId,
    service_ids: found.serviceIds,
    created_at: isoTimeOf(found.createTime),
  };
}

function presentOrderItem(item: OrderItem): z.input<typeof order>['items'][number] {
  return {
    product_id: item.productId,
    product_name: item.productName,
    plan_id: item.planId,
    plan_name: item.planName,
    quantity: item.quantity,
    unit_price: presentMoney(item.unitPrice),
    setup_fee: presentMoney(item.setupFee),
    discount: presentMoney(item.discount),
    tax: presentMoney(item.tax),
    total: presentMoney(item.total),
    config: presentConfig(item.config),
  };
}

export function presentCheckout(response: CheckoutResponse): z.input<typeof checkoutResult> {
  return {
    order: presentOrder(response.order),
    invoice: presentInvoice(response.invoice),
    services: response.services.map(presentService),
    payment_url: textOrNull(response.paymentUrl),
  };
}
