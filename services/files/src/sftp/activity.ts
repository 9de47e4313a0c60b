import { randomUUID } from 'node:crypto';
import type { ActivityServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';
import type { Logger, TaskGroup } from '@panel/kit/process';

type SftpEvent = 'write' | 'create' | 'create-directory' | 'rename' | 'delete';

export interface SftpActivityDeps {
  /** Null: there is no admin service, and nothing is recorded. */
  readonly client: Client<typeof ActivityServiceService> | null;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  readonly clock: () => Date;
}

/** Whose session it is. */
interface SftpActor {
  readonly userId: string;
  readonly serverId: string;
  readonly ip: string;
}

/** Paths that an entry names; further ones are only counted. */
const maxPaths = 20;
const maxPathLength = 180;
const timeoutMs = 5_000;

interface Aggregate {
  readonly id: string;
  readonly at: Date;
  readonly paths: Set<string>;
  count: number;
}

/** Collects what one session changes, so that ten thousand files are a few lines in the activity log. */
export class SftpActivity {
  readonly #deps: SftpActivityDeps;
  readonly #actor: SftpActor;
  readonly #pending = new Map<SftpEvent, Aggregate>();

  constructor(deps: SftpActivityDeps, actor: SftpActor) {
    this.#deps = deps;
    this.#actor = actor;
  }

  record(event: SftpEvent, path: string): void {
    const aggregate = this.#pending.get(event) ?? {
      id: randomUUID(),
      at: this.#deps.clock(),
      paths: new Set<string>(),
      count: 0,
    };
    aggregate.count += 1;
    if (aggregate.paths.size < maxPaths) aggregate.paths.add(path.slice(0, maxPathLength));
    this.#pending.set(event, aggregate);
  }

  /** Send what was collected. It is lost only when the admin service does not answer. */
  flush(): void {
    const { client, tasks, log } = this.#deps;
    const entries = [...this.#pending];
    this.#pending.clear();
    if (!client || entries.length === 0) return;
    const events = entries.map(([event, { id, at, paths, count }]) => ({
      id,
      event: `server:sftp.${event}`,
      time: at,
      actorId: this.#actor.userId,
      apiKeyId: '',
      ip: this.#actor.ip,
      userAgent: '',
      userId: '',
      serverId: this.#actor.serverId,
      properties: { count: String(count), files: [...paths].join('\n') },
    }));
    tasks.run('record SFTP activity', async () => {
      try {
        await client.recordActivity({ events }, { timeoutMs });
      } catch (error) {
        log.warn({ err: error }, 'SFTP activity could not be recorded');
      }
    });
  }
}
