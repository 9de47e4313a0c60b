import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit';
import type { EnqueueMailRequest } from '@panel/protos/admin';
import { User } from '@panel/protos/identity';
import { type CreateServerRequest, Server, type UpdateServerRequest } from '@panel/protos/servers';
import type { BillingContext } from '../src/context.js';
import type { BillingSettings } from '../src/domain/settings.js';

/** A server as the fake of the servers service keeps it. */
export interface FakeServer {
  readonly id: string;
  readonly request: CreateServerRequest;
  suspended: boolean;
  limits: UpdateServerRequest['limits'];
}

/** The servers service as billing uses it: one server per idempotency id, every call repeatable. */
export class FakeServers {
  readonly servers = new Map<string, FakeServer>();
  /** Thrown by the next calls, first in first out. */
  readonly failures: Error[] = [];
  creates = 0;

  readonly client: BillingContext['servers'] = {
    createServer: async (request, options) => {
      this.#failIfTold();
      this.creates += 1;
      const existing = [...this.servers.values()].find((server) => server.request.externalId === request.externalId);
      const id = existing?.id ?? options?.idempotencyId ?? randomUUID();
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
      return {};
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
    const failure = this.failures.shift();
    if (failure) throw failure;
  }

  #find(serverId: string): FakeServer {
    const server = this.servers.get(serverId);
    if (!server) throw new AppError('not_found', 'SERVER_NOT_FOUND', 'there is no such server');
    return server;
  }
}

/** Everybody exists. */
export const fakeUsers: BillingContext['users'] = {
  batchGetUsers: async ({ userIds }) => ({
    users: userIds.map((id) => User.create({ id, email: `${id.slice(0, 8)}@customer.test`, username: id.slice(0, 8) })),
  }),
};

/** Mails as admin takes them: each id once. */
export class FakeMail {
  readonly mails = new Map<string, EnqueueMailRequest>();
  readonly client: BillingContext['mail'] = {
    enqueueMail: async (request) => {
      this.mails.set(request.eventId, request);
      return {};
    },
  };

  /** What the mails say they are about, in order. */
  events(): string[] {
    return [...this.mails.values()].flatMap(({ mail }) =>
      mail && 'event' in mail.value ? [`${mail.$case} ${mail.value.event}`] : [],
    );
  }
}

export const testSettings: BillingSettings = {
  currency: 'EUR',
  panelUrl: 'https://panel.test',
  timezone: 'UTC',
  taxRateBasisPoints: 0,
  taxRatesByCountry: { DE: 1900 },
  taxInclusive: false,
  seller: { name: 'Test Panel', address: '', vatNumber: '' },
  invoicePrefix: 'INV-',
  invoiceDaysBefore: 7,
  paymentDays: 7,
  reminderDays: 3,
  suspendDays: 2,
  terminateDays: 14,
};
