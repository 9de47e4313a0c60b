import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { databaseUrl } from '@panel/programs';
import { kinds } from './counts.js';

/** Pending activity events of the services. */
export class ActivityOutboxes {
  private constructor(private readonly connections: ReadonlyMap<string, MongoConnection>) {}

  static async open(mongoUrl: string): Promise<ActivityOutboxes> {
    const open = async (kind: string) =>
      [kind, await connectMongo(databaseUrl(mongoUrl, kind), { appName: 'walk' })] as const;
    return new ActivityOutboxes(new Map(await Promise.all(kinds.filter((kind) => kind !== 'gateway').map(open))));
  }

  /** An event of no request in each. */
  async add(ofKinds: readonly string[]): Promise<void> {
    const facts = { actorId: '', apiKeyId: '', ip: '', userId: '', serverId: '', properties: {} };
    const payload = { event: 'server:settings.rename', ...facts };
    const entry = { at: new Date(), payload, attempts: 0, retryAt: null, parkedAt: null, error: '' };
    for (const kind of ofKinds) await this.#of(kind).insertOne({ _id: randomUUID() as never, ...entry });
  }

  async untilDelivered(): Promise<void> {
    for (const kind of this.connections.keys()) {
      while ((await this.#of(kind).countDocuments({ parkedAt: null })) > 0) await pause(10);
    }
    await pause(100);
  }

  async close(): Promise<void> {
    for (const connection of this.connections.values()) await connection.close();
  }

  #of(kind: string) {
    const connection = this.connections.get(kind);
    if (!connection) throw new TypeError(`${kind} has no database`);
    return connection.collection('activity_outbox');
  }
}
