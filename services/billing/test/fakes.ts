import { AppError, fieldProblem, requireValid } from '@panel/kit/errors';
import type { ActivityEvent, EnqueueMailRequest } from '@panel/protos/admin';
import { User } from '@panel/protos/identity';
import {
  type CreateServerRequest,
  type HourlyUsage,
  Server,
  type Server_Status,
  type UpdateServerRequest,
} from '@panel/protos/servers';
import type { BillingContext, BillingOverrides } from '../src/context.js';
import type { BillingSettings } from '../src/domain/settings.js';
import { createdServerId } from '../src/provisioning/sync-servers.js';

export interface FakeServer {
  readonly id: string;
  readonly request: CreateServerRequest;
  suspended: boolean;
  status?: Server_Status;
  installRepeatable?: boolean;
  limits: UpdateServerRequest['limits'];
}

/** One server per idempotency id; calls are repeatable. */
export class FakeServers {
  readonly servers = new Map<string, FakeServer>();
  /** Thrown by the next calls, in order. */
  readonly failures: Error[] = [];
  /** Fails every call. */
  isDown = false;
  /** Refusal of creations; empty: none. */
  refusal = '';
  creates = 0;
  /** Missing eggs; all others exist. */
  readonly goneEggs = new Set<string>();
  /** Of every egg. */
  readonly refusedVariables = new Set<string>();
  /** Runs at every read of an egg. */
  whileReadingEgg: (eggId: string) => void = () => undefined;
  readonly eggs: BillingContext['eggs'] = {
    getEgg: async ({ eggId }) => {
      this.whileReadingEgg(eggId);
      if (this.goneEggs.has(eggId)) throw new AppError('not_found', 'EGG_NOT_FOUND', 'no such egg');
      return { egg: undefined };
    },
    checkVariables: async ({ eggId, environment }) => {
      if (this.isDown) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'servers is away');
      if (this.goneEggs.has(eggId)) throw new AppError('not_found', 'EGG_NOT_FOUND', 'no such egg');
      const refused = Object.keys(environment).filter((name) => this.refusedVariables.has(name));
      requireValid(
        Object.fromEntries(
          refused.map((name) => [`environment.${name}`, [fieldProblem('out_of_range', 'is too much')]]),
        ),
      );
      return {};
    },
  };
  /** Ids, in order. */
  readonly reinstalled: string[] = [];
  /** Count of full lists. */
  lists = 0;

  readonly client: BillingContext['servers'] = {
    createServer: async (request, options) => {
      this.#failIfTold();
      if (this.refusal !== '') throw new AppError('invalid_argument', 'INVALID_FIELDS', this.refusal);
      this.creates += 1;
      const existing = [...this.servers.values()].find((server) => server.request.externalId === request.externalId);
      const id = existing?.id ?? createdServerId(request.externalId);
      // By this id billing finds a server after a lost response.
      const isKnown = [request.externalId, id].includes(options?.idempotencyId ?? '');
      if (!isKnown) throw new Error(`a server is created under another id: ${options?.idempotencyId}`);
      if (!existing) this.servers.set(id, { id, request, suspended: false, limits: undefined });
      return { server: Server.create({ id }) };
    },
    getServer: async ({ serverId }) => {
      this.#failIfTold();
      const { id, suspended } = this.#find(serverId);
      return { server: Server.create({ id, suspended }) };
    },
    updateServer: async (request) => {
      this.#failIfTold();
      const server = this.#find(request.serverId);
      server.limits = request.limits;
      return { server: Server.create({ id: server.id }), restartNeeded: false };
    },
    deleteServer: async ({ serverId }) => {
      this.#failIfTold();
      this.#find(serverId);
      this.servers.delete(serverId);
      return { server: undefined };
    },
    listServers: async ({ page }) => {
      this.#failIfTold();
      this.lists += 1;
      const all = [...this.servers.values()];
      const { page: number = 1, perPage = 100 } = page ?? {};
      const shown = all.slice((number - 1) * perPage, number * perPage);
      return {
        servers: shown.map(({ id, suspended, status, installRepeatable, request: { externalId, userId } }) =>
          Server.create({ id, suspended, status, installRepeatable, externalId, userId }),
        ),
        variables: [],
        listed: [],
        page: { page: number, perPage, total: all.length },
      };
    },
    reinstallServer: async ({ serverId }) => {
      this.#failIfTold();
      this.reinstalled.push(serverId);
      const server = this.#find(serverId);
      // The server stays unavailable until a test ends the installation.
      return { server: Server.create({ id: server.id }) };
    },
    suspendServer: async ({ serverId }) => this.#setSuspended(serverId, true),
    unsuspendServer: async ({ serverId }) => this.#setSuspended(serverId, false),
  };

  async #setSuspended(serverId: string, suspended: boolean) {
    this.#failIfTold();
    const server = this.#find(serverId);
    server.suspended = suspended;
    return { server: Server.create({ id: server.id, suspended }) };
  }

  #failIfTold(): void {
    if (this.isDown) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the servers service is down');
    const failure = this.failures.shift();
    if (failure) throw failure;
  }

  #find(serverId: string): FakeServer {
    const server = this.servers.get(serverId);
    if (!server) throw new AppError('not_found', 'SERVER_NOT_FOUND', 'there is no such server');
    return server;
  }
}

/** Every user exists. */
export const fakeUsers: BillingContext['users'] = {
  batchGetUsers: async ({ userIds }) => ({
    users: userIds.map((id) =>
      User.create({ id, email: `${id.slice(0, 8)}@customer.test`, username: id.slice(0, 8), language: 'de' }),
    ),
  }),
};

/** Knows all users but the `deleted` ones, and the languages of some. */
export function withoutUsers(
  deleted: ReadonlySet<string>,
  languages: ReadonlyMap<string, string>,
): BillingContext['users'] {
  return {
    batchGetUsers: async ({ userIds }) => {
      const { users } = await fakeUsers.batchGetUsers({ userIds: (userIds ?? []).filter((id) => !deleted.has(id)) });
      return { users: users.map((user) => ({ ...user, language: languages.get(user.id) ?? user.language })) };
    },
  };
}

/** Deduplicates by id, like admin. */
export class FakeMail {
  readonly mails = new Map<string, EnqueueMailRequest>();
  readonly client: BillingContext['mail'] = {
    enqueueMail: async (request) => {
      this.mails.set(request.eventId, request);
      return {};
    },
  };

  /** In order. */
  events(): string[] {
    return [...this.mails.values()].flatMap(({ mail }) =>
      mail && 'event' in mail.value ? [`${mail.$case} ${mail.value.event}`] : [],
    );
  }
}

export const quickDocuments: BillingContext['documents'] = {
  render: async ({ number }, _credited, format) => ({ content: Buffer.from(number), fileName: `${number}.${format}` }),
};

export const testSettings: BillingSettings = {
  currency: 'EUR',
  panelUrl: 'https://panel.test',
  timezone: 'UTC',
  locale: 'en',
  taxRateBasisPoints: 0,
  taxRatesByCountry: { DE: 1900 },
  taxRateChanges: [],
  taxInclusive: false,
  taxScheme: 'fixed',
  sellerCountry: '',
  registeredCountries: [],
  isOss: false,
  vatCheck: 'off',
  seller: { name: 'Test Panel', address: '', vatNumber: '' },
  eInvoice: false,
  bank: null,
  datev: null,
  invoicePrefix: 'INV-',
  invoiceDaysBefore: 7,
  priceChangeDays: 30,
  paymentDays: 7,
  reminderDays: 3,
  suspendDays: 2,
  terminateDays: 14,
};

/** Deduplicates by id, like admin. */
export class FakeActivity {
  readonly events = new Map<string, ActivityEvent>();
  readonly client: NonNullable<BillingOverrides['activityClient']> = {
    recordActivity: async ({ events }) => {
      for (const event of events) this.events.set(event.id, event);
      return {};
    },
  };
}

/** Set by tests. */
export class FakeUsage {
  readonly #hours = new Map<string, HourlyUsage[]>();
  /** Earlier hours are final. */
  completeUntil: Date | undefined;

  readonly client: BillingContext['usage'] = {
    listHourlyUsage: async ({ serverIds, fromTime, untilTime }) => ({
      servers: serverIds.map((serverId) => ({
        serverId,
        hours: (this.#hours.get(serverId) ?? []).filter(
          ({ hourTime }) => hourTime && fromTime && untilTime && hourTime >= fromTime && hourTime < untilTime,
        ),
        completeUntilTime: this.completeUntil,
      })),
    }),
  };

  /** Usage of one hour. */
  add(serverId: string, hour: Date, usage: Partial<HourlyUsage>): void {
    const nothing = { runningSeconds: 0, memoryMbSeconds: 0, diskMbSeconds: 0, trafficBytes: 0 };
    this.#hours.set(serverId, [...(this.#hours.get(serverId) ?? []), { ...nothing, ...usage, hourTime: hour }]);
  }
}
