import { isAppError } from '@panel/kit/errors';
import type { Client } from '@panel/rpc';
import {
  CreateProductRequest,
  Plan_Interval,
  type CreditServiceService,
  type ProductServiceService,
} from '@panel/protos/billing';
import type { UserServiceService } from '@panel/protos/identity';
import type { EggServiceService, NestServiceService } from '@panel/protos/servers';

export interface ShopClients {
  readonly products: Client<typeof ProductServiceService>;
  readonly credits: Client<typeof CreditServiceService>;
  readonly users: Client<typeof UserServiceService>;
  readonly nests: Client<typeof NestServiceService>;
  readonly eggs: Client<typeof EggServiceService>;
}

const currency = 'EUR';
const creditsMinor = 2000;
/** Half a cent an hour, capped at the monthly price. */
const usageRates = {
  runningHourMicros: 300_000,
  memoryGbHourMicros: 800_000,
  diskGbHourMicros: 1_000,
  trafficGbMicros: 1_000_000,
  monthlyCapMinor: 299,
};
/** Constant, to find the objects of an interrupted start. */
const grantId = '6d0f2c5e-0c0d-4c7a-9d2a-5d3f4a6b7c81';
const productId = '0b6f3c1a-7a54-4f0e-8f3d-1c2b3a495867';

/** Idempotent. */
export async function seedShop(clients: ShopClients, adminEmail: string): Promise<void> {
  const eggId = await findEgg(clients);
  if (eggId === null) return;
  try {
    await clients.products.createProduct(productOf(eggId), { idempotencyId: productId });
  } catch (error) {
    if (!isAppError(error, 'PRODUCT_SLUG_TAKEN')) throw error;
  }
  const { user } = await clients.users.findUserByEmail({ email: adminEmail });
  if (!user) return;
  const amount = { amountMinor: creditsMinor, currency };
  await clients.credits.grantCredits(
    { userId: user.id, amount, reason: 'to try the shop' },
    { idempotencyId: grantId },
  );
}

async function findEgg({ nests, eggs }: ShopClients): Promise<string | null> {
  const page = { page: 1, perPage: 100, sort: [], search: '' };
  const { nests: found } = await nests.listNests({ page: { ...page, search: 'Demo' } });
  const nest = found.find(({ name }) => name === 'Demo');
  if (!nest) return null;
  const { eggs: offered } = await eggs.listEggs({ nestId: nest.id, page });
  return offered.find(({ spec }) => spec?.name === 'Lantern Caverns')?.id ?? null;
}

function productOf(eggId: string): CreateProductRequest {
  const plan = (name: string, interval: Plan_Interval, amountMinor: number) => ({
    id: '',
    name,
    price: { amountMinor, currency },
    setupFee: { amountMinor: 0, currency },
    interval,
    intervalCount: 1,
  });
  return CreateProductRequest.fromPartial({
    product: {
      name: 'Lantern Caverns',
      slug: 'lantern-caverns',
      description: 'A small server for the caverns: everything you need to look around.',
      category: 'Demo',
      active: true,
      plans: [
        plan('Monthly', Plan_Interval.MONTH, 299),
        plan('Yearly', Plan_Interval.YEAR, 2990),
        { ...plan('Pay as you go', Plan_Interval.METERED, 0), usageRates },
      ],
      server: {
        eggId,
        memoryMb: 256,
        cpuPercent: 50,
        diskMb: 512,
        swapMb: 0,
        ioWeight: 500,
        databasesLimit: 0,
        backupsLimit: 2,
        allocationsLimit: 1,
      },
    },
  });
}
