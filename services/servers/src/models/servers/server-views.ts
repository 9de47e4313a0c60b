import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import type { ServerView } from '../../domain/servers/server.js';
import { currentSubusers } from '../../domain/subusers/subuser.js';
import { findOnce, type FindOnce } from '../find-once.js';
import { EggViewReader } from './egg-view.js';
import type { ServerDocument } from './server-schema.js';

/** Install scripts and configuration files can be large. */
const projection = {
  revision: 1,
  uuidShort: 1,
  name: 1,
  description: 1,
  userId: 1,
  externalId: 1,
  nodeId: 1,
  nodeName: 1,
  allocationId: 1,
  allocations: 1,
  eggId: 1,
  'egg.view': 1,
  dockerImage: 1,
  startup: 1,
  environment: 1,
  limits: 1,
  featureLimits: 1,
  runSettings: 1,
  suspended: 1,
  'install.error': 1,
  'install.exitCode': 1,
  'install.isRepeatable': 1,
  'operation.id': 1,
  'operation.kind': 1,
  'operation.step': 1,
  'operation.progress': 1,
  'operation.startedAt': 1,
  'operation.problem': 1,
  'backup.id': 1,
  'backup.step': 1,
  'backup.progress': 1,
  'backup.startedAt': 1,
  lastTransfer: 1,
  subusers: 1,
  status: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

interface Version {
  readonly _id: string;
  readonly revision: string;
}

type ViewDocument = Omit<ServerView, 'id' | 'egg'> & Version & { readonly egg: { readonly view: string } };

interface Copy {
  readonly revision: string;
  /** Expired subusers included. */
  readonly view: ServerView;
}

/** Some 12,000 usual servers. */
const maxRetainedBytes = 64 * 1024 * 1024;
/** For manual database changes, which keep the revision. */
const maxAgeMs = 60_000;

/**
 * Cached by revision: a page's documents take ten times as long as its ids and revisions. Each read queries the
 * revisions: as fresh as a full read.
 */
export class ServerViewReader {
  readonly #eggs = new EggViewReader();
  readonly #retained = new LRUCache<string, Copy>({
    maxSize: maxRetainedBytes,
    sizeCalculation: sizeOf,
    ttl: maxAgeMs,
    ttlResolution: 1_000,
  });

  constructor(
    private readonly model: Model<ServerDocument>,
    private readonly clock: () => Date,
  ) {}

  /** By id. An unchanged revision mostly returns the same object. */
  async read(serverIds: readonly string[]): Promise<Map<string, ServerView>> {
    const known = serverIds.filter((id) => this.#retained.has(id));
    const unknown = serverIds.filter((id) => !this.#retained.has(id));
    const [versions, copies] = await Promise.all([this.#versions(known), this.#copies(unknown)]);
    for (const [id, copy] of await this.#current(versions)) copies.set(id, copy);
    const at = this.clock();
    return new Map([...copies].map(([id, { view }]) => [id, seenAt(view, at)]));
  }

  /** In the query's order. */
  async list(query: Omit<FindOnce, 'projection'>): Promise<ServerView[]> {
    const versions = await findOnce<Version>(this.model, { ...query, projection: { revision: 1 } });
    const copies = await this.#current(versions);
    const at = this.clock();
    return versions.flatMap(({ _id }) => {
      const copy = copies.get(_id);
      return copy ? [seenAt(copy.view, at)] : [];
    });
  }

  /** Or newer. */
  async #current(versions: readonly Version[]): Promise<Map<string, Copy>> {
    const retained = new Map<string, Copy>();
    const changed: string[] = [];
    for (const { _id, revision } of versions) {
      const copy = this.#retained.get(_id);
      if (copy?.revision === revision) retained.set(_id, copy);
      else changed.push(_id);
    }
    for (const [id, copy] of await this.#copies(changed)) retained.set(id, copy);
    return retained;
  }

  async #versions(serverIds: readonly string[]): Promise<Version[]> {
    if (serverIds.length === 0) return [];
    const filter = { _id: { $in: [...serverIds] } };
    return findOnce<Version>(this.model, { filter, projection: { revision: 1 }, limit: serverIds.length });
  }

  async #copies(serverIds: readonly string[]): Promise<Map<string, Copy>> {
    if (serverIds.length === 0) return new Map();
    const filter = { _id: { $in: [...serverIds] } };
    const found = await findOnce<ViewDocument>(this.model, { filter, projection, limit: serverIds.length });
    return new Map(found.map((document) => [document._id, this.#keep(document)]));
  }

  /** Damaged documents are not cached. */
  #keep({ egg, revision, ...fields }: ViewDocument): Copy {
    // Only a damaged record lacks subusers.
    const shown = { ...fields, id: fields._id, subusers: fields.subusers ?? [] };
    try {
      const copy = { revision, view: { ...shown, egg: this.#eggs.read(egg.view) } };
      this.#retained.set(fields._id, copy);
      return copy;
    } catch (error) {
      return { revision, view: withDamagedEgg(shown, error instanceof Error ? error : new Error(String(error))) };
    }
  }
}

/** Throws only at the read of `egg`: a list stays readable. */
function withDamagedEgg(shown: Omit<ServerView, 'egg'>, error: Error): ServerView {
  const get = (): never => {
    throw error;
  };
  return Object.defineProperty({ ...shown }, 'egg', { get, enumerable: true }) as ServerView;
}

function seenAt(view: ServerView, at: Date): ServerView {
  const subusers = currentSubusers(view.subusers, at);
  if (subusers.length === view.subusers.length) return view;
  // A spread would read a damaged egg.
  const copy: object = Object.defineProperties({}, Object.getOwnPropertyDescriptors(view));
  return Object.defineProperty(copy, 'subusers', { value: subusers, enumerable: true }) as ServerView;
}

/** Approximate, without the shared egg. */
function sizeOf({ view: { subusers, allocations, environment } }: Copy): number {
  const lists = subusers.length * 2_000 + (allocations?.length ?? 0) * 300;
  return 5_000 + lists + Object.keys(environment ?? {}).length * 200;
}
