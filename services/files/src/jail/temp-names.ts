import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { isTempName } from '../domain/temp-name.js';

/**
 * Names of files that are being written. They lie beside the file they will become, because only there a rename is sure to
 * be atomic (a volume may be a file system, or a quota, of its own).
 */
export class TempNames {
  readonly #startedAtMs: number;
  readonly #active = new Set<string>();

  /** `startedAt`: start of this process by the clock of the file system. */
  constructor(startedAt: Date) {
    this.#startedAtMs = startedAt.getTime();
  }

  /** A new name; it is active until it is released. */
  take(): Buffer {
    const name = `.panel-${randomUUID()}.part`;
    this.#active.add(name);
    return Buffer.from(name);
  }

  release(name: Buffer): void {
    this.#active.delete(name.toString());
  }

  /** Whether a file of this name is a temporary one, of this process or an earlier one. */
  isOurs(name: Buffer): boolean {
    return isTempName(name.toString('latin1'));
  }

  /** Whether this process is writing a file of this name. */
  isActive(name: Buffer): boolean {
    return this.#active.has(name.toString());
  }

  /** Whether the file or directory was left by an earlier process: there is one files service on a node. */
  isStale(name: Buffer, stats: BigIntStats): boolean {
    return (
      (stats.isFile() || stats.isDirectory()) &&
      this.isOurs(name) &&
      !this.isActive(name) &&
      Number(stats.mtimeMs) < this.#startedAtMs
    );
  }
}
