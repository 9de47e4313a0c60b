import { onAbort } from '@panel/kit/async';
import { acquireLease, type Lease } from '@panel/kit/lease';
import type { Jobs, Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import type { LeaseStore } from '../models/nodes/lease.js';
import type { ReplicaStore } from '../models/nodes/replica.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { NodeWatcher } from './node-watcher.js';

interface LeaseKeeperOptions {
  readonly owner: string;
  readonly ttlMs: number;
  readonly leases: LeaseStore;
  readonly replicas: ReplicaStore;
  readonly nodes: NodeStore;
  readonly log: Logger;
  readonly attempt: Jobs['attempt'];
  readonly watch: (node: GameNode) => NodeWatcher;
  /** Another replica has the lease, or the node is deleted. */
  readonly onLost: (nodeId: string) => Promise<void>;
}

interface Held {
  readonly watcher: NodeWatcher;
  readonly lease: Lease;
}

/** Holds node leases: exactly one replica watches a node. */
export class LeaseKeeper {
  readonly #held = new Map<string, Held>();
  #isStopping = false;
  /** By the local clock, since when a node above the share is free. */
  readonly #orphanedAt = new Map<string, number>();

  constructor(
    private readonly options: LeaseKeeperOptions,
    private readonly address: string,
  ) {}

  owned(): string[] {
    return [...this.#held.keys()];
  }

  reachable(): string[] {
    return this.owned().filter((nodeId) => this.#held.get(nodeId)?.watcher.isReachable);
  }

  /** Owned ones whose files have no change that the database does not know. */
  current(): string[] {
    return this.owned().filter((nodeId) => this.#held.get(nodeId)?.watcher.isDatabaseCurrent);
  }

  owns(nodeId: string): boolean {
    return this.#held.has(nodeId);
  }

  /** Calls to it arrive here: forwarding would loop. */
  isOwnAddress(address: string): boolean {
    return address === this.address;
  }

  watcher(nodeId: string): NodeWatcher | undefined {
    return this.#held.get(nodeId)?.watcher;
  }

  /** Takes free nodes up to a fair share and applies node changes. Called three times per expiry. */
  async tick(): Promise<void> {
    const nodes = await this.options.nodes.all();
    const present = new Set(nodes.map(({ id }) => id));
    for (const nodeId of this.owned()) if (!present.has(nodeId)) await this.#drop(nodeId);
    const { replicas, owner, ttlMs } = this.options;
    const share = Math.ceil(nodes.length / Math.max(1, await replicas.heartbeat(owner, ttlMs)));
    for (const node of nodes) {
      await this.options.attempt('keep-node-leases', node.id, async () => {
        const held = this.#held.get(node.id);
        if (held) held.watcher.update(node);
        else if (await this.#wants(node.id, share)) await this.#acquire(node);
      });
    }
    if (this.#held.size > share) await this.#releaseSurplus();
  }

  /** Takes a free lease now; true if held. */
  async take(node: GameNode): Promise<boolean> {
    await this.#acquire(node);
    return this.owns(node.id);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.options.replicas.leave(this.options.owner);
    await Promise.all(
      this.owned().map(async (nodeId) => {
        const held = this.#held.get(nodeId);
        this.#held.delete(nodeId);
        await held?.watcher.stop();
        await held?.lease.release();
      }),
    );
  }

  /** Up to the share at once, above it only after no other replica took it for a while. */
  async #wants(nodeId: string, share: number): Promise<boolean> {
    if (this.#held.size < share) return true;
    if (await this.options.leases.holder(nodeId)) {
      this.#orphanedAt.delete(nodeId);
      return false;
    }
    const since = this.#orphanedAt.get(nodeId) ?? performance.now();
    this.#orphanedAt.set(nodeId, since);
    return performance.now() - since > this.options.ttlMs;
  }

  /** After a replica joins: frees one node at a time. */
  async #releaseSurplus(): Promise<void> {
    const nodeId = this.owned().at(-1);
    if (nodeId === undefined) return;
    const lease = this.#held.get(nodeId)?.lease;
    this.options.log.info({ nodeId }, 'another replica may watch this node');
    await this.#drop(nodeId);
    this.#orphanedAt.set(nodeId, performance.now());
    await lease?.release();
  }

  async #acquire(node: GameNode): Promise<void> {
    if (this.#isStopping || this.owns(node.id)) return;
    const { owner, leases, ttlMs, log, watch } = this.options;
    const acquire = async () => leases.acquire({ nodeId: node.id, owner, address: this.address }, ttlMs);
    const release = async () => leases.release(node.id, owner);
    const facts = { nodeId: node.id, nodeName: node.name };
    const lease = await acquireLease({ name: 'node', facts, ttlMs, acquire, renew: acquire, release, log });
    if (!lease) return;
    if (this.#isStopping) return lease.release();
    // Another call has taken the same lease.
    if (this.owns(node.id)) return lease.stop();
    log.info(facts, 'watching a node');
    this.#held.set(node.id, { watcher: watch(node), lease });
    onAbort(lease.signal, () => {
      if (this.#held.get(node.id)?.lease !== lease) return;
      void this.options.attempt('keep-node-leases', node.id, async () => this.#drop(node.id));
    });
  }

  async #drop(nodeId: string): Promise<void> {
    const held = this.#held.get(nodeId);
    this.#held.delete(nodeId);
    this.options.log.info({ nodeId }, 'no longer watching a node');
    await held?.lease.stop();
    await held?.watcher.stop();
    await this.options.onLost(nodeId);
  }
}
