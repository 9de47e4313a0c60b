import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { isTempName } from '../domain/temp-name.js';

/** Beside their target: elsewhere a rename may not be atomic (a volume may have its own file system or quota). */
export class TempNames {
  readonly #startedAtMs: number;
  readonly #active = new Set<string>();

  /** By the file system's clock. */
  constructor(startedAt: Date) {
    this.#startedAtMs = startedAt.getTime();
  }

  /** Active until released. */
  take(): Buffer {
    const name = `.panel-${randomUUID()}.part`;
    this.#active.add(name);
    return Buffer.from(name);
  }

  release(name: Buffer): void {
    this.#active.delete(name.toString());
  }

  /** Of this or an earlier process. */
  isOurs(name: Buffer): boolean {
    return isTempName(name.toString('latin1'));
  }

  isActive(name: Buffer): boolean {
    return this.#active.has(name.toString());
  }

  /** By an earlier process: a node has one. */
  isStale(name: Buffer, stats: BigIntStats): boolean {
    return (
      (stats.isFile() || stats.isDirectory()) &&
      this.isOurs(name) &&
      !this.isActive(name) &&
      Number(stats.mtimeMs) < this.#startedAtMs
    );
  }
}
