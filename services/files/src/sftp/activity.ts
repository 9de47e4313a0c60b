import { randomUUID } from 'node:crypto';
import type { ActivityLog } from '@panel/activity';

type SftpEvent = 'write' | 'create' | 'create-directory' | 'rename' | 'delete';

export interface SftpActivityDeps {
  readonly activity: Pick<ActivityLog, 'recordOngoing'>;
  readonly clock: () => Date;
}

interface SftpActor {
  readonly userId: string;
  readonly serverId: string;
  readonly ip: string;
}

/** Named per entry; more are only counted. */
const maxPaths = 20;
const maxPathLength = 180;
/** Changes within it share an entry. */
const windowMs = 60_000;
/** Delay of delivery after a crash. */
const graceMs = 30_000;

interface Aggregate {
  readonly id: string;
  readonly at: Date;
  readonly paths: Set<string>;
  count: number;
  storedCount: number;
}

/**
 * One log entry for many changes. A crash loses only those after the last `save`; each entry is delivered after its
 * minute.
 */
export class SftpActivity {
  readonly #deps: SftpActivityDeps;
  readonly #actor: SftpActor;
  readonly #open = new Map<SftpEvent, Aggregate>();
  #saving: Promise<void> | null = null;

  constructor(deps: SftpActivityDeps, actor: SftpActor) {
    this.#deps = deps;
    this.#actor = actor;
  }

  record(event: SftpEvent, path: string): void {
    const aggregate = this.#open.get(event) ?? {
      id: randomUUID(),
      at: this.#deps.clock(),
      paths: new Set<string>(),
      count: 0,
      storedCount: 0,
    };
    aggregate.count += 1;
    addPath(aggregate, path);
    this.#open.set(event, aggregate);
  }

  /** Never rejects. */
  async save(): Promise<void> {
    this.#saving ??= this.#store(false).finally(() => (this.#saving = null));
    await this.#saving;
  }

  /** For immediate delivery. Never rejects. */
  async end(): Promise<void> {
    // an entry of an earlier moment must not replace a later one
    await this.#saving;
    await this.#store(true);
  }

  async #store(isEnd: boolean): Promise<void> {
    const now = this.#deps.clock();
    const stored = [...this.#open].map(async ([name, aggregate]) => {
      const isComplete = isEnd || now.getTime() - aggregate.at.getTime() >= windowMs;
      // further changes belong to the next entry
      if (isComplete) this.#open.delete(name);
      if (!isComplete && aggregate.count === aggregate.storedCount) return;
      const isStored = await this.#storeOne(name, aggregate, isComplete);
      if (isComplete && !isStored && !isEnd) this.#reopen(name, aggregate);
    });
    await Promise.all(stored);
  }

  /** The next save stores it with what came since. */
  #reopen(name: SftpEvent, aggregate: Aggregate): void {
    const since = this.#open.get(name);
    aggregate.count += since?.count ?? 0;
    for (const path of since?.paths ?? []) addPath(aggregate, path);
    this.#open.set(name, aggregate);
  }

  async #storeOne(name: SftpEvent, aggregate: Aggregate, isComplete: boolean): Promise<boolean> {
    const { activity, clock } = this.#deps;
    const { userId, serverId, ip } = this.#actor;
    const { id, at, count, paths } = aggregate;
    const properties = { count: String(count), files: [...paths].join('\n') };
    const dueAt = isComplete ? clock() : new Date(at.getTime() + windowMs + graceMs);
    const isStored = await activity.recordOngoing(
      { event: `server:sftp.${name}`, actorId: userId, serverId, properties },
      { kind: 'anonymous', ip },
      { id, at, dueAt },
    );
    if (isStored) aggregate.storedCount = count;
    return isStored;
  }
}

function addPath({ paths }: Aggregate, path: string): void {
  if (paths.size < maxPaths) paths.add(path.slice(0, maxPathLength));
}
