import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import type { MongoConnection } from '@panel/kit/mongo';
import { type Actor, type Client, connect, createActorSigner, serviceActor, type UserActor } from '@panel/rpc';
import {
  CartServiceService,
  CouponServiceService,
  CreditServiceService,
  GiftCodeServiceService,
  InvoiceServiceService,
  ObligationServiceService,
  OrderServiceService,
  PaymentServiceService,
  ProductServiceService,
  ProfileServiceService,
  ReportServiceService,
  ServiceServiceService,
} from '@panel/protos/billing';
import { reusedMongoUrl } from '@panel/testing';
import { readConfig } from '../src/config.js';
import type { BillingContext, BillingOverrides } from '../src/context.js';
import type { PaymentGateway } from '../src/payments/payment-gateway.js';
import type { Product } from '../src/domain/product.js';
import type { BillingSettings } from '../src/domain/settings.js';
import type { ProductStore } from '../src/models/product.js';
import { startBilling } from '../src/service.js';
import { FakeActivity, FakeMail, FakeServers, FakeUsage, testSettings, withoutUsers } from './fakes.js';
import { findBrokenInvariants } from './invariants.js';
import { productWith } from './product.js';
import { openReplica, serviceSecret, testEnvironment } from './replica.js';

export interface BillingClients {
  readonly products: Client<ProductServiceService>;
  readonly carts: Client<CartServiceService>;
  readonly orders: Client<OrderServiceService>;
  readonly invoices: Client<InvoiceServiceService>;
  readonly services: Client<ServiceServiceService>;
  readonly credits: Client<CreditServiceService>;
  readonly coupons: Client<CouponServiceService>;
  readonly giftCodes: Client<GiftCodeServiceService>;
  readonly profiles: Client<ProfileServiceService>;
  readonly payments: Client<PaymentServiceService>;
  readonly reports: Client<ReportServiceService>;
  readonly obligations: Client<ObligationServiceService>;
}

export interface RunningBilling extends BillingClients {
  readonly store: ProductStore;
  /** A replica on the same database, fakes and clock. */
  readonly context: BillingContext;
  readonly mongo: MongoConnection;
  readonly servers: FakeServers;
  readonly usage: FakeUsage;
  readonly mail: FakeMail;
  readonly activity: FakeActivity;
  readonly gateways: Map<string, PaymentGateway>;
  /** Mutable. */
  readonly settings: { -readonly [K in keyof BillingSettings]: BillingSettings[K] };
  /** Of the probes. */
  readonly metrics: string;
  /** Ids that identity knows no more. */
  readonly deletedUsers: Set<string>;
  /** BCP 47 tags; German for others. */
  readonly userLanguages: Map<string, string>;
  now(): Date;
  advance(ms: number): void;
  setTime(at: Date): void;
  /** Once, in order. */
  runJobs(...names: string[]): Promise<void>;
  /** All jobs. */
  runUntilIdle(): Promise<void>;
  tokenOf(actor: Actor): string;
  /** Call options of a customer. */
  as(userId: string, permissions?: readonly string[], idempotencyId?: string): { actorToken: string };
  /** Adds a product. */
  sell(changes?: Partial<Product>): Promise<Product>;
  grant(userId: string, amountMinor: number): Promise<void>;
  /** Completes all work, then throws on violations. */
  checkInvariants(): Promise<void>;
  stop(): Promise<void>;
}

const hour = 3_600_000;
const maxChecks = 10;

/** On a free port, with its own database and fakes. Jobs run on demand. */
export async function startTestBilling(
  options: Pick<BillingOverrides, 'failpoint' | 'vatRegister' | 'documents' | 'mail'> = {},
): Promise<RunningBilling> {
  const mongoUrl = reusedMongoUrl('billing');
  const config = readConfig(testEnvironment(mongoUrl));
  let time = Date.UTC(2026, 0, 15, 12);
  const clock = () => new Date(time);
  const servers = new FakeServers();
  const usage = new FakeUsage();
  const mail = new FakeMail();
  const activity = new FakeActivity();
  const gateways = new Map<string, PaymentGateway>();
  const settings = { ...testSettings };
  const deletedUsers = new Set<string>();
  const userLanguages = new Map<string, string>();
  const parts = {
    servers: servers.client,
    usage: usage.client,
    eggs: servers.eggs,
    users: withoutUsers(deletedUsers, userLanguages),
    mail: mail.client,
    activityClient: activity.client,
    settings: { read: async () => settings },
    gateways,
    ...options,
  };
  const running = await startBilling(config, { ...parts, clock });
  const signer = createActorSigner(serviceSecret);
  const connection = connect({
    address: running.addresses.listen,
    signer,
    actor: serviceActor('test'),
    timeoutMs: 30_000,
  });
  const replica = await openReplica(mongoUrl, clock, parts);
  const { context, runJobs, runUntilIdle } = replica;
  return {
    products: connection.client(ProductServiceService),
    carts: connection.client(CartServiceService),
    orders: connection.client(OrderServiceService),
    invoices: connection.client(InvoiceServiceService),
    services: connection.client(ServiceServiceService),
    credits: connection.client(CreditServiceService),
    coupons: connection.client(CouponServiceService),
    giftCodes: connection.client(GiftCodeServiceService),
    profiles: connection.client(ProfileServiceService),
    payments: connection.client(PaymentServiceService),
    reports: connection.client(ReportServiceService),
    obligations: connection.client(ObligationServiceService),
    store: context.products,
    context,
    mongo: replica.mongo,
    servers,
    usage,
    mail,
    activity,
    deletedUsers,
    userLanguages,
    gateways,
    settings,
    metrics: running.addresses.metrics,
    now: clock,
    advance: (ms) => {
      time += ms;
    },
    setTime: (at) => {
      time = at.getTime();
    },
    runJobs,
    runUntilIdle,
    tokenOf: (actor) => signer.sign(actor),
    as: (userId, permissions = [], idempotencyId) => ({
      actorToken: signer.sign({ ...userActor(permissions), userId }),
      timeoutMs: 60_000,
      ...(idempotencyId === undefined ? {} : { idempotencyId }),
    }),
    sell: async (changes = {}) => {
      const product = productWith(changes);
      await context.products.create(product);
      return product;
    },
    grant: async (userId, amountMinor) => {
      await connection.client(CreditServiceService).grantCredits({
        userId,
        amount: { amountMinor, currency: 'EUR' },
        reason: 'test',
      });
    },
    checkInvariants: async () => {
      let broken: string[] = [];
      // Jobs of the running service may be active.
      for (let tries = 0; tries < maxChecks; tries++) {
        // Past the grace of live requests.
        time += 6_000;
        await runUntilIdle();
        broken = await findBrokenInvariants(context, replica.mongo, [...servers.servers.values()]);
        if (broken.length === 0) return;
      }
      throw new Error(broken.join('\n'));
    },
    stop: async () => {
      connection.close();
      await running.stop();
      await replica.stop();
    },
  };
}

export const hours = (count: number) => count * hour;
/** As messages hold it. */
export const euroMessage = (amountMinor: number) => ({ amountMinor, currency: 'EUR', digits: undefined });

export const days = (count: number) => count * 24 * hour;

/** With these permissions. */
export function userActor(permissions: readonly string[] = []): UserActor {
  return {
    kind: 'user',
    userId: '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a01',
    permissions,
    method: 'session',
    credentialId: '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a02',
    ip: '192.0.2.1',
  };
}

export const newUserId = (): string => randomUUID();

/** Null: the call succeeded. */
export async function reasonOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    return isAppError(error) ? error.reason : String(error);
  }
}

/** Of an INVALID_FIELDS error. */
export async function fieldsOf(call: Promise<unknown>): Promise<string[]> {
  return Object.keys(await invalidFieldsOf(call));
}

/** Texts of an INVALID_FIELDS error, by field. */
export async function problemsOf(call: Promise<unknown>): Promise<string[][]> {
  return Object.values(await invalidFieldsOf(call));
}

async function invalidFieldsOf(call: Promise<unknown>): Promise<Record<string, string[]>> {
  try {
    await call;
    return {};
  } catch (error) {
    if (!isAppError(error, 'INVALID_FIELDS')) throw error;
    return error.metadata['fields'] as Record<string, string[]>;
  }
}
