import type { Money, Plan, Product, ServerTemplate } from '@panel/protos/billing';
import type { z } from 'zod';
import { enumWord, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type { product } from './schema.js';

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
    created_at: isoTimeOf(message.createTime),
    updated_at: isoTimeOf(message.updateTime),
  };
}

function presentPlan(plan: Plan): PresentedPlan {
  return {
    id: plan.id,
    name: plan.name,
    price: presentMoney(required(plan.price, 'price')),
    setup_fee: plan.setupFee ? presentMoney(plan.setupFee) : null,
    interval: enumWord(plan.interval, 'INTERVAL_') as PresentedPlan['interval'],
    interval_count: plan.intervalCount,
  };
}

export function presentMoney({ amountMinor, currency }: Money): { amount: number; currency: string } {
  return { amount: amountMinor, currency };
}

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
  };
}
